import { describe, expect, it } from 'vitest'
import { parseRetryAfter, pauseMs } from '../../src/client/core/retry-policy.js'
import { LONGEST_TIMER_MS } from '../../src/common/clock.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, PROVIDER_NUMBER, referral, UUID } from '../support/samples.js'
import { type Script, ScriptedServer, token } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'
import { good, limited, NOW, REFERRAL, setUp, skip } from './rate-limit-world.js'

describe('accepted forms of Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['007', 7_000],
    ['99999999999', LONGEST_TIMER_MS],
    ['Mon, 02 Mar 2026 01:02:23 GMT', 20_000],
    ['Mon, 02 Mar 2026 01:02:00 GMT', 0],
    ['-5', undefined],
    ['+5', undefined],
    ['1e9', undefined],
    ['1.5', undefined],
    ['0x10', undefined],
    ['soon', undefined],
    ['', undefined],
    ['2026-03-02', undefined],
    ['Mon, 99 Foo 2026 01:02:33 GMT', undefined],
    ['5, 6', undefined],
  ])('%j is %j milliseconds', (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected)
  })

  it('a list of headers and a missing one are ignored', () => {
    expect(parseRetryAfter(['1', '2'], NOW)).toBeUndefined()
    expect(parseRetryAfter(undefined, NOW)).toBeUndefined()
  })

  it('the pause is the Retry-After plus up to a tenth, never less', async () => {
    for (const random of [0, 0.5, 0.999]) {
      const { client, clock } = await setUp([limited('10'), good], { random: () => random })
      await client.referrals.retrieve(UUID)
      const waited = clock.slept.reduce((sum, ms) => sum + ms, 0)
      expect(waited).toBeGreaterThanOrEqual(10_000)
      expect(waited).toBeLessThanOrEqual(11_000)
    }
  })

  it("an HTTP date is compared with the service's clock, not the local one", async () => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, limited('Mon, 02 Mar 2026 01:02:23 GMT'), good)
    const clock = new SkippingClock({ skip, now: NOW + 86_400_000 })
    await clientOf(service.origin, { clock, random: () => 0, timeout: 100_000 }).referrals.retrieve(UUID)
    expect(clock.slept).toEqual([20_000])
  })

  it.each(['soon', undefined])('a Retry-After of %j is a pause of 0.6 to 0.9 s (§8)', async (value) => {
    for (const random of [0, 0.5, 0.999]) {
      const { client, clock } = await setUp([limited(value), good], { random: () => random })
      await client.referrals.retrieve(UUID)
      expect(clock.slept).toEqual([600 * (1 + random / 2)])
    }
  })

  it('0: as without a Retry-After, and twice as long after each further 429', async () => {
    const { client, clock } = await setUp([limited('0'), limited('0'), limited('0'), good], { maxRetries: 3 })
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([750, 1_500, 3_000])
  })

  it('503 with Retry-After: the client waits too', async () => {
    const { client, clock } = await setUp([limited('3', 503), good], { random: () => 0 })
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([3_000])
  })

  it('the client waits for a minute', async () => {
    const { client, clock } = await setUp([limited('60'), good], { random: () => 0 })
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([60_000])
  })

  it.each([
    ['61', 429, 'RateLimitError'],
    ['3600', 429, 'RateLimitError'],
    ['3600', 503, 'ServerError'],
  ])(
    'for more than a minute, %s s, it does not wait: the call fails at once (%i)',
    async (asked, status, name) => {
      const { client, clock, service } = await setUp([limited(asked, status)], { timeout: 4_000_000 })
      expect(await rejection(client.referrals.retrieve(UUID))).toMatchObject({ name, attempts: 1 })
      expect(clock.slept).toEqual([])
      expect(service.calls).toHaveLength(1)
    },
  )

  it('an order does not wait either, although its time limit is two minutes', async () => {
    const { client, clock, service } = await setUp([], { timeout: undefined })
    service.on('POST /v1/referrals', limited('90'))
    const error = await rejection(client.referrals.create(order()))
    expect(error).toMatchObject({
      name: 'RateLimitError',
      retryAfter: 90_000,
      outcome: 'refused',
      attempts: 1,
    })
    expect(clock.slept).toEqual([])
    expect(service.calls).toHaveLength(1)
  })
})

describe("a Retry-After beyond the call's time limit", () => {
  it.each([
    ['31', 31_000],
    ['3600', 3_600_000],
    ['99999999999', LONGEST_TIMER_MS],
  ])('Retry-After %s within 30 s: fails at once, with retryAfter %s', async (value, retryAfter) => {
    const { client, service } = await setUp([limited(value)], { timeout: 30_000 })
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfter, attempts: 1 })
    expect(error).toMatchObject({ outcome: 'refused', code: 'RATE_LIMITED' })
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ retryAfter })
    expect(service.calls).toHaveLength(1)
  })
})

