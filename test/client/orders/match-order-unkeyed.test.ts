import { type Order, OrderOutcomeUnknownError, type PlacedOrder } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { POST, setUp } from './order-world.js'

/** The order, or the error whose `recover()` looks it up. */
type Outcome = PlacedOrder | OrderOutcomeUnknownError

/** Two orders without a key whose responses are lost at the same moment. */
async function twoLost(first: Order, second: Order) {
  const { book, server } = await setUp()
  const client = clientOf(server.origin, { clock: new SkippingClock(), orderRecoveryTimeout: 0 })
  let meet: () => void = () => undefined
  const met = new Promise<void>((resolve) => {
    meet = resolve
  })
  server.on(POST, async (_, nth) => {
    if (nth === 2) meet()
    await met
    return { reset: 'before' }
  })
  const create = (given: Order): Promise<Outcome> =>
    client.referrals.create(given, { orderKey: false }).then(
      (placed) => placed,
      (error: unknown) => {
        if (error instanceof OrderOutcomeUnknownError) return error
        throw error
      },
    )
  const createBoth = () => Promise.all([create(first), create(second)])
  return { book, createBoth }
}

/** Results of the two calls, from `create` or later from `recover()`. */
async function told(outcomes: readonly Outcome[]): Promise<readonly (readonly string[])[]> {
  const orders = outcomes.map((outcome) =>
    outcome instanceof OrderOutcomeUnknownError ? outcome.recover() : outcome,
  )
  return (await Promise.all(orders)).map((placed) => placed?.referrals.map(({ uuid }) => uuid) ?? [])
}

describe('§4.1 two similar orders without a key whose responses are lost at the same moment', () => {
  it.each([
    ['one referral', order()],
    ['two referrals', medicareOrder()],
  ])('one of them was placed, of %s: only one call gets it, from create() or recover()', async (_, given) => {
    const { book, createBoth } = await twoLost(given, given)
    const placed = book.place(given)
    const both = await createBoth()
    expect(both.filter((outcome) => outcome instanceof OrderOutcomeUnknownError).length).toBeGreaterThan(0)
    const uuids = placed.map(({ uuid }) => uuid)
    expect((await told(both)).flat()).toEqual(uuids)
    expect((await told(both)).flat()).toEqual(uuids)
  })

  it('it appears only later: one of two concurrent recover() gets it', async () => {
    const { book, createBoth } = await twoLost(order(), order())
    const both = await createBoth()
    expect(both).toMatchObject([{ candidates: [] }, { candidates: [] }])
    const [shown] = book.place(order())
    const first = await told(both)
    expect(first.flat()).toEqual([shown?.uuid])
    expect(await told(both)).toEqual(first)
  })

  it('both were placed: neither gets one, and both are candidates', async () => {
    const { book, createBoth } = await twoLost(order(), order())
    for (const _ of [1, 2]) book.place(order())
    const both = await createBoth()
    const candidates = book.referrals.map(({ uuid }) => uuid)
    expect(both).toMatchObject([{ candidates }, { candidates }])
    expect(await told(both)).toEqual([[], []])
  })

  it.each([
    ['reference', { referenceNumber: 'ref-78' }],
    ['first name', { firstName: 'Berta' }],
    ['last name', { lastName: 'Other' }],
    ['date of birth', { dob: '1950-01-01' }],
  ])('different orders, of another %s: each call gets its own', async (_, change) => {
    const other = order(change)
    const { book, createBoth } = await twoLost(order(), other)
    const [own] = book.place(order())
    const [others] = book.place(other)
    const both = await createBoth()
    expect(both).toMatchObject([
      { recovered: true, referrals: [own] },
      { recovered: true, referrals: [others] },
    ])
  })
})
