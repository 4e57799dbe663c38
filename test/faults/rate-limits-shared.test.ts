import { expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, PROVIDER_NUMBER, page, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'
import { good, limited, REFERRAL, setUp, skip } from './rate-limit-world.js'

it('other calls wait as long as the service requested; then they are sent one after another, ever faster', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, limited('20')).on('GET /v1/webhooks', { json: page('webhooks', []) })
  const clock = new SkippingClock({ skip })
  const client = clientOf(service.origin, { clock, timeout: 100_000 })
  await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  await Promise.all(Array.from({ length: 5 }, () => client.webhooks.list().firstPage()))
  const [pause = 0, ...between] = clock.slept
  expect(pause).toBe(21_000)
  expect(between).toHaveLength(4)
  for (const [nth, wait] of between.entries()) expect(wait).toBeLessThanOrEqual(between[nth - 1] ?? 500)
})

it('a call whose time limit ends before the pause fails at once, and is not sent', async () => {
  const { client, clock, service } = await setUp([limited('30'), good])
  await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  const error = await rejection(client.referrals.retrieve(UUID, { timeout: 30_000 }))
  expect(error).toMatchObject({ name: 'RateLimitError', status: 429, retryAfter: 30_000, attempts: 0 })
  expect(error).toMatchObject({ outcome: 'not-sent', method: 'GET', path: '/v1/referrals/{uuid}' })
  expect(String(error)).toBe(
    'RateLimitError: GET /v1/referrals/{uuid}: after a 429 to GET /v1/referrals/{uuid}, this call can be sent in 30000 ms, later than its time limit; nothing was sent; call again after this time',
  )
  expect(service.calls).toHaveLength(1)
  expect(clock.slept).toEqual([])
  await client.referrals.retrieve(UUID)
  expect(clock.slept).toHaveLength(1)
  expect(service.calls).toHaveLength(2)
})

it('an order fails at once too: it was not placed, and nothing is looked up', async () => {
  const { client, service } = await setUp([limited('30')])
  await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  const error = await rejection(client.referrals.create(order(), { timeout: 30_000 }))
  expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'not-sent', attempts: 0 })
  expect(service.calls).toHaveLength(1)
})

it('a retry is not made when the pause is longer than the time limit; the outcome of the first attempt stays', async () => {
  const { client, service } = await setUp([limited('30')])
  service.on(`DELETE /v1/providers/${PROVIDER_NUMBER}`, async () => {
    await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
    return { status: 503 }
  })
  const error = await rejection(client.providers.retire(PROVIDER_NUMBER, { timeout: 30_000 }))
  expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'unknown', attempts: 1, retryable: true })
  expect(String(error)).toContain(
    'it is unknown whether the request was carried out; call again after this time',
  )
  expect(service.calls).toHaveLength(2)
})

it('a longer Retry-After during the pause makes the calls wait longer', async () => {
  const service = await ScriptedServer.start()
  service.on(REFERRAL, limited('10'), limited('20'), good)
  const clock = new SkippingClock({ skip: () => false })
  const client = clientOf(service.origin, { clock, maxRetries: 0, timeout: 100_000, random: () => 0 })
  await rejection(client.referrals.retrieve(UUID))
  const first = rejection(client.referrals.retrieve(UUID))
  await new Promise((resolve) => setImmediate(resolve))
  const second = client.referrals.retrieve(UUID)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(10_000)
  expect(await first).toMatchObject({ name: 'RateLimitError', attempts: 1 })
  clock.advance(1_000)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(service.calls).toHaveLength(2)
  clock.advance(19_000)
  await expect(second).resolves.toMatchObject({ uuid: expect.any(String) })
})

it('the rate-limit pause lasts a minute at most, even if one response requests more (§8)', async () => {
  const { client, clock, service } = await setUp([limited('99999999999'), good], { random: () => 0 })
  await rejection(client.referrals.retrieve(UUID))
  await client.referrals.retrieve(UUID)
  expect(clock.slept).toEqual([60_000])
  expect(service.calls).toHaveLength(2)
})

it('a 429 without Retry-After starts a short pause, for all calls', async () => {
  const { client, clock, service } = await setUp([limited()], { maxRetries: 0 })
  service.on('GET /v1/webhooks', { json: page('webhooks', []) })
  await rejection(client.referrals.retrieve(UUID))
  await client.webhooks.list().firstPage()
  expect(clock.slept).toEqual([750])
})

it('a call whose time limit ends during the pause gets a RateLimitError: nothing was sent', async () => {
  const { client, clock, service } = await setUp([limited()], { maxRetries: 0 })
  await rejection(client.referrals.retrieve(UUID))
  service.on('GET /v1/webhooks', { hang: 'before' })
  const first = client.webhooks.list().firstPage()
  await expect.poll(() => service.count('GET /v1/webhooks')).toBe(1)
  const second = rejection(client.referrals.retrieve(UUID, { timeout: 10 }))
  clock.advance(10)
  expect(await second).toMatchObject({
    name: 'RateLimitError',
    outcome: 'not-sent',
    attempts: 0,
    retryAfter: expect.any(Number),
  })
  await service.close()
  await rejection(first)
})

it('a 429 without Retry-After does not end an earlier, longer pause', async () => {
  const { client, clock, service } = await setUp([limited('10'), good], { maxRetries: 0, random: () => 0 })
  service.on('GET /v1/webhooks', async () => {
    await rejection(client.referrals.retrieve(UUID))
    return limited()
  })
  await rejection(client.webhooks.list().firstPage())
  await client.referrals.retrieve(UUID)
  expect(clock.slept).toEqual([10_000])
})
