import { ORDER_KEY_FIELD, type Order, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import { POST, setUp } from './order-world.js'

const ANOTHER_KEY = 'it has a referral with the order key of another order'

const SECOND = '00000000-0000-4000-8000-000000000002'

const OTHER = 'key-of-another-order'

/** Stores an order and responds with changed referrals. */
async function answering(respond: (made: readonly Referral[]) => unknown, isPlaced = true) {
  const world = await setUp()
  world.server.on(POST, ({ body }) => {
    const made = isPlaced ? world.book.place(JSON.parse(body)) : [referral(), referral({ uuid: SECOND })]
    return { json: respond(made) }
  })
  return world
}

const keyOf = (made: Referral | undefined): string => String(made?.metadata?.[ORDER_KEY_FIELD])

const withKey = (made: Referral | undefined, key: string): Referral => ({
  ...referral(),
  ...made,
  metadata: { [ORDER_KEY_FIELD]: key },
})

describe('§4.1 a response that belongs to another order is treated as lost', () => {
  const contradictions: readonly [string, () => Order, (made: readonly Referral[]) => unknown][] = [
    ["another order's referral", () => order(), () => withKey(undefined, OTHER)],
    ["another order's referral, in a list", () => order(), () => [withKey(undefined, OTHER)]],
    ["one of two is another order's", () => medicareOrder(), ([first]) => [first, withKey(undefined, OTHER)]],
    ['one referral where the order makes two', () => medicareOrder(), ([first]) => first],
    ['a list of one where the order makes two', () => medicareOrder(), ([, second]) => [second]],
    ['the same referral twice where the order makes two', () => medicareOrder(), ([one]) => [one, one]],
  ]

  it.each(contradictions)('%s: the order is found by its key', async (_, given, respond) => {
    for (const orderKey of [undefined, 'job-7']) {
      const { client, book, server } = await answering(respond)
      const placed = await client.referrals.create(given(), { orderKey })
      expect(placed).toMatchObject({ recovered: true })
      expect(placed.referrals).toEqual(book.referrals)
      expect(server.count(POST)).toBe(1)
    }
  })

  it.each(contradictions)('%s, and the order does not appear: unknown', async (name, given, respond) => {
    const { client, server } = await answering(respond, false)
    const unknown = await rejection(client.referrals.create(given()))
    expect(unknown).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 1,
      cause: { name: 'InvalidResponseError', reason: 'shape', outcome: 'unknown' },
    })
    expectNoCanary(unknown)
    const told = /another order/.test(name) ? ANOTHER_KEY : 'it has 1 of 2 referrals'
    expect(String((unknown as Error).cause)).toContain(told)
    expect(JSON.stringify(unknown) + String((unknown as Error).cause)).not.toContain(OTHER)
    expect(server.count(POST)).toBe(1)
  })

  it('the same with version 1.0.0 (§9)', async () => {
    const { client } = await answering(() => withKey(undefined, OTHER))
    const placed = await client.referrals.create(order(), { apiVersion: '1.0.0' })
    expect(placed.recovered).toBe(true)
  })
})

describe('§4.1 a response that belongs to the order', () => {
  it.each<[string, () => Order, (made: readonly Referral[]) => unknown, number]>([
    ['without metadata', () => order(), ([made]) => ({ ...made, metadata: null }), 1],
    ['with other metadata', () => order(), ([made]) => ({ ...made, metadata: { clinic: 'north' } }), 1],
    [
      'with a key that is not text',
      () => order(),
      ([made]) => ({ ...made, metadata: { [ORDER_KEY_FIELD]: 7 } }),
      1,
    ],
    [
      'of more referrals than expected',
      () => order(),
      ([made]) => [made, withKey(undefined, keyOf(made))],
      2,
    ],
    ['that names its referral twice', () => order(), ([made]) => [made, made], 1],
    [
      'of two without metadata',
      () => medicareOrder(),
      (made) => made.map((one) => ({ ...one, metadata: null })),
      2,
    ],
  ])('%s: returned unchanged', async (_, given, respond, count) => {
    const { client, server } = await answering(respond)
    const placed = await client.referrals.create(given())
    expect(placed.recovered).toBe(false)
    expect(placed.referrals).toHaveLength(count)
    expect(server.count('GET /v1/referrals')).toBe(0)
  })
})
