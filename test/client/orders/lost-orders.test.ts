import { isPathologyError, orderKeyOf, type Referral } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf } from '../../support/clients.js'
import { OrderBook } from '../../support/order-book.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import {
  ago,
  error,
  HOUR,
  LIST,
  LOSSES,
  MINUTE,
  POST,
  setUp,
  UUID_TEXT,
  unknownOutcome,
  withKey,
} from './order-world.js'

const DAY = 24 * HOUR
const now = (): string => ago(0).toISOString()
const lost: Reply = { reset: 'before' }

it.each(Object.entries(LOSSES))(
  'an order whose response was lost is found by its key, without a second POST: %s (§4.1)',
  async (_, loss) => {
    const { client, book, server, clock } = await setUp([loss])
    const pending = client.referrals.create(order())
    if (loss.hang !== undefined) {
      await expect.poll(() => server.count(POST)).toBe(1)
      clock.advance(120_000)
    }
    const placed = await pending
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[0]?.uuid }] })
    expect(placed.orderKey).toBe(orderKeyOf(book.referrals[0]))
    expect(server.count(POST)).toBe(1)
    expect(book.orders).toHaveLength(1)
  },
)

type Shows = (made: readonly Referral[], nth: number) => readonly unknown[] | Reply

const odd = { ...referral({ createdAt: now() }), tests: 'fbc' }
const { person: _, ...nameless } = referral({ createdAt: now() })

it.each<[string, Shows, number]>([
  ['both referrals', (made) => made, 1],
  ['one referral at first', (made, nth) => (nth < 3 ? made.slice(0, 1) : made), 3],
  ['nothing at first', (made, nth) => (nth < 5 ? [] : made), 5],
  ['errors at first, because it is starting', (made, nth) => (nth <= 8 ? error(503) : made), 9],
  ["another order's referral that differs from the contract", (made) => [odd, ...made], 1],
  ['a referral without required fields', (made) => [nameless, ...made], 1],
])('an order whose response was lost is found when the service shows %s (§4.1)', async (_, shows, reads) => {
  const { server, book } = await setUp([lost])
  const client = clientOf(server.origin, { responseValidation: 'strict' })
  server.on(LIST, (_, nth) => {
    const shown = shows([...book.referrals].reverse(), nth)
    return 'status' in shown ? shown : { json: { referrals: shown } }
  })
  const placed = await client.referrals.create(medicareOrder())
  const [commercial, medicare] = book.referrals
  expect(placed).toMatchObject({ recovered: true, referrals: { length: 2 }, commercial, medicare })
  expect(server.count(LIST)).toBe(reads)
  expect(server.count(POST)).toBe(1)
})

it.each<[string, Shows, string]>([
  ['one of two referrals', (made) => made.slice(0, 1), 'ConnectionError'],
  [
    'one of two referrals, and then errors',
    (made, nth) => (nth === 1 ? made.slice(0, 1) : error(503)),
    'ServerError',
  ],
])(
  'an order whose response was lost is unknown, with its candidate, while the service shows %s (§4.1)',
  async (_, shows, name) => {
    const { client, server, book } = await setUp([lost])
    server.on(LIST, (_, nth) => {
      const shown = shows(book.referrals, nth)
      return 'status' in shown ? shown : { json: { referrals: shown } }
    })
    const unknown = await unknownOutcome(client.referrals.create(medicareOrder()))
    expect(unknown).toMatchObject({ candidates: [book.referrals[0]?.uuid], cause: { name } })
    expect(server.count(POST)).toBe(1)
  },
)

