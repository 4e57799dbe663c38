import { OrderOutcomeUnknownError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { POST, setUp } from './order-world.js'

/** A client whose order without a key was lost and appears later. */
async function lostAndShown() {
  const { book, server } = await setUp(['not placed', 'not placed'])
  const client = clientOf(server.origin, { clock: new SkippingClock(), orderRecoveryTimeout: 0 })
  const create = () => client.referrals.create(order(), { orderKey: false })
  const lost = await rejection(create())
  if (!(lost instanceof OrderOutcomeUnknownError)) throw lost
  const [shown] = book.place(order())
  return { book, server, create, lost, shown }
}

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

describe('§4.1 an order without a key that recover() found', () => {
  it('is not also returned for the next similar order whose response is lost', async () => {
    const { create, lost, shown } = await lostAndShown()
    await expect(lost.recover()).resolves.toMatchObject({ recovered: true, referrals: [shown] })
    const next = await rejection(create())
    expect(next).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [] })
    if (!(next instanceof OrderOutcomeUnknownError)) return
    await expect(next.recover()).resolves.toBeUndefined()
  })

  it('is found by it again, in its present state, whatever else appears by then', async () => {
    const { book, lost, shown } = await lostAndShown()
    await expect(Promise.all([lost.recover(), lost.recover()])).resolves.toMatchObject([
      { referrals: [shown] },
      { referrals: [shown] },
    ])
    book.place(order())
    Object.assign(shown ?? {}, { status: 'ISSUED' })
    const again = await lost.recover()
    expect(again?.referrals).toEqual([{ ...shown, status: 'ISSUED' }])
  })

  it('is not returned while a similar order is in progress, and is returned afterwards', async () => {
    const { book, server, create, lost, shown } = await lostAndShown()
    let answer: () => void = () => undefined
    const told = new Promise<void>((resolve) => {
      answer = resolve
    })
    server.on(POST, () => ({ json: book.place(order())[0], after: told }))
    const next = create().withResponse()
    await expect.poll(() => book.orders.length).toBe(2)
    const other = book.referrals.pop()
    await expect(lost.recover()).resolves.toBeUndefined()
    answer()
    expect((await next).data.referrals).toEqual([other])
    await expect(lost.recover()).resolves.toMatchObject({ referrals: [shown] })
  })
})
