import { expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, PROVIDER_NUMBER, page, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { SkippingClock } from '../support/skipping-clock.js'
import { good, limited, REFERRAL, setUp, skip } from './rate-limit-world.js'

it('after a 429, other calls wait as long as the service requested; then they are sent one after another, ever faster', async () => {
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

it('a call whose time limit ends before the pause after a 429 fails at once, and is not sent', async () => {
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

it('an order whose time limit ends before the pause after a 429 was not placed, and nothing is looked up', async () => {
  const { client, service } = await setUp([limited('30')])
  await rejection(client.referrals.retrieve(UUID, { maxRetries: 0 }))
  const error = await rejection(client.referrals.create(order(), { timeout: 30_000 }))
  expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'not-sent', attempts: 0 })
  expect(service.calls).toHaveLength(1)
})

it('a retry is not made when the pause after a 429 is longer than the time limit; the outcome of the first attempt stays', async () => {
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

it('a call whose time limit ends during the pause after a 429 gets a RateLimitError: nothing was sent', async () => {
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

it.each([
  ['a Retry-After of a second', '1', 1_000],
  ['no Retry-After', undefined, 6_000],
])(
  'calls fail at once after three pauses in a row, each for %s, and nothing of them is sent (§8)',
  async (_, asked, retryAfter) => {
    const { client, service } = await setUp([limited(asked)])
    const first = await Promise.all(
      Array.from({ length: 20 }, () => rejection(client.referrals.retrieve(UUID))),
    )
    expect(service.count(REFERRAL)).toBe(23)
    for (const error of first) expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'refused' })
    const next = await rejection(client.referrals.retrieve(UUID))
    expect(next).toMatchObject({ name: 'RateLimitError', outcome: 'not-sent', attempts: 0, retryAfter })
    expect(String(next)).toBe(
      `RateLimitError: GET /v1/referrals/{uuid}: the service responded with 429 to GET /v1/referrals/{uuid} after several pauses, and a call can be sent in ${retryAfter} ms; nothing was sent; call again after this time`,
    )
    expect(await rejection(client.referrals.create(order()))).toMatchObject({
      name: 'RateLimitError',
      outcome: 'not-sent',
    })
    expect(service.count(REFERRAL)).toBe(23)
    expect(service.count('POST /v1/referrals')).toBe(0)
  },
)