describe('backoff: full jitter, from a quarter of a second up to eight seconds', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1_000],
    [6, 8_000],
    [7, 8_000],
    [60, 8_000],
  ])('retry %i: pauses are spread over the range below %i ms', (retry, bound) => {
    expect(pauseMs(retry, 0, undefined)).toBe(0)
    expect(pauseMs(retry, 0.5, undefined)).toBe(bound / 2)
    expect(pauseMs(retry, 0.999_999, undefined)).toBeLessThan(bound)
  })

  it('over HTTP: two retries, and their pauses', async () => {
    const { client, clock } = await setUp([{ status: 503 }, { status: 503 }, good])
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([125, 250])
  })
})

describe('the retry budget', () => {
  it.each([
    ['500', 100, { status: 500 }],
    ['503', 100, { status: 503 }],
    ['504', 50, { status: 504 }],
    ['a reset', 100, { reset: 'before' }],
  ] as const)('200 workers, every response %s: %i retries', async (_, retries, reply) => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, reply)
    const client = clientOf(service.origin, { maxRetries: 5 })
    const calls = Array.from({ length: 200 }, () => rejection(client.referrals.retrieve(UUID)))
    await Promise.all(calls)
    expect(service.calls).toHaveLength(200 + retries)
  })

  it('200 workers, every response 429: at most 100 retries', async () => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, limited('1'))
    const client = clientOf(service.origin, { maxRetries: 5 })
    await Promise.all(Array.from({ length: 200 }, () => rejection(client.referrals.retrieve(UUID))))
    expect(service.calls.length).toBeLessThanOrEqual(300)
  })

  it.each([
    ['503', { status: 503 }],
    ['429', limited('1')],
  ] as const)('one worker after another, every response %s: at most 100 retries', async (_, reply) => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, reply)
    const client = clientOf(service.origin)
    for (let nth = 0; nth < 200; nth += 1) await rejection(client.referrals.retrieve(UUID))
    expect(service.calls.length).toBeLessThanOrEqual(300)
  })

  it('writes and lists take from the same budget', async () => {
    const service = await ScriptedServer.start()
    const client = clientOf(service.origin)
    service
      .on('GET /v1/webhooks', { status: 503 })
      .on(`DELETE /v1/providers/${PROVIDER_NUMBER}`, { status: 503 })
    for (let nth = 0; nth < 50; nth += 1) {
      await rejection(client.webhooks.list().firstPage())
      await rejection(client.providers.retire(PROVIDER_NUMBER))
    }
    expect(service.calls).toHaveLength(200)
  })

  it('a tenth of the successful calls: 50 successes allow 5 retries', async () => {
    const service = await ScriptedServer.start()
    const client = clientOf(service.origin)
    service.on('GET /v1/webhooks', { status: 503 }).on(REFERRAL, good)
    const fail = () => rejection(client.webhooks.list().firstPage())
    for (let nth = 0; nth < 100; nth += 1) await fail()
    const before = service.count('GET /v1/webhooks')
    for (let nth = 0; nth < 50; nth += 1) await client.referrals.retrieve(UUID)
    for (let nth = 0; nth < 10; nth += 1) await fail()
    expect(before).toBe(200)
    expect(service.count('GET /v1/webhooks') - before).toBe(15)
  })

  it('retries of token requests take from it, and a token that arrives returns them', async () => {
    const service = await ScriptedServer.start()
    service.on('POST /oauth/token', { status: 503 }).on(REFERRAL, { status: 401 })
    const client = clientOf(service.origin)
    for (let nth = 0; nth < 120; nth += 1) await rejection(client.referrals.retrieve(UUID))
    expect(service.tokenRequests).toHaveLength(220)
    service.on('POST /oauth/token', token).on(REFERRAL, { status: 503 })
    await rejection(client.referrals.retrieve(UUID))
    expect(service.calls).toHaveLength(1)
  })

  it('token requests that succeed at their second attempt leave the budget full', async () => {
    const service = await ScriptedServer.start()
    const flaky: Script = (seen, nth) => (nth % 2 === 1 ? { status: 503 } : token(seen, nth))
    service.on('POST /oauth/token', flaky)
    const unauthorised: Script = (_, nth) => (nth % 2 === 1 ? { status: 401 } : { json: referral() })
    service.on(REFERRAL, unauthorised)
    const client = clientOf(service.origin)
    for (let nth = 0; nth < 120; nth += 1) await client.referrals.retrieve(UUID)
    expect(service.count('POST /oauth/token')).toBeGreaterThan(200)
  })

  it('a connection pool is reset: 100 reads in flight are reset once, and all succeed', async () => {
    const service = await ScriptedServer.start()
    let reset = (): void => undefined
    const after = new Promise<void>((resolve) => {
      reset = resolve
    })
    service.on(REFERRAL, (_, nth) => {
      if (nth === 100) reset()
      return nth > 100 ? { json: referral() } : { reset: 'before', after }
    })
    const client = clientOf(service.origin, { clock: undefined, random: undefined })
    const reads = Array.from({ length: 100 }, () => client.referrals.retrieve(UUID))
    const ended = await Promise.allSettled(reads)
    expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(service.calls).toHaveLength(200)
  })
})
