import { expect, it } from 'vitest'
import { rejection } from '../support/clients.js'
import { order, page, UUID } from '../support/samples.js'
import { limited, REFERRAL, setUp } from './rate-limit-world.js'

const LIST = 'GET /v1/webhooks'
const PLACE = 'POST /v1/referrals'

it.each([
  ['a Retry-After of a second', '1', 1_000],
  ['no Retry-After', undefined, 6_000],
])(
  'calls fail at once after three pauses, with %s, and nothing of them is sent (§8)',
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
    expect(service.count(PLACE)).toBe(0)
  },
)

it('after the pauses of a service that responds with 429, one call is sent, and when it is accepted, all are sent again (§8)', async () => {
  const { client, clock, service } = await setUp([limited('1')], { maxRetries: 0 })
  service.on(LIST, { json: page('webhooks', []) })
  for (let nth = 0; nth < 4; nth += 1) await rejection(client.referrals.retrieve(UUID))
  expect(await rejection(client.webhooks.list().firstPage())).toMatchObject({ outcome: 'not-sent' })
  clock.advance(2_000)
  await expect(client.webhooks.list().firstPage()).resolves.toBeDefined()
  await expect(client.webhooks.list().firstPage()).resolves.toBeDefined()
  expect(service.count(LIST)).toBe(2)
})

it('an order is sent three times at most, and its error says that it was not placed', async () => {
  const { client, service } = await setUp([])
  service.on(PLACE, limited())
  const error = await rejection(client.referrals.create(order()))
  expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'refused', attempts: 3 })
  expect(service.count(PLACE)).toBe(3)
})
