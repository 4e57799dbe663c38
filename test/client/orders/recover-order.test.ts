import { describe, expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { medicareOrder } from '../../support/samples.js'
import { POST, setUp } from './order-world.js'

describe('§4.1 an order of which a lookup found one of two referrals', () => {
  it('is unknown with this candidate, also when the later lookups fail', async () => {
    const { server, book, client } = await setUp([{ status: 502, text: '' }])
    server.on('GET /v1/referrals', (_, nth) =>
      nth === 1 ? { json: { referrals: [book.referrals[0]] } } : { status: 503, text: '' },
    )
    const error = await rejection(client.referrals.create(medicareOrder()))
    expect(error).toMatchObject({
      ...{ name: 'OrderOutcomeUnknownError', candidates: [book.referrals[0]?.uuid] },
      cause: { name: 'ServerError' },
    })
  })
})

describe('§4.1 an order of an earlier run that the list shows only once', () => {
  const key = { pathologySdkOrderKey: 'key-1' }

  it.each([
    ['one of two referrals', key],
    ['a referral without metadata', undefined],
  ])('%s: the order is not sent', async (_, metadata) => {
    const { server, book, client } = await setUp()
    const [shown] = book.place(medicareOrder({ metadata: key }))
    server.on('GET /v1/referrals', (_request, nth) => ({
      json: { referrals: nth === 1 ? [{ ...shown, metadata }] : [] },
    }))
    const create = client.referrals.create(medicareOrder(), { orderKey: 'key-1', lookupTimeout: 1_500 })
    expect(await rejection(create)).toMatchObject({
      ...{ name: 'OrderOutcomeUnknownError', attempts: 0, candidates: [shown?.uuid] },
    })
    expect(server.count(POST)).toBe(0)
  })

  it('a referral without metadata that later shows another key does not prevent the order', async () => {
    const { server, book, client } = await setUp()
    const [shown] = book.place(medicareOrder({ metadata: { pathologySdkOrderKey: 'other' } }))
    server.on('GET /v1/referrals', (request, nth) =>
      nth === 1 ? { json: { referrals: [{ ...shown, metadata: undefined }] } } : book.listScript(request),
    )
    const placed = await client.referrals.create(medicareOrder(), { orderKey: 'key-1', lookupTimeout: 1_500 })
    expect(placed).toMatchObject({ recovered: false, orderKey: 'key-1' })
    expect(server.count(POST)).toBe(1)
  })
})
