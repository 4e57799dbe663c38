import { describe, expect, it } from 'vitest'
import { LONGEST_TIMER_MS } from '../../src/common/clock.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, referral, UUID } from '../support/samples.js'
import { type Script, ScriptedServer, token } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'
import { good, limited, NOW, REFERRAL, setUp, skip } from './rate-limit-world.js'

describe('Retry-After', () => {
  it('the pause after a 429 is its Retry-After plus up to a tenth, never less (§8)', async () => {
    for (const random of [0, 0.5, 0.999]) {
      const { client, clock } = await setUp([limited('10'), good], { random: () => random })
      await client.referrals.retrieve(UUID)
      const waited = clock.slept.reduce((sum, ms) => sum + ms, 0)
      expect(waited).toBeGreaterThanOrEqual(10_000)
      expect(waited).toBeLessThanOrEqual(11_000)
    }
  })

  it("a Retry-After that is an HTTP date is compared with the service's clock, not the local one (§8)", async () => {
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

  it('a Retry-After of 0 is as none: the pause is twice as long after each further 429 (§8)', async () => {
    const { client, clock } = await setUp([limited('0'), limited('0'), limited('0'), good], { maxRetries: 3 })
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([750, 1_500, 3_000])
  })

  it('a 503 with a Retry-After makes the client wait too (§8)', async () => {
    const { client, clock } = await setUp([limited('3', 503), good], { random: () => 0 })
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([3_000])
  })

  it.each([
    ['61', 429, 'RateLimitError'],
    ['3600', 429, 'RateLimitError'],
    ['3600', 503, 'ServerError'],
  ])(
    'a call does not wait for a Retry-After of %s s, more than a minute: it fails at once, after a %i (§8)',
    async (asked, status, name) => {
      const { client, clock, service } = await setUp([limited(asked, status)], { timeout: 4_000_000 })
      expect(await rejection(client.referrals.retrieve(UUID))).toMatchObject({ name, attempts: 1 })
      expect(clock.slept).toEqual([])
      expect(service.calls).toHaveLength(1)
    },
  )

  it('a call that waits for a connection is not sent after a 429 to the call before it (§8)', async () => {
    const { client, service } = await setUp([good, good, limited('200'), good], {
      maxSockets: 1,
      timeout: 30_000,
    })
    await client.referrals.retrieve(UUID)
    const calls = Array.from({ length: 3 }, () => client.referrals.retrieve(UUID))
    const [, second, third] = await Promise.allSettled(calls)
    expect(second).toMatchObject({ reason: { name: 'RateLimitError', outcome: 'refused' } })
    expect(third).toMatchObject({ reason: { name: 'RateLimitError', outcome: 'not-sent' } })
    expect(service.count(REFERRAL)).toBe(3)
  })

  it('an order does not wait for a Retry-After of more than a minute, although its time limit is two (§8)', async () => {
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

  it.each([
    ['31', 31_000],
    ['3600', 3_600_000],
    ['99999999999', LONGEST_TIMER_MS],
  ])(
    'a call of 30 s does not wait for a Retry-After of %s s: it fails at once, with retryAfter %s (§8)',
    async (value, retryAfter) => {
      const { client, service } = await setUp([limited(value)], { timeout: 30_000 })
      const error = await rejection(client.referrals.retrieve(UUID))
      expect(error).toMatchObject({ name: 'RateLimitError', retryAfter, attempts: 1 })
      expect(error).toMatchObject({ outcome: 'refused', code: 'RATE_LIMITED' })
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ retryAfter })
      expect(service.calls).toHaveLength(1)
    },
  )
})

describe('the retry budget', () => {
  it.each([
    ['503', 100, { status: 503 }],
    ['504', 50, { status: 504 }],
  ] as const)('200 calls at once that all get %s make %i retries (§8)', async (_, retries, reply) => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, reply)
    const client = clientOf(service.origin, { maxRetries: 5 })
    const calls = Array.from({ length: 200 }, () => rejection(client.referrals.retrieve(UUID)))
    await Promise.all(calls)
    expect(service.calls).toHaveLength(200 + retries)
  })

  it('200 calls at once that all get 429 make at most 100 retries (§8)', async () => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, limited('1'))
    const client = clientOf(service.origin, { maxRetries: 5 })
    await Promise.all(Array.from({ length: 200 }, () => rejection(client.referrals.retrieve(UUID))))
    expect(service.calls.length).toBeLessThanOrEqual(300)
  })

  it('retries of token requests take from the retry budget, and a token that arrives returns them', async () => {
    const service = await ScriptedServer.start()
    service.on('POST /oauth/token', { status: 503 }).on(REFERRAL, { status: 401 })
    const client = clientOf(service.origin)
    for (let nth = 0; nth < 120; nth += 1) await rejection(client.referrals.retrieve(UUID))
    expect(service.tokenRequests).toHaveLength(220)
    service.on('POST /oauth/token', token).on(REFERRAL, { status: 503 })
    await rejection(client.referrals.retrieve(UUID))
    expect(service.calls).toHaveLength(1)
  })

  it('token requests that succeed at their second attempt leave the retry budget full', async () => {
    const service = await ScriptedServer.start()
    const flaky: Script = (seen, nth) => (nth % 2 === 1 ? { status: 503 } : token(seen, nth))
    service.on('POST /oauth/token', flaky)
    const unauthorised: Script = (_, nth) => (nth % 2 === 1 ? { status: 401 } : { json: referral() })
    service.on(REFERRAL, unauthorised)
    const client = clientOf(service.origin)
    for (let nth = 0; nth < 101; nth += 1) await client.referrals.retrieve(UUID)
    expect(service.count('POST /oauth/token')).toBeGreaterThan(200)
  })

  it('100 reads whose connections are reset at once all succeed at their second attempt', async () => {
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
