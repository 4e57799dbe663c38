import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { CallEnded, Deadline } from '../../../src/client/core/deadline.js'
import { rejection } from '../../support/clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

function setUp(timeoutMs = 100, signal?: AbortSignal) {
  const clock = new SkippingClock({ skip: () => false })
  const deadline = new Deadline(clock, timeoutMs, signal)
  const ends: CallEnded[] = []
  const stop = deadline.onEnd((ended) => ends.push(ended))
  return { clock, deadline, ends, stop }
}

it('a deadline ends at its timeout, and its listeners get the reason', () => {
  const { clock, deadline, ends } = setUp()
  expect(() => deadline.throwIfEnded()).not.toThrow()
  clock.advance(30)
  expect(deadline).toMatchObject({ remainingMs: 70, ended: undefined })
  clock.advance(70)
  expect(ends).toEqual([expect.any(CallEnded)])
  expect(ends[0]).toMatchObject({ message: 'timeout', end: { kind: 'timeout' }, queuedFor: undefined })
  expect(deadline.ended).toBe(ends[0])
  expect(() => deadline.throwIfEnded()).toThrow(ends[0])
})

it.each([0, -1])('a deadline of %i ms has ended at once, without a timer', (timeoutMs) => {
  const { clock, deadline, ends } = setUp(timeoutMs)
  expect(deadline.ended?.end).toEqual({ kind: 'timeout' })
  expect(ends).toEqual([deadline.ended])
  expect(clock.pending).toBe(0)
})

it('a deadline ends with the reason of its signal, and then has no timer and no listener', () => {
  const controller = new AbortController()
  const { clock, deadline, ends } = setUp(100, controller.signal)
  expect(listeners(controller.signal)).toBe(1)
  controller.abort('enough')
  expect(deadline.ended?.end).toEqual({ kind: 'aborted', reason: 'enough' })
  expect(ends).toHaveLength(1)
  expect(clock.pending).toBe(0)
  expect(listeners(controller.signal)).toBe(0)
})

it('a deadline with an aborted signal has ended with its reason, whatever its timeout is', () => {
  const { clock, deadline } = setUp(0, AbortSignal.abort('before'))
  expect(deadline.ended?.end).toEqual({ kind: 'aborted', reason: 'before' })
  expect(clock.pending).toBe(0)
})

it('a removed listener is not called, and the others are', () => {
  const { clock, deadline, ends, stop } = setUp()
  const others: CallEnded[] = []
  deadline.onEnd((ended) => others.push(ended))
  stop()
  stop()
  clock.advance(100)
  expect(ends).toHaveLength(0)
  expect(others).toHaveLength(1)
})

it('a deadline that is disposed has no timer and no listener', () => {
  const controller = new AbortController()
  const { clock, deadline, ends } = setUp(100, controller.signal)
  deadline.dispose()
  expect(clock.pending).toBe(0)
  expect(listeners(controller.signal)).toBe(0)
  clock.advance(100)
  expect(ends).toHaveLength(0)
})

it('a race and a pause reject when the call ends, and leave no timer', async () => {
  const { clock, deadline } = setUp()
  const waiting = [rejection(deadline.race(new Promise(() => undefined))), rejection(deadline.sleep(200))]
  clock.advance(100)
  expect(await Promise.all(waiting)).toEqual([deadline.ended, deadline.ended])
  expect(clock.pending).toBe(0)
})
