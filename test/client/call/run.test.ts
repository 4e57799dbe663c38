import { describe, expect, it } from 'vitest'
import { CallEnded } from '../../../src/client/core/deadline.js'
import { HeldBack, TransportFailure } from '../../../src/client/transport/transport.js'
import { endpoints } from '../../../src/contract/endpoints.js'
import { rejection } from '../../support/clients.js'
import { callWith, ok, response, type Sent, watchedGuard } from './run-world.js'

const notSent = new TransportFailure({ sent: false, reason: 'refused' })
const reset = new TransportFailure({ sent: true, reason: 'reset' })
const ended = new CallEnded({ kind: 'timeout' })

const tokensOf = (requests: readonly { readonly headers: string[] }[]): (string | undefined)[] =>
  requests.map(({ headers }) => headers[1]?.replace('Bearer ', ''))

describe('the guard of an order', () => {
  it.each<readonly [string, readonly Sent[], readonly string[]]>([
    ['a response', [ok], ['before']],
    ['401 and a response', [response(401), ok], ['before', 'rejected', 'before']],
    ['401 twice', [response(401)], ['before', 'rejected', 'before', 'rejected']],
    ['429 and a response', [response(429), ok], ['before', 'rejected', 'before']],
    ['a refused connection and a response', [notSent, ok], ['before', 'not sent', 'before']],
    ['a request that was held back', [new HeldBack(), ok], ['before', 'not sent', 'before']],
    ['the end of the call before it was sent', [ended], ['before', 'not sent']],
    ['a reset connection', [reset], ['before']],
    ['500', [response(500)], ['before']],
    ['400', [response(400)], ['before']],
    ['an error of the dispatcher', [new Error('of the dispatcher')], ['before']],
  ])(
    '%s: is asked before each sending, and each one without an effect is reported to it',
    async (_, sent, expected) => {
      const { guard, seen } = watchedGuard()
      const { run, call } = callWith(sent, { endpoint: endpoints.referrals.create, input: { guard } })
      await run().catch(() => undefined)
      expect(seen).toEqual(expected)
      expect(call.sends).toBe(
        seen.filter((each) => each === 'before').length - (sent[0] instanceof HeldBack ? 1 : 0),
      )
    },
  )

  it('prevents the sending when it rejects', async () => {
    const thrown = new Error('of the ledger')
    const { guard } = watchedGuard({ beforeSending: () => Promise.reject(thrown) })
    const { run, requests } = callWith([ok], { input: { guard } })
    expect(await rejection(run())).toBe(thrown)
    expect(requests).toHaveLength(0)
  })

  it.each([true, false])('is asked when the first byte leaves: stale is %s', async (isStale) => {
    const { guard } = watchedGuard({ isStale: () => isStale })
    const { run, requests } = callWith([ok], { input: { guard } })
    await run()
    expect(requests[0]?.isStale?.()).toBe(isStale)
  })

  it('a request without a guard is never stale', async () => {
    const { run, requests } = callWith([ok])
    await run()
    expect(requests[0]?.isStale).toBeUndefined()
  })
})

describe('the request that the transport gets', () => {
  it.each([true, false])('is held back when its turn is over: %s', async (isOver) => {
    const { run, requests } = callWith([ok], { pause: { isExpired: () => isOver } })
    await run()
    expect(requests[0]?.isHeldBack?.()).toBe(isOver)
  })

  it.each([
    ['an order', endpoints.referrals.create, true],
    ['a read', endpoints.referrals.retrieve, false],
    ['a write that may be repeated', endpoints.providers.save, false],
  ])('%s: a dispatcher must not repeat it', async (_, endpoint, isSentOnce) => {
    const { run, requests } = callWith([ok], { endpoint })
    await run()
    expect(requests[0]).toMatchObject({ isSentOnce, method: endpoint.method })
  })
})

describe('the response of a call', () => {
  const ID = '5b0c1f0e-3a53-4f43-9d0c-0f6f1d0b7a11'

  it('is a success from 200 to 299', async () => {
    for (const status of [200, 299])
      await expect(callWith([response(status)]).run()).resolves.toMatchObject({ response: { status } })
    for (const status of [199, 300])
      expect(await rejection(callWith([response(status)]).run())).toMatchObject({ status })
  })

  it('sets the server clock by its Date header', async () => {
    const { run, context } = callWith([response(200, {}, { date: 'Mon, 02 Mar 2026 01:02:03 GMT' })])
    await run()
    expect(new Date(context.serverClock.now()).toISOString()).toBe('2026-03-02T01:02:03.000Z')
  })

  it.each([
    [ID, ID],
    ['Alex Example', undefined],
  ])('request ID %j is returned if it has the shape of an ID', async (given, requestId) => {
    const { run } = callWith([response(200, {}, { 'x-request-id': given })])
    expect((await run()).response.requestId).toBe(requestId)
  })
})

