import { ORDER_KEY_FIELD, orderKeyOf } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import { error, POST, setUp, UUID_TEXT } from './order-world.js'

describe('ordering exactly once: the order key', () => {
  it("is added to the metadata, and the caller's order does not change", async () => {
    const { client, book } = await setUp()
    const given = order({ metadata: { clinic: 'north' } })
    const before = structuredClone(given)
    const placed = await client.referrals.create(given)
    expect(given).toEqual(before)
    expect(placed.orderKey).toMatch(UUID_TEXT)
    expect(book.orders[0]?.metadata).toEqual({ clinic: 'north', [ORDER_KEY_FIELD]: placed.orderKey })
    expect(placed.recovered).toBe(false)
  })

  it('is a new one for each order', async () => {
    const { client } = await setUp()
    const keys = [await client.referrals.create(order()), await client.referrals.create(order())]
    expect(new Set(keys.map(({ orderKey }) => orderKey)).size).toBe(2)
  })

  it('replaces the key in the metadata of an earlier referral', async () => {
    const { client, book } = await setUp()
    const earlier = await client.referrals.create(order({ metadata: { clinic: 'north' } }))
    const placed = await client.referrals.create(order({ metadata: earlier.referrals[0].metadata ?? {} }))
    expect(placed.orderKey).not.toBe(earlier.orderKey)
    expect(book.orders[1]?.metadata).toEqual({ clinic: 'north', [ORDER_KEY_FIELD]: placed.orderKey })
  })

  it.each(['', '  ', 7, null, true, false, {}, Number.NaN, 'key-\ud83d'])(
    'rejects %j as a key, and sends nothing',
    async (key) => {
      const { client, server } = await setUp()
      const options = { orderKey: key as string }
      const refused = await rejection(client.referrals.create(order(), options))
      expect(refused).toMatchObject({
        name: 'ConfigurationError',
        message:
          'orderKey must be text with at least one character that is not white space, and without half of a surrogate pair; nothing was sent',
      })
      expect(server.requests).toHaveLength(0)
    },
  )

  it('is read back from a referral, a result and an event', () => {
    const metadata = { [ORDER_KEY_FIELD]: 'k-1' }
    expect(orderKeyOf(referral({ metadata }))).toBe('k-1')
    expect(orderKeyOf({ eventName: 'referral.created', data: { metadata } })).toBe('k-1')
    for (const other of [undefined, null, 7, {}, referral(), { metadata: { [ORDER_KEY_FIELD]: 7 } }]) {
      expect(orderKeyOf(other)).toBeUndefined()
    }
  })
})

describe('ordering exactly once: both shapes in both versions (§4.1, §9)', () => {
  it.each([
    ['1.0.0', false],
    ['1.0.0', true],
    ['1.1.0', false],
    ['1.1.0', true],
  ] as const)('version %s, list %s: one referral', async (apiVersion, alwaysList) => {
    const { client, book, server } = await setUp()
    book.alwaysList = alwaysList
    const placed = await client.referrals.create(order(), { apiVersion })
    expect(placed.referrals).toEqual(book.referrals)
    expect(placed.commercial).toEqual(book.referrals[0])
    expect(placed.medicare).toBeUndefined()
    expect(server.calls[0]?.headers.accept).toBe(`application/vnd.svc.v${apiVersion}+json`)
  })

  it('two referrals: medicare or bulkBilled marks the Medicare one', async () => {
    const { client, server } = await setUp()
    const commercial = referral()
    const { medicare: _, ...older } = referral()
    server.on(POST, { json: [{ ...older, bulkBilled: true }, commercial] })
    const placed = await client.referrals.create(medicareOrder())
    expect(placed.commercial).toEqual(commercial)
    expect(placed.medicare?.uuid).toBe(older.uuid)
  })

  it('only Medicare tests: no commercial referral', async () => {
    const { client, book } = await setUp()
    const { tests: _, ...only } = medicareOrder()
    const placed = await client.referrals.create(only)
    expect(placed.commercial).toBeUndefined()
    expect(placed.medicare).toEqual(book.referrals[0])
  })
})

describe("ordering exactly once: the caller's own key", () => {
  it('looks the order up first, then sends it', async () => {
    const { client, server } = await setUp()
    const placed = await client.referrals.create(order(), { orderKey: 'job-1' })
    expect(placed).toMatchObject({ orderKey: 'job-1', recovered: false })
    expect(server.calls.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  it('a job that runs twice orders once, also in another process', async () => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    const crashed = clientOf(server.origin, { orderRecoveryTimeout: 0 })
    book.hiddenFor = 2
    await rejection(crashed.referrals.create(medicareOrder(), { orderKey: 'job-1' }))
    const placed = await client.referrals.create(medicareOrder(), { orderKey: 'job-1' })
    expect(placed).toMatchObject({ recovered: true, orderKey: 'job-1' })
    expect(placed.referrals).toHaveLength(2)
    expect(server.count(POST)).toBe(1)
  })

  it('only one of two referrals appears at first: nothing is ordered, and the call waits for the other', async () => {
    const { client, book, server } = await setUp()
    book.place(medicareOrder({ metadata: { [ORDER_KEY_FIELD]: 'job-1' } }))
    server.on('GET /v1/referrals', (_, nth) => ({
      json: { referrals: nth < 2 ? book.referrals.slice(0, 1) : [...book.referrals].reverse() },
    }))
    const placed = await client.referrals.create(medicareOrder(), { orderKey: 'job-1' })
    expect(placed.referrals).toHaveLength(2)
    expect(server.count(POST)).toBe(0)
  })

  it('the lookup goes back 24 hours, or to since', async () => {
    const { client, book, server } = await setUp()
    const hours = (n: number) => new Date(Date.now() - n * 3_600_000)
    book.place(order({ metadata: { [ORDER_KEY_FIELD]: 'old' } }), hours(48))
    book.place(order({ metadata: { [ORDER_KEY_FIELD]: 'recent' } }), hours(23))
    await expect(client.referrals.create(order(), { orderKey: 'recent' })).resolves.toMatchObject({
      recovered: true,
    })
    await expect(
      client.referrals.create(order(), { orderKey: 'old', since: hours(72) }),
    ).resolves.toMatchObject({
      recovered: true,
    })
    expect(server.count(POST)).toBe(0)
    const other = clientOf(server.origin)
    await expect(other.referrals.create(order(), { orderKey: 'old' })).resolves.toMatchObject({
      recovered: false,
    })
  })

  it('an invalid order is rejected before the lookup', async () => {
    const { client, server } = await setUp()
    await expect(client.referrals.create(order({ tests: [] }), { orderKey: 'k' })).rejects.toMatchObject({
      name: 'InvalidRequestError',
    })
    expect(server.requests).toHaveLength(0)
  })

  it('the lookup fails: nothing is ordered', async () => {
    const { client, server } = await setUp()
    server.on('GET /v1/referrals', error(500))
    await expect(client.referrals.create(order(), { orderKey: 'k' })).rejects.toMatchObject({
      name: 'OrderOutcomeUnknownError',
      attempts: 0,
      cause: { name: 'ServerError' },
    })
    expect(server.count(POST)).toBe(0)
  })
})
