import { memoryOrderLedger, ORDER_KEY_FIELD, OrderOutcomeUnknownError, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { error, POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'
const MINUTE = 60_000
const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }
const UNKNOWN = { name: 'OrderOutcomeUnknownError', outcome: 'unknown' }

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()
const others = (count: number, createdAt = (nth: number) => ago(nth * 1_000)): Referral[] =>
  Array.from({ length: count }, (_, nth) =>
    referral({ createdAt: createdAt(nth), referenceNumber: `o-${nth}` }),
  )

/** Responses with status 200 that hold no readable list. */
const UNREADABLE: Readonly<Record<string, Reply>> = {
  'an empty object': { json: {} },
  'a bare empty list': { json: [] },
  'a bare list': { json: others(2) },
  'an object in place of the list': { json: { referrals: {} } },
  'null in place of the list': { json: { referrals: null } },
  'a list of another name': { json: { data: [] } },
  'an error envelope': { json: { error: true, code: 'INTERNAL', message: 'no', errorList: [] } },
  'an error envelope with an empty list': {
    json: { error: true, code: 'INTERNAL', message: 'no', errorList: [], referrals: [] },
  },
  'a list of null': { json: { referrals: [null] } },
  'a list of an empty object': { json: { referrals: [{}] } },
  'a full page without a cursor': { json: { referrals: others(20) } },
  'a page that holds fewer records than it says': {
    json: { referrals: others(1), cursor: { cursor: 'c', count: 20, resultCount: 3 } },
  },
}

describe('§4.1, §4.7 a lookup that could not read its complete window never concludes that there is no order', () => {
  it.each(Object.entries(UNREADABLE))(
    '%s, before an order under a key: nothing is sent',
    async (_, reply) => {
      for (const responseValidation of ['off', 'warn', 'strict'] as const) {
        const { server } = await setUp()
        const client = clientOf(server.origin, { clock: new SkippingClock(), responseValidation })
        server.on(LIST, reply)
        const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
        expect(unknown).toMatchObject({
          ...UNKNOWN,
          attempts: 0,
          orderKey: KEY,
          cause: { name: 'InvalidResponseError' },
        })
        expectNoCanary(unknown)
        expect(server.count(POST)).toBe(0)
      }
    },
  )

  it.each(Object.entries(UNREADABLE))('%s, in findByOrderKey: unknown', async (_, reply) => {
    const { server, client } = await setUp()
    server.on(LIST, reply)
    expect(await rejection(client.referrals.findByOrderKey(KEY))).toMatchObject({ ...UNKNOWN, attempts: 0 })
  })

  it.each(Object.entries(UNREADABLE))('%s, after a lost response and in recover()', async (_, reply) => {
    const { server, book } = await setUp([{ reset: 'before' }])
    const client = clientOf(server.origin, { clock: new SkippingClock(), orderRecoveryTimeout: 2_000 })
    server.on(LIST, reply)
    const lost = await rejection(client.referrals.create(order()))
    expect(lost).toMatchObject({ ...UNKNOWN, attempts: 1, cause: { name: 'InvalidResponseError' } })
    if (!(lost instanceof OrderOutcomeUnknownError)) throw lost
    const again = await rejection(lost.recover())
    expect(again).toMatchObject({ ...UNKNOWN, attempts: 1, orderKey: lost.orderKey })
    if (!(again instanceof OrderOutcomeUnknownError)) throw again
    expect(again.startedAt).toEqual(lost.startedAt)
    server.on(LIST, book.listScript)
    expect(await again.recover()).toMatchObject({ recovered: true, referrals: book.referrals })
    expect(server.count(POST)).toBe(1)
  })

  it.each(Object.entries(UNREADABLE).filter(([name]) => !name.includes('page')))(
    '%s, once: the page is read again, and the order is sent',
    async (_, reply) => {
      const { server, client, book } = await setUp()
      server.on(LIST, reply, book.listScript)
      const placed = await client.referrals.create(order(), { orderKey: KEY })
      expect(placed.recovered).toBe(false)
      expect(server.count(LIST)).toBe(2)
    },
  )

  it('recover() while the list does not respond: unknown, not "not sent"', async () => {
    const { server, client, clock } = await setUp(['not placed'])
    const lost = await rejection(client.referrals.create(order()))
    if (!(lost instanceof OrderOutcomeUnknownError)) throw lost
    server.on(LIST, { hang: 'before' })
    const pending = rejection(lost.recover())
    await expect.poll(() => server.count(LIST)).toBe(1)
    clock.advance(120_000)
    expect(await pending).toMatchObject({ ...UNKNOWN, cause: { name: 'TimeoutError', outcome: 'unknown' } })
  })

  it('the time that the ledger used counts towards the time limit of the lookup', async () => {
    const { server } = await setUp()
    const clock = new SkippingClock({ skip: () => false })
    const orderLedger = new WatchedLedger(memoryOrderLedger({ clock }))
    orderLedger.next('claim', { before: () => clock.advance(1_500) })
    const client = clientOf(server.origin, { clock, orderLedger })
    server.on(LIST, { hang: 'before' })
    const pending = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 60_000 }))
    await expect.poll(() => server.count(LIST)).toBe(1)
    clock.advance(58_500)
    expect(await pending).toMatchObject({ ...UNKNOWN, attempts: 0, cause: { timeout: 60_000 } })
    expect(server.count(POST)).toBe(0)
  })

  it.each([
    ['no token', 'POST /oauth/token', { status: 400, json: { code: '110' } }, 'TokenError'],
    ['401 for ever', LIST, error(401), 'AuthenticationError'],
    ['403', LIST, error(403), 'PermissionError'],
    ['429 for ever', LIST, error(429), 'RateLimitError'],
    ['a redirect', LIST, { status: 302, headers: { location: '/' } }, 'InvalidResponseError'],
    ['HTML', LIST, { text: '<html>' }, 'InvalidResponseError'],
  ] as const)(
    '%s before an order under a key: unknown, and nothing is sent',
    async (_, route, reply, name) => {
      const { server, client } = await setUp()
      server.on(route, reply)
      const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
      expect(unknown).toMatchObject({ ...UNKNOWN, attempts: 0, cause: { name } })
      expect(server.count(POST)).toBe(0)
    },
  )

  it('a full page without a cursor is enough if all its records are before the window', async () => {
    const { server, client } = await setUp()
    const hours = (nth: number) => ago((nth + 25) * 60 * MINUTE)
    server.on(LIST, { json: { referrals: others(20, hours) } })
    await expect(client.referrals.create(order(), { orderKey: KEY })).resolves.toMatchObject({
      recovered: false,
    })
  })

  it('a full page of records that were created at one time does not show the order: nothing is sent', async () => {
    const { server, client } = await setUp()
    const lastYear = () => ago(365 * 24 * 60 * MINUTE)
    server.on(LIST, { json: { referrals: others(20, lastYear) } })
    const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    expect(unknown).toMatchObject({ ...UNKNOWN, attempts: 0, cause: { reason: 'incomplete-list' } })
    expect(server.count(POST)).toBe(0)
  })

  it.each([
    ['an empty page', { json: { referrals: [] } }],
    ['a short page without a cursor', { json: { referrals: others(19) } }],
  ])('%s is the complete list: the order is sent', async (_, reply) => {
    const { server, client } = await setUp()
    server.on(LIST, reply)
    await expect(client.referrals.create(order(), { orderKey: KEY })).resolves.toMatchObject({
      recovered: false,
    })
    expect(server.count(POST)).toBe(1)
  })
})

