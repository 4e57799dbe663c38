import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { waitWithin } from '../../src/common/time-limit.js'
import { rejection } from '../support/clients.js'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

it('a wait with a signal returns the result, and removes its listener', async () => {
  const { signal } = new AbortController()
  const waiting = waitWithin(Promise.resolve(7), { signal })
  expect(listeners(signal)).toBe(1)
  await expect(waiting).resolves.toBe(7)
  expect(listeners(signal)).toBe(0)
  await expect(waitWithin(Promise.resolve(8), {})).resolves.toBe(8)
})

it("a wait with a signal rejects with the signal's reason, now or later", async () => {
  const controller = new AbortController()
  const waiting = rejection(waitWithin(new Promise(() => undefined), controller))
  controller.abort('enough')
  expect(await waiting).toBe('enough')
  expect(await rejection(waitWithin(new Promise(() => undefined), controller))).toBe('enough')
})