describe('the pauses of a call', () => {
  it('grow with each retry, and the retries are paid from the budget', async () => {
    const { run, clock, budgetTaken } = callWith([response(503), response(504), ok])
    await expect(run()).resolves.toMatchObject({ response: { attempts: 3 } })
    expect(clock.slept).toEqual([125, 250])
    expect(budgetTaken).toHaveBeenCalledExactlyOnceWith(15)
  })

  it.each([
    [125, 1],
    [126, 2],
  ])(
    'the first pause is 125 ms: with a time limit of %i ms the request is sent %i times',
    async (timeoutMs, sends) => {
      const { run, requests } = callWith([response(503)], { timeoutMs, request: { maxRetries: 1 } })
      await rejection(run())
      expect(requests).toHaveLength(sends)
    },
  )

  it('after a 429 without Retry-After the call only waits for its turn', async () => {
    const { run, clock } = callWith([response(429), ok], { timeoutMs: 50 })
    await expect(run()).resolves.toMatchObject({ response: { attempts: 2 } })
    expect(clock.slept).toEqual([])
  })
})

describe('the record of responses in the rate-limit pause', () => {
  it.each([
    [200, 1, 0],
    [404, 1, 0],
    [503, 1, 0],
    [429, 0, 1],
  ])('a %i is an acceptance %i times and a rejection %i times', async (status, acceptances, refusals) => {
    const { run, acceptance, refusal } = callWith([response(status)], {
      request: { maxRetries: 0 },
      pause: { isPacing: true },
    })
    await run().catch(() => undefined)
    expect(acceptance).toHaveBeenCalledTimes(acceptances)
    expect(refusal).toHaveBeenCalledTimes(refusals)
  })

  it('nothing is recorded as accepted while calls are not paced', async () => {
    const { run, acceptance } = callWith([ok])
    await run()
    expect(acceptance).not.toHaveBeenCalled()
  })
})

describe('a 429', () => {
  it.each([
    ['a read', endpoints.referrals.retrieve],
    ['an order', endpoints.referrals.create],
  ])('counts as a retry of %s', async (_, endpoint) => {
    const { run, call } = callWith([response(429)], { endpoint })
    expect(await rejection(run())).toMatchObject({ name: 'RateLimitError', attempts: 3 })
    expect(call).toMatchObject({ retries: 2, outcomeBefore: 'refused' })
  })

  it('is final without retries, and shows the rest of the pause', async () => {
    const { run } = callWith([response(429)], { request: { maxRetries: 0 }, pause: { pauseMs: 749.5 } })
    expect(await rejection(run())).toMatchObject({ name: 'RateLimitError', attempts: 1, retryAfter: 750 })
  })

  it('is final when the pause is longer than the time limit', async () => {
    const { run } = callWith([response(429)], { timeoutMs: 700, pause: { pauseMs: 750 } })
    expect(await rejection(run())).toMatchObject({ name: 'RateLimitError', attempts: 1, retryAfter: 750 })
  })
})

describe('a 401', () => {
  it('is replayed once with a new token', async () => {
    const { run, requests, invalidate } = callWith([response(401)])
    expect(await rejection(run())).toMatchObject({ name: 'AuthenticationError', attempts: 2 })
    expect(tokensOf(requests)).toEqual(['token-0', 'token-1'])
    expect(invalidate.mock.calls).toEqual([['token-0']])
  })

  it('is replayed twice when the new token came from another process', async () => {
    const { run, requests, invalidate } = callWith([response(401)], {
      tokens: { isOfOtherProcess: () => true },
    })
    expect(await rejection(run())).toMatchObject({ name: 'AuthenticationError', attempts: 3 })
    expect(tokensOf(requests)).toEqual(['token-0', 'token-1', 'token-2'])
    expect(invalidate.mock.calls).toEqual([['token-0'], ['token-1']])
  })

  it('the new token of another process is accepted: the request is sent twice', async () => {
    const { run, requests } = callWith([response(401), ok], { tokens: { isOfOtherProcess: () => true } })
    await expect(run()).resolves.toMatchObject({ response: { attempts: 2 } })
    expect(tokensOf(requests)).toEqual(['token-0', 'token-1'])
  })
})

describe('a response that contradicts the request', () => {
  it('is not usable, and not retried', async () => {
    const { run } = callWith([ok], { input: { contradictionOf: () => 'it has another uuid' } })
    expect(await rejection(run())).toMatchObject({
      name: 'InvalidResponseError',
      reason: 'shape',
      status: 200,
      attempts: 1,
      message: expect.stringContaining('it has another uuid'),
    })
  })

  it('is returned when it does not contradict it', async () => {
    const { run } = callWith([ok], { input: { contradictionOf: () => undefined } })
    await expect(run()).resolves.toMatchObject({ data: { uuid: 'r-1' } })
  })
})