describe('§4.7 a page of a lookup that always fails', () => {
  /** An order under the key on page 1 or 2, and a second page that cannot be read. */
  async function secondPageFails(onFirst: boolean, made = order(withKey)) {
    const world = await setUp([{ reset: 'before' }])
    const { book, server } = world
    if (onFirst) for (let nth = 0; nth < 3; nth += 1) book.place(order({ referenceNumber: `o-${nth}` }))
    book.place(made)
    if (!onFirst) for (let nth = 0; nth < 3; nth += 1) book.place(order({ referenceNumber: `o-${nth}` }))
    book.pageSize = 2
    server.on(LIST, (request) => (request.query.has('cursor') ? error(500) : book.listScript(request)))
    return world
  }

  it('the order is on the first page: it is returned', async () => {
    const { client, book, server } = await secondPageFails(true)
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed).toMatchObject({ recovered: true, referrals: [book.referrals.at(-1)] })
    expect(server.count(POST)).toBe(0)
  })

  it('the order is on the second page: unknown, and nothing is sent', async () => {
    const { client, server } = await secondPageFails(false)
    const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    expect(unknown).toMatchObject({ ...UNKNOWN, attempts: 0, cause: { name: 'ServerError' } })
    expect(server.count(POST)).toBe(0)
  })

  it('one of two referrals is on the first page: unknown, with that referral', async () => {
    const { client, book, server } = await secondPageFails(true, medicareOrder(withKey))
    book.referrals.splice(-2, 1)
    const unknown = await rejection(client.referrals.create(medicareOrder(), { orderKey: KEY }))
    expect(unknown).toMatchObject({ ...UNKNOWN, attempts: 0, candidates: [book.referrals.at(-1)?.uuid] })
    expect(server.count(POST)).toBe(0)
  })
})

