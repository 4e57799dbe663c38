import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, PROVIDER_NUMBER, page, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'
import { good, limited, REFERRAL, setUp, skip } from './rate-limit-world.js'

describe('the shared cool-down after 429 (§8, fault matrix row 25)', () => {
  it('other calls wait as long as the service asked, and a little more, not all at the same instant', async () => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, limited('20')).on('GET /v1/webhooks', { json: page('webhooks', []) })
    const clock = new SkippingClock({ skip })
    const numbers = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    const random = () => numbers.shift() ?? 0
    const client = clientOf(service.origin, { clock, timeout: 100_000, random })
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    const before = clock.slept.length
    await Promise.all(Array.from({ length: 5 }, () => client.webhooks.list().firstPage()))
    const waits = clock.slept.slice(before)
    expect(waits.length).toBeGreaterThan(0)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(20_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(22_000)
    expect(new Set(waits).size).toBeGreaterThan(1)
  })

  it('a call that ends sooner fails at once, and is not sent', async () => {
    const { client, clock, service } = await setUp([limited('30'), good])
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    const error = await rejection(client.referrals.retrieve(UUID, { timeout: 30_000 }))
    expect(error).toMatchObject({ name: 'RateLimitError', status: 429, retryAfter: 30_000, attempts: 0 })
    expect(error).toMatchObject({ outcome: 'not-sent', method: 'GET', path: '/v1/referrals/{uuid}' })
    expect(String(error)).toBe(
      'RateLimitError: GET /v1/referrals/{uuid}: the pause after a 429 lasts 30000 ms more, longer than the call; nothing was sent',
    )
    expect(service.calls).toHaveLength(1)
    expect(clock.slept).toEqual([])
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toHaveLength(1)
    expect(service.calls).toHaveLength(2)
  })

  it('an order too: it was not placed, and nothing is looked for', async () => {
    const { client, service } = await setUp([limited('30')])
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    const error = await rejection(client.referrals.create(order(), { timeout: 30_000 }))
    expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'not-sent', attempts: 0 })
    expect(service.calls).toHaveLength(1)
  })

  it('a retry that it outlasts is not made; what the first try may have done stays known', async () => {
    const { client, service } = await setUp([limited('30')])
    service.on(`DELETE /v1/providers/${PROVIDER_NUMBER}`, async () => {
      await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
      return { status: 503 }
    })
    const error = await rejection(client.providers.retire(PROVIDER_NUMBER, { timeout: 30_000 }))
    expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'unknown', attempts: 1 })
    expect(service.calls).toHaveLength(2)
  })

  it('asked for more while they wait, calls wait for that too', async () => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, limited('10'), limited('20'), good)
    const clock = new SkippingClock({ skip: () => false })
    let drawn = 0
    const client = clientOf(service.origin, { clock, maxRetries: 0, timeout: 100_000, random: () => drawn })
    await rejection(client.referrals.retrieve(UUID))
    const first = rejection(client.referrals.retrieve(UUID))
    await new Promise((resolve) => setImmediate(resolve))
    drawn = 0.9
    const second = client.referrals.retrieve(UUID)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(10_000)
    expect(await first).toMatchObject({ name: 'RateLimitError', attempts: 1 })
    clock.advance(1_000)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(service.calls).toHaveLength(2)
    clock.advance(22_000)
    await expect(second).resolves.toMatchObject({ uuid: expect.any(String) })
  })

  it('lasts for a minute, whatever one answer says', async () => {
    const { client, clock, service } = await setUp([limited('99999999999'), good], { random: () => 0 })
    await rejection(client.referrals.retrieve(UUID))
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([60_000])
    expect(service.calls).toHaveLength(2)
  })

  it('is as long as was asked and the drawn part of a tenth', async () => {
    const { client, clock } = await setUp([limited('20'), good], { random: () => 0.5 })
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([21_000])
  })

  it.each([0.25, 0.9])('without that part where the call would end over it (%d of it)', async (drawn) => {
    const service = await ScriptedServer.start()
    service.on(REFERRAL, limited('20'), good)
    const clock = new SkippingClock({ skip: () => false })
    const client = clientOf(service.origin, { clock, maxRetries: 0, random: () => drawn })
    await rejection(client.referrals.retrieve(UUID))
    const call = client.referrals.retrieve(UUID, { timeout: 20_500 })
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(20_000)
    await expect.poll(() => service.calls.length).toBe(2)
    await expect(call).resolves.toMatchObject({ uuid: expect.any(String) })
  })

  it('a 429 without Retry-After starts none', async () => {
    const { client, clock } = await setUp([limited(), good])
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([])
  })

  it('nor does it end one that another answer began', async () => {
    const { client, clock, service } = await setUp([limited('10'), good], { maxRetries: 0, random: () => 0 })
    service.on('GET /v1/webhooks', async () => {
      await rejection(client.referrals.retrieve(UUID))
      return limited()
    })
    await rejection(client.webhooks.list().firstPage())
    await client.referrals.retrieve(UUID)
    expect(clock.slept).toEqual([10_000])
  })
})