it('an order whose response was lost is one referral, although it moved to the next page while the list was read (§4.7)', async () => {
  const { client, book, server } = await setUp([lost])
  const page = (nth: number, ...referrals: readonly (Referral | undefined)[]): Reply => ({
    json: { referrals, cursor: { cursor: `c${nth}`, count: 1, resultCount: 1 } },
  })
  const commercial = () => book.referrals[0]
  server.on(LIST, ({ query }, nth) => {
    if (nth > 3) return { json: { referrals: [...book.referrals].reverse() } }
    if (query.get('cursor') === 'c2') return { json: { referrals: [] } }
    if (query.has('cursor')) return page(2, commercial())
    return page(1, commercial() ?? referral({ createdAt: now() }))
  })
  const placed = await client.referrals.create(medicareOrder())
  expect(placed.referrals).toEqual(book.referrals)
})

it('an order whose response was lost is looked up in the list from five minutes before its request, newest first, page by page (§4.1)', async () => {
  const { client, book, server } = await setUp([lost])
  for (let minutes = 90; minutes > 0; minutes -= 1) book.place(order(), ago(minutes * MINUTE))
  book.pageSize = 2
  await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: true })
  expect(server.count(LIST)).toBeLessThanOrEqual(5)
  const reads = server.calls.filter(({ method }) => method === 'GET')
  expect(reads.every(({ query }) => query.get('sort') === 'desc')).toBe(true)
})

it.each([
  [20_000, [1_000, 2_000, 3_000, 4_000, 5_000, 5_000]],
  [4_500, [1_000, 2_000, 1_500]],
])(
  'an order whose response was lost is looked up after growing pauses for %i ms, and 20 s is the default',
  async (orderRecoveryTimeout, pauses) => {
    const { server, book } = await setUp(['not placed'])
    const clock = new SkippingClock()
    const options = orderRecoveryTimeout === 20_000 ? {} : { orderRecoveryTimeout }
    await unknownOutcome(clientOf(server.origin, { clock, ...options }).referrals.create(order()))
    expect(clock.slept).toEqual(pauses)
    expect(book.listReads).toBe(pauses.length + 1)
  },
)

it('an order whose response was lost is unknown when the list does not end: the last lookup ends ten seconds after the recovery time (§4.7)', async () => {
  const { server } = await setUp([lost])
  const clock = new SkippingClock()
  const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 3_000 })
  server.on(LIST, (_, nth) => {
    clock.advance(100)
    const cursor = { cursor: `c${nth}`, count: 1, resultCount: 1 }
    return { json: { referrals: [referral({ createdAt: now() })], cursor } }
  })
  const unknown = await unknownOutcome(client.referrals.create(order()))
  expect(unknown).toMatchObject({ cause: { name: 'ConnectionError' } })
  expect(server.count(LIST)).toBeLessThanOrEqual(131)
})