describe('§4.7 a list that is not newest first, or does not show its order', () => {
  const HOURS = 60 * MINUTE

  /** Pages of two records in the order given. */
  async function pages(records: readonly Referral[]) {
    const world = await setUp()
    world.server.on(LIST, ({ query }) => {
      const start = Number(query.get('cursor') ?? 0)
      const items = records.slice(start, start + 2)
      const cursor = { cursor: String(start + 2), count: 2, resultCount: items.length }
      return { json: items.length === 0 ? { referrals: [] } : { referrals: items, cursor } }
    })
    return world
  }
  const mine = (): Referral => referral({ ...withKey, createdAt: ago(MINUTE) })
  const old = (hours: number): Referral => referral({ createdAt: ago(hours * HOURS) })
  const odd = (createdAt: unknown): Referral => ({ ...referral(), createdAt }) as Referral

  it.each<[string, () => readonly Referral[]]>([
    ['oldest first', () => [old(90), old(80), old(70), old(60), mine()]],
    [
      'oldest first, all within seconds',
      () => [...[9, 8, 7, 6].map((nth) => referral({ createdAt: ago(90 * HOURS + nth * 5_000) })), mine()],
    ],
    [
      'oldest first, beginning with 40 that were created within a second',
      () => [
        ...Array.from({ length: 40 }, (_, nth) => referral({ createdAt: ago(90 * HOURS - nth * 20) })),
        mine(),
      ],
    ],
    [
      'by time of change, beginning with 20 old ones that were just changed',
      () => [
        ...Array.from({ length: 20 }, (_, nth) =>
          referral({ createdAt: ago((90 + nth) * HOURS), updatedAt: ago(nth * 1_000) }),
        ),
        mine(),
      ],
    ],
    ['out of order', () => [old(90), old(30), old(60), old(70), mine()]],
    ['out of order in the middle', () => [old(90), referral({ createdAt: ago(0) }), old(2), old(91), mine()]],
    [
      'without any createdAt',
      () => [odd(undefined), odd(null), odd('yesterday'), odd(7), { ...mine(), createdAt: '' }],
    ],
    ['with some createdAt that cannot be read', () => [old(90), odd(undefined), odd('x'), odd(null), mine()]],
    [
      'records that are moments apart in the other order',
      () => [referral({ createdAt: ago(10_000) }), referral({ createdAt: ago(9_000) }), mine()],
    ],
  ])('%s: read on until the order appears, and it is not placed again', async (_, records) => {
    const { client, server } = await pages(records())
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
  })

  it('newest first, with neighbouring records in the other order: read no further than the window', async () => {
    const records = [1, 0, 3, 2, 1_500, 1_501, 1_502, 1_503].map((minutes) =>
      referral({ createdAt: ago(minutes * 20_000 + (minutes > 1_000 ? 72 * HOURS : 0)) }),
    )
    const { client, server } = await pages(records)
    await client.referrals.create(order(), { orderKey: KEY })
    expect(server.count(LIST)).toBe(3)
    expect(server.count(POST)).toBe(1)
  })
})

describe('§2.4 a referral without metadata', () => {
  const bare = (change: Partial<Referral> = {}): Record<string, unknown> => {
    const { metadata: _, ...rest } = referral({ createdAt: ago(MINUTE), ...change })
    return rest
  }

  it('it could be the order: unknown, and it is a candidate', async () => {
    const { client, server } = await setUp()
    const shown = bare()
    server.on(LIST, { json: { referrals: [shown] } })
    const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    expect(unknown).toMatchObject({ ...UNKNOWN, attempts: 0, candidates: [shown['uuid']] })
    expect(server.count(POST)).toBe(0)
  })

  it('two such referrals: both are candidates, the older one first', async () => {
    const { client, server } = await setUp()
    const [newer, older] = [bare(), bare({ createdAt: ago(2 * MINUTE) })]
    server.on(LIST, { json: { referrals: [newer, older] } })
    const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    expect(unknown).toMatchObject({ ...UNKNOWN, candidates: [older['uuid'], newer['uuid']] })
  })

  it('after a lost response: it is a candidate, and not the order', async () => {
    const { client, server } = await setUp(['not placed'])
    const shown = bare()
    server.on(LIST, { json: { referrals: [shown] } })
    const unknown = await rejection(client.referrals.create(order()))
    expect(unknown).toMatchObject({ ...UNKNOWN, attempts: 1, candidates: [shown['uuid']] })
  })

  it.each<[string, Record<string, unknown>]>([
    ['of another reference', bare({ referenceNumber: 'another' })],
    ['of other tests', bare({ tests: ['tsh'] })],
    ['from before the window', bare({ createdAt: ago(48 * 60 * MINUTE) })],
    ['with null for none', { ...bare(), metadata: null }],
  ])('%s: it is another order', async (_, shown) => {
    const { client, server } = await setUp()
    server.on(LIST, { json: { referrals: [shown] } })
    await expect(client.referrals.create(order(), { orderKey: KEY })).resolves.toMatchObject({
      recovered: false,
    })
    expect(server.count(POST)).toBe(1)
  })
})
