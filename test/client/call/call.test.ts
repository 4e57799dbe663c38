import { describe, expect, it, vi } from 'vitest'
import type { LostRequest, Reconciled } from '../../../src/client/call/call.js'
import { TurnTooLate } from '../../../src/client/core/rate-limiter.js'
import { TransportFailure } from '../../../src/client/transport/transport.js'
import { endpoints } from '../../../src/contract/endpoints.js'
import { rejection } from '../../support/clients.js'
import { callWith, ok, type RunOptions, response, type Sent, watchedGuard } from './run-world.js'

const reset = new TransportFailure({ sent: true, reason: 'reset' })

/** A call with a reconciler that returns the given results in order; the last one repeats. */
function reconciled(sent: readonly Sent[], results: readonly Reconciled[], options: RunOptions = {}) {
  const lost: LostRequest[] = []
  const world = callWith(sent, {
    endpoint: endpoints.referrals.update,
    ...options,
    reconciler: async (request) => {
      lost.push(request)
      return results[lost.length - 1] ?? results.at(-1) ?? 'repeat'
    },
  })
  return { ...world, lost }
}

const found = { data: { uuid: 'r-2' } }

describe('a lost request that was carried out', () => {
  it.each<readonly [string, Sent, number]>([
    ['without a response', reset, 200],
    ['with a 503', response(503), 503],
  ])('%s: its data is returned, with the known properties of the response', async (_, sent, status) => {
    const { run, call, warnings, budgetTaken } = reconciled([sent], [found])
    expect(await run()).toEqual({
      ...found,
      response: { status, headers: {}, requestId: undefined, attempts: 1 },
    })
    expect(call.isRecovered).toBe(true)
    expect(budgetTaken).toHaveBeenCalledOnce()
    expect(warnings).toEqual([
      'pathology-sdk: the response to referrals.update was lost; the request had been carried out',
    ])
  })

  it('the warning of an order says that the order was found', async () => {
    const { run, warnings } = reconciled([reset], [found], { endpoint: endpoints.referrals.create })
    await run()
    expect(warnings).toEqual([
      'pathology-sdk: the response to referrals.create was lost; the order was found',
    ])
  })
})

describe('an order whose response belongs to another order', () => {
  it('is looked up', async () => {
    const { run, lost } = reconciled([ok], [found], {
      endpoint: endpoints.referrals.create,
      input: { contradictionOf: () => 'it has another orderKey' },
    })
    await expect(run()).resolves.toMatchObject(found)
    expect(lost.map(({ toPublic }) => toPublic())).toMatchObject([
      { name: 'InvalidResponseError', reason: 'shape' },
    ])
  })
})

describe('a lost request that was not carried out', () => {
  it('is sent again, and its retry is paid from the budget', async () => {
    const { run, lost, budgetTaken, call } = reconciled([reset, ok], ['repeat'])
    await expect(run()).resolves.toMatchObject({ response: { attempts: 2 } })
    expect(lost).toMatchObject([{ attempts: 1, kind: 'ambiguous' }])
    expect(lost[0]?.toPublic()).toMatchObject({ name: 'ConnectionError' })
    expect(budgetTaken).toHaveBeenCalledExactlyOnceWith(5)
    expect(call).toMatchObject({ retries: 1, outcomeBefore: 'unknown', isRecovered: false })
  })

  it.each([0, 1, 2])('is sent again %i times at most', async (maxRetries) => {
    const { run, requests, lost } = reconciled([reset], ['repeat'], { request: { maxRetries } })
    expect(await rejection(run())).toMatchObject({ outcome: 'unknown', attempts: maxRetries + 1 })
    expect(requests).toHaveLength(maxRetries + 1)
    expect(lost).toHaveLength(maxRetries + 1)
  })

  it('other retries count too', async () => {
    const limited = response(429)
    const { run, requests } = reconciled([limited, reset, limited, ok], ['repeat'])
    expect(await rejection(run())).toMatchObject({ name: 'RateLimitError', attempts: 3 })
    expect(requests).toHaveLength(3)
  })

  it('a pause after a 429 that is then too long: the caller must check first', async () => {
    const turn = vi
      .fn()
      .mockReturnValueOnce(0)
      .mockRejectedValue(new TurnTooLate(30_000, 'GET /v1/webhooks', false))
    const { run } = reconciled([reset], ['repeat'], { pause: { isPacing: true, turn } })
    const error = await rejection(run())
    expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'unknown', retryable: false })
    expect(String(error)).toMatch(/; check whether it was carried out before you call again$/)
  })

  it('every lookup starts at the time of the first lost request, not at that of a rejected one', async () => {
    const sent = [response(429), reset, reset]
    const { run, lost, clock } = reconciled(sent, ['repeat', found], { tripMs: 1_000 })
    const start = clock.now()
    await run()
    expect(lost.map(({ startedAt }) => startedAt() - start)).toEqual([1_000, 1_000])
  })

  it('a call without a lookup needs no time of its requests', async () => {
    const { run, moment } = callWith([ok])
    await run()
    expect(moment).not.toHaveBeenCalled()
  })
})

describe('failures that need no lookup', () => {
  it('a final response is thrown', async () => {
    const { run, lost } = reconciled([response(400)], [found])
    expect(await rejection(run())).toMatchObject({ name: 'BadRequestError' })
    expect(lost).toHaveLength(0)
  })

  it("a ledger's error is thrown as it is, whatever its kind is", async () => {
    const thrown = Object.assign(new Error('of the ledger'), { kind: 'ambiguous' })
    const { guard } = watchedGuard({ beforeSending: () => Promise.reject(thrown) })
    const { run, lost } = reconciled([ok], [found], { input: { guard } })
    expect(await rejection(run())).toBe(thrown)
    expect(lost).toHaveLength(0)
  })
})