it('the error of an order that does not appear has the key, the start and the cause, and nothing of the patient (§4.1)', async () => {
  const { client, server } = await setUp(['not placed'])
  const start = Date.now()
  const unknown = await unknownOutcome(client.referrals.create(order()))
  expect(unknown).toMatchObject({
    ...{ code: 'ORDER_OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1, candidates: [] },
    orderKey: expect.stringMatching(UUID_TEXT),
    cause: { name: 'ConnectionError', outcome: 'unknown' },
  })
  expect(Math.abs(unknown.startedAt.getTime() - start)).toBeLessThan(60_000)
  expect(isPathologyError(unknown, 'ORDER_OUTCOME_UNKNOWN')).toBe(true)
  expectNoCanary(unknown)
  expect(server.count(POST)).toBe(1)
})

it("the error of an order that does not appear has a recover() that finds the order later, with the call's headers and version, but without its signal", async () => {
  const { client, book, server } = await setUp([lost])
  book.hiddenFor = 8
  const abort = new AbortController()
  const options = { headers: { 'x-trace': 't-1' }, apiVersion: '1.0.0', signal: abort.signal } as const
  const unknown = await unknownOutcome(client.referrals.create(order(), options))
  abort.abort()
  await expect(unknown.recover()).resolves.toBeUndefined()
  const { orderKey } = unknown
  expect(await unknown.recover()).toMatchObject({ recovered: true, orderKey, referrals: book.referrals })
  const reads = server.calls.filter(({ method }) => method === 'GET')
  expect(reads).toHaveLength(9)
  for (const { headers } of reads)
    expect(headers).toMatchObject({ 'x-trace': 't-1', accept: 'application/vnd.svc.v1.0.0+json' })
  expect(server.count(POST)).toBe(1)
})

it('the error of an order that does not appear has a recover() that does not say "not sent" when the list does not respond', async () => {
  const { server, client, clock } = await setUp(['not placed'])
  const unknown = await unknownOutcome(client.referrals.create(order()))
  server.on(LIST, { hang: 'before' })
  const pending = unknownOutcome(unknown.recover())
  await expect.poll(() => server.count(LIST)).toBe(1)
  clock.advance(120_000)
  expect(await pending).toMatchObject({ outcome: 'unknown', cause: { name: 'TimeoutError' } })
})

/** A service with a correct clock: its Date headers show the time that has passed on the client's clock. */
async function withClock(ownError = 0) {
  const server = await ScriptedServer.start()
  const right = Date.now()
  const clock = new SkippingClock({ now: right + ownError })
  const serviceNow = (): number => right + clock.monotonic()
  const dated = (reply: Reply): Reply => ({
    ...reply,
    headers: { date: new Date(serviceNow()).toUTCString() },
  })
  const book = new OrderBook(server, [lost], serviceNow)
  server.on(LIST, (request) => dated(book.listScript(request)))
  server.on('GET /v1/vendors', () => dated({ json: { vendors: [] } }))
  return { server, book, clock, client: clientOf(server.origin, { clock }), dated, serviceNow }
}

it.each([DAY, -DAY])(
  'a lost order is found when the clock was set wrong at the start, by %i ms (§4.1)',
  async (ownError) => {
    const { client } = await withClock(ownError)
    await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: true })
  },
)

it.each([-HOUR, -DAY, HOUR, DAY])(
  'a lost order is found when the clock is set by %i ms during the order (§4.1)',
  async (jump) => {
    const { book, client, server, clock } = await withClock()
    await client.vendors.list().toArray()
    server.on(POST, ({ body }) => {
      book.place(JSON.parse(body))
      clock.jumpWall(jump)
      return lost
    })
    await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: true })
    expect(book.orders).toHaveLength(1)
  },
)

it('a lost order is found by recover() when the clock was set back before it (§4.1)', async () => {
  const { book, client, server, clock, serviceNow } = await withClock()
  server.on(POST, lost)
  const unknown = await unknownOutcome(client.referrals.create(order()))
  book.place(order(withKey(unknown.orderKey)), new Date(serviceNow() - 20_000))
  clock.jumpWall(-DAY)
  await expect(unknown.recover()).resolves.toMatchObject({ recovered: true })
})

it('a lost order is looked up no further back than six minutes before its request by the clock of the service (§4.1)', async () => {
  const { book, client, server, serviceNow } = await withClock(DAY)
  server.on(POST, lost)
  book.pageSize = 1
  for (const minutes of [60, 30, 10, 7, 4]) book.place(order(), new Date(serviceNow() - minutes * MINUTE))
  await unknownOutcome(client.referrals.create(order()))
  const reads = server.calls.filter(({ method, path }) => method === 'GET' && path.endsWith('referrals'))
  expect(new Set(reads.map(({ target }) => target)).size).toBe(2)
})

it('a lost order is found on the newest page when the service has no Date header and another time (§4.1)', async () => {
  const server = await ScriptedServer.start()
  const book = new OrderBook(server, [lost], () => Date.now() - HOUR)
  server.on(LIST, (request) => ({ ...book.listScript(request), headers: { date: '' } }))
  await expect(clientOf(server.origin).referrals.create(order())).resolves.toMatchObject({
    recovered: true,
  })
})
