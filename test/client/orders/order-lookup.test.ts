import {
  memoryOrderLedger,
  type Order,
  type OrderOptions,
  PathologyClient,
  type Referral,
} from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import type { Reply, Script } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { ago, error, HOUR, KEY, LIST, MINUTE, POST, setUp, unknownOutcome, withKey } from './order-world.js'

type World = Awaited<ReturnType<typeof setUp>>

const at = (ms: number): string => ago(ms).toISOString()
const listing = (...referrals: readonly unknown[]): Reply => ({ json: { referrals } })

const others = (count: number, createdAt = (nth: number) => at(nth * 1_000)): Referral[] =>
  Array.from({ length: count }, (_, nth) =>
    referral({ createdAt: createdAt(nth), referenceNumber: `o-${nth}` }),
  )

/** A referral with values that the contract does not permit. */
const odd = (change: object): Referral => Object.assign(referral({ createdAt: at(MINUTE) }), change)

/** A referral that does not show its metadata, and otherwise may be that of the order. */
const bare = (change: object = {}): Referral => odd({ metadata: undefined, ...change })

const { person } = referral()

/** What the service lists, and what comes of an order under a key: found, sent, or unknown with candidates. */
const LISTS: readonly (readonly [
  name: string,
  given: () => Order,
  lists: (world: World) => readonly Script[],
  comes: 'found' | 'sent' | { readonly candidates: number },
])[] = [
  ['an empty page', order, () => [listing()], 'sent'],
  ['a short page without a cursor', order, () => [listing(...others(19))], 'sent'],
  [
    'a full page without a cursor, from before the window',
    order,
    () => [listing(...others(20, (nth) => at((nth + 25) * HOUR)))],
    'sent',
  ],
  [
    'a full page of records of one time',
    order,
    () => [listing(...others(20, () => at(365 * 24 * HOUR)))],
    { candidates: 0 },
  ],
  ['its referral', order, ({ book }) => [listing(...book.place(order(withKey())))], 'found'],
  [
    'more referrals than expected',
    order,
    ({ book }) => [listing(...book.place(order(withKey())), ...book.place(order(withKey())))],
    'found',
  ],
  [
    'one of two referrals at first',
    medicareOrder,
    ({ book }) => {
      const made = book.place(medicareOrder(withKey()))
      return [listing(made[0]), listing(...made)]
    },
    'found',
  ],
  [
    'one of two referrals',
    medicareOrder,
    ({ book }) => [listing(book.place(medicareOrder(withKey()))[0])],
    { candidates: 1 },
  ],
  [
    'one of two referrals, and then none',
    medicareOrder,
    ({ book }) => [listing(book.place(medicareOrder(withKey()))[0]), listing()],
    { candidates: 1 },
  ],
  ['a referral without metadata', order, () => [listing(bare())], { candidates: 1 }],
  [
    'a referral without metadata, and then none',
    order,
    () => [listing(bare()), listing()],
    { candidates: 1 },
  ],
  [
    'a referral without metadata, which then shows another key',
    order,
    ({ book }) => {
      const [shown] = book.place(order(withKey('another')))
      return [listing({ ...shown, metadata: undefined }), listing(shown)]
    },
    'sent',
  ],
  ...Object.entries({
    'another reference': { referenceNumber: 'another' },
    'no reference': { referenceNumber: null },
    'other tests': { tests: ['tsh'] },
    'another first name': { person: { ...person, firstName: 'Otto' } },
    'another last name': { person: { ...person, lastName: 'Otto' } },
    'another date of birth': { person: { ...person, dob: '1950-01-01' } },
    'no person': { person: null },
    'a time before the window': { createdAt: at(48 * HOUR) },
    'null as metadata': { metadata: null },
  }).map(
    ([name, change]) =>
      [
        `a referral with ${name} and no visible metadata`,
        order,
        () => [listing(bare(change))],
        'sent',
      ] as const,
  ),
]

it.each(LISTS)(
  'an order under an own key is found, sent or unknown when the service lists %s (§2.4, §4.1, §4.7)',
  async (...row) => {
    const [, given, lists, comes] = row
    const world = await setUp()
    const { client, server } = world
    server.on(LIST, ...lists(world))
    const outcome = client.referrals.create(given(), { orderKey: KEY, lookupTimeout: 1_500 })
    if (typeof comes === 'string') {
      await expect(outcome).resolves.toMatchObject({ orderKey: KEY, recovered: comes === 'found' })
    } else {
      const unknown = await unknownOutcome(outcome)
      expect(unknown).toMatchObject({ attempts: 0, orderKey: KEY, candidates: { length: comes.candidates } })
    }
    expect(server.count(POST)).toBe(comes === 'sent' ? 1 : 0)
  },
)

it('an order under an own key that was placed before needs one lookup and no wait, and its response says that nothing was sent (§4.1)', async () => {
  const { client, book, server, clock } = await setUp()
  book.place(order(withKey()))
  const { data, response } = await client.referrals.create(order(), { orderKey: KEY }).withResponse()
  expect(data).toMatchObject({ recovered: true, orderKey: KEY, referrals: book.referrals })
  expect(response).toEqual({ status: 200, headers: {}, requestId: undefined, attempts: 0 })
  expect(server.calls.map(({ method }) => method)).toEqual(['GET'])
  expect(clock.slept).toEqual([])
})

it('an order under an own key whose referral has an ID that is not a UUID is looked up again, because it cannot be read', async () => {
  const { client, book, server } = await setUp()
  server.on(POST, ({ body }) => {
    const [first, second] = book.place(JSON.parse(body))
    return { json: [first, Object.assign(second ?? {}, { uuid: 'referral-2' })] }
  })
  const first = await client.referrals.create(medicareOrder(), { orderKey: KEY })
  const again = await client.referrals.create(medicareOrder(), { orderKey: KEY })
  expect(again).toMatchObject({ recovered: true, referrals: first.referrals })
  expect(server.count(POST)).toBe(1)
})

it('an order under an own key of which one of two referrals appears is unknown since the start of the window, until recover() finds both (§4.1)', async () => {
  const { client, book, server } = await setUp()
  const since = ago(MINUTE)
  book.place(medicareOrder(withKey()))
  server.on(LIST, () => listing(book.referrals[0]))
  const unknown = await unknownOutcome(client.referrals.create(medicareOrder(), { orderKey: KEY, since }))
  expect(unknown.message).toMatch(
    /this call sent nothing, because the lookup found only a part of the order.* or repeat create\(\) with the same orderKey, "job-77"$/,
  )
  expect(unknown.startedAt.getTime()).toBeLessThan(since.getTime())
  expect(unknown.candidates).toEqual([book.referrals[0]?.uuid])
  server.on(LIST, () => listing(...book.referrals))
  await expect(unknown.recover()).resolves.toMatchObject({ recovered: true, orderKey: KEY })
})

it('two referrals without metadata are candidates, the older one first (§2.4)', async () => {
  const { client, server } = await setUp()
  const [newer, older] = [bare(), bare({ createdAt: at(2 * MINUTE) })]
  server.on(LIST, listing(newer, older))
  const unknown = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
  expect(unknown.candidates).toEqual([older.uuid, newer.uuid])
})

it('a referral without metadata is a candidate after a lost response too (§2.4)', async () => {
  const { client, server } = await setUp(['not placed'])
  const shown = bare()
  server.on(LIST, listing(shown))
  const unknown = await unknownOutcome(client.referrals.create(order()))
  expect(unknown).toMatchObject({ attempts: 1, candidates: [shown.uuid] })
})

it.each([
  [{ lookupTimeout: 0 }, [], 1],
  [{ lookupTimeout: 5_000 }, [1_000, 2_000, 2_000], 4],
])('an order under an own key is sent after the lookups of %j', async (options, pauses, reads) => {
  const { client, server, clock } = await setUp()
  const placed = await client.referrals.create(order(), { orderKey: KEY, ...options })
  expect(placed.recovered).toBe(false)
  expect(clock.slept).toEqual(pauses)
  const methods = server.calls.map(({ method }) => method)
  expect(methods).toEqual([...Array(reads).fill('GET'), 'POST'])
})

it('an order under an own key that appears within lookupTimeout is not sent, however long the lookup takes (§4.1)', async () => {
  const { client, book, server, clock } = await setUp()
  book.place(order(withKey()))
  book.hiddenFor = 5
  const options = { orderKey: KEY, timeout: 10_000, lookupTimeout: 40_000 }
  await expect(client.referrals.create(order(), options)).resolves.toMatchObject({ recovered: true })
  expect(server.count(POST)).toBe(0)
  expect(clock.slept).toEqual([1_000, 2_000, 3_000, 4_000, 5_000])
})

/** Responses with status 200 that hold no readable list. */
const UNREADABLE: Readonly<Record<string, Reply>> = {
  'an empty object': { json: {} },
  'a bare empty list': { json: [] },
  'a bare list': { json: others(2) },
  'an object in place of the list': { json: { referrals: {} } },
  'null in place of the list': { json: { referrals: null } },
  'a list of another name': { json: { data: [] } },
  'an error envelope': error(200),
  'an error envelope with an empty list': {
    json: { error: true, code: 'INTERNAL', message: 'no', errorList: [], referrals: [] },
  },
  'a list of null': listing(null),
  'a list of an empty object': listing({}),
  'a full page without a cursor': listing(...others(20)),
  'a page that holds fewer records than it says': {
    json: { referrals: others(1), cursor: { cursor: 'c', count: 20, resultCount: 3 } },
  },
  HTML: { text: '<html>' },
  'a redirect': { status: 302, headers: { location: '/' } },
}

it.each(Object.entries(UNREADABLE))(
  'a lookup that could not read its complete window never concludes that there is no order before one is sent: %s (§4.1, §4.7)',
  async (_, reply) => {
    for (const responseValidation of ['off', 'warn', 'strict'] as const) {
      const { server } = await setUp()
      const client = clientOf(server.origin, { responseValidation })
      server.on(LIST, reply)
      const unknown = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
      expect(unknown).toMatchObject({ attempts: 0, orderKey: KEY, cause: { name: 'InvalidResponseError' } })
      expectNoCanary(unknown)
      expect(server.count(POST)).toBe(0)
    }
  },
)

it.each(Object.entries(UNREADABLE))(
  'a lookup that could not read its complete window never concludes that there is no order after a lost response, also in recover(): %s (§4.1, §4.7)',
  async (_, reply) => {
    const { server, book } = await setUp([error(502)])
    const client = clientOf(server.origin, { orderRecoveryTimeout: 2_000 })
    server.on(LIST, reply)
    const lost = await unknownOutcome(client.referrals.create(order()))
    expect(lost).toMatchObject({ attempts: 1, cause: { name: 'InvalidResponseError' } })
    const again = await unknownOutcome(lost.recover())
    expect(again).toMatchObject({ attempts: 1, orderKey: lost.orderKey, startedAt: lost.startedAt })
    server.on(LIST, book.listScript)
    expect(await again.recover()).toMatchObject({ recovered: true, referrals: book.referrals })
    expect(server.count(POST)).toBe(1)
  },
)

it.each(['an empty object', 'an error envelope', 'a list of null', 'HTML'])(
  'a lookup reads a page again that was unreadable once, and the order is sent: %s (§4.7)',
  async (name) => {
    const { server, client, book } = await setUp()
    server.on(LIST, UNREADABLE[name] ?? {}, book.listScript)
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed.recovered).toBe(false)
    expect(server.count(LIST)).toBe(2)
  },
)

it.each([
  ['no token', 'POST /oauth/token', { status: 400, json: { code: '110' } }, 'TokenError'],
  ['401', LIST, error(401), 'AuthenticationError'],
  ['403', LIST, error(403), 'PermissionError'],
  ['429', LIST, error(429), 'RateLimitError'],
  ['500', LIST, error(500), 'ServerError'],
] as const)(
  'a lookup that could not read its complete window leaves the outcome unknown, and nothing is sent: %s (§4.1)',
  async (_, route, reply, name) => {
    const { server, client } = await setUp()
    server.on(route, reply)
    const unknown = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
    const message = expect.stringContaining(`this call sent nothing, because the lookup failed (${name})`)
    expect(unknown).toMatchObject({ outcome: 'unknown', attempts: 0, cause: { name }, message })
    expect(server.count(POST)).toBe(0)
  },
)

it('a lookup that could not read its complete window leaves the outcome unknown when a later repetition fails, and nothing is sent (§4.1)', async () => {
  const { client, server } = await setUp()
  server.on(LIST, listing(), error(500))
  const unknown = await unknownOutcome(
    client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 5_000 }),
  )
  const message = expect.stringContaining('this call sent nothing, because the lookup failed')
  expect(unknown).toMatchObject({ attempts: 0, candidates: [], message })
  expect(server.count(POST)).toBe(0)
})

const repeated = { orderKey: KEY, lookupTimeout: 5_000 }

it.each<[string, object, OrderOptions, number, number | undefined, number?]>([
  ["the call's", { timeout: 90_000 }, { orderKey: KEY, timeout: 20_000 }, 20_000, 20_000],
  ["the client's", { timeout: 7_000 }, { orderKey: KEY }, 7_000, 7_000],
  ['the default', {}, { orderKey: KEY }, 120_000, 120_000],
  ['that of repetitions and ten seconds', {}, repeated, 15_000, undefined, 2],
])('a lookup ends with %s time limit when the list does not respond, and nothing is sent', async (...row) => {
  const [, all, own, limit, timeout, reads = 1] = row
  const { server } = await setUp()
  const clock = new SkippingClock({ skip: (ms) => reads > 1 && ms <= 5_000 })
  server.on(LIST, ...Array(reads - 1).fill(listing()), { hang: 'before' })
  const client = clientOf(server.origin, { clock, ...all })
  const pending = unknownOutcome(client.referrals.create(order(), own))
  await expect.poll(() => server.count(LIST)).toBe(reads)
  clock.advance(limit)
  const unknown = await pending
  expect(unknown).toMatchObject({ outcome: 'unknown', attempts: 0 })
  if (timeout === undefined) expect(unknown.cause).toBeUndefined()
  else
    expect(unknown.cause).toMatchObject({
      ...{ name: 'TimeoutError', outcome: 'unknown', timeout },
      message: `reading the newest referrals did not end within ${timeout} ms`,
    })
  expect(server.count(POST)).toBe(0)
  expect(clock.pending).toBe(0)
})

it("a lookup ends with the call's time limit when the list does not end, and nothing is sent (§4.7)", async () => {
  const { client, server, clock } = await setUp()
  server.on(LIST, (_, nth) => {
    clock.advance(1_000)
    const cursor = { cursor: `c${nth}`, count: 1, resultCount: 1 }
    return { json: { referrals: [referral({ createdAt: at(0) })], cursor } }
  })
  const unknown = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY, timeout: 20_000 }))
  expect(unknown).toMatchObject({ attempts: 0, cause: { name: 'TimeoutError', timeout: 20_000 } })
  expect(server.count(LIST)).toBeLessThanOrEqual(20)
  expect(server.count(POST)).toBe(0)
})

it('a lookup has the time limit that the ledger has left', async () => {
  const { server } = await setUp()
  const clock = new SkippingClock({ skip: () => false })
  const orderLedger = new WatchedLedger(memoryOrderLedger({ clock }))
  orderLedger.next('claim', { before: () => clock.advance(1_500) })
  const client = clientOf(server.origin, { clock, orderLedger })
  server.on(LIST, { hang: 'before' })
  const pending = unknownOutcome(client.referrals.create(order(), { orderKey: KEY, timeout: 60_000 }))
  await expect.poll(() => server.count(LIST)).toBe(1)
  clock.advance(58_500)
  expect(await pending).toMatchObject({ attempts: 0, cause: { timeout: 60_000 } })
})

it.each([
  ['the order is on the first page', order, true, 'found'],
  ['the order is on the second page', order, false, 0],
  ['one of two referrals is on the first page', medicareOrder, true, 1],
] as const)(
  'a lookup finds what is on the pages before a page that fails: %s (§4.7)',
  async (_, given, isFirst, comes) => {
    const { client, book, server } = await setUp()
    const placeOthers = () => others(3).map(({ referenceNumber }) => book.place(order({ referenceNumber })))
    if (isFirst) placeOthers()
    book.place(given(withKey()))
    if (!isFirst) placeOthers()
    if (comes === 1) book.referrals.splice(-2, 1)
    book.pageSize = 2
    server.on(LIST, (request) => (request.query.has('cursor') ? error(500) : book.listScript(request)))
    const own = book.referrals.at(-1)
    const outcome = client.referrals.create(given(), { orderKey: KEY })
    if (comes === 'found') await expect(outcome).resolves.toMatchObject({ recovered: true, referrals: [own] })
    else
      expect(await unknownOutcome(outcome)).toMatchObject({
        ...{ attempts: 0, cause: { name: 'ServerError' } },
        candidates: comes === 1 ? [own?.uuid] : [],
      })
    expect(server.count(POST)).toBe(0)
  },
)

/** Pages of two records in the given sequence. */
async function pages(records: readonly Referral[]) {
  const world = await setUp()
  world.server.on(LIST, ({ query }) => {
    const start = Number(query.get('cursor') ?? 0)
    const items = records.slice(start, start + 2)
    const cursor = { cursor: String(start + 2), count: 2, resultCount: items.length }
    return items.length === 0 ? listing() : { json: { referrals: items, cursor } }
  })
  return world
}
const mine = (): Referral => referral({ ...withKey(), createdAt: at(MINUTE) })
const many = (count: number, shown: (nth: number) => Partial<Referral>): Referral[] =>
  Array.from({ length: count }, (_, nth) => referral(shown(nth)))

it.each<[string, () => readonly Referral[]]>([
  ['oldest first, all within seconds', () => many(4, (nth) => ({ createdAt: at(90 * HOUR - nth * 5_000) }))],
  ['oldest first, 40 within a second', () => many(40, (nth) => ({ createdAt: at(90 * HOUR - nth * 20) }))],
  [
    'by time of change',
    () => many(20, (nth) => ({ createdAt: at((90 + nth) * HOUR), updatedAt: at(nth * 1_000) })),
  ],
  [
    'out of order in the middle',
    () => [90, 0, 2, 91].map((hours) => referral({ createdAt: at(hours * HOUR) })),
  ],
  ['without times', () => [undefined, null, 7].map((createdAt) => odd({ createdAt }))],
])(
  'a list that is not newest first is read until the order appears, which is not placed again: %s (§4.7)',
  async (_, records) => {
    const { client, server } = await pages([...records(), mine()])
    await expect(client.referrals.create(order(), { orderKey: KEY })).resolves.toMatchObject({
      recovered: true,
    })
    expect(server.count(POST)).toBe(0)
  },
)

it('a list that is not newest first is read no further than the window when only neighbours are in the other sequence (§4.7)', async () => {
  const records = [1, 0, 3, 2, 1_500, 1_501, 1_502, 1_503].map((nth) =>
    referral({ createdAt: at(nth * 20_000 + (nth > 1_000 ? 72 * HOUR : 0)) }),
  )
  const { client, server } = await pages(records)
  await client.referrals.create(order(), { orderKey: KEY })
  expect(server.count(LIST)).toBe(3)
  expect(server.count(POST)).toBe(1)
})

it('referrals.findByOrderKey finds an order after a restart with the saved data of the error (§4.1)', async () => {
  const fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0 })
  const hasty = new PathologyClient({ ...fake.clientOptions(), orderRecoveryTimeout: 0, maxRetries: 0 })
  const client = new PathologyClient(fake.clientOptions())
  onTestFinished(async () => {
    await Promise.all([hasty.close(), client.close()])
    await fake.close()
  })
  fake.faults.next(POST, { loseResponse: true })
  fake.faults.next(LIST, { status: 503 })
  const lost = await unknownOutcome(hasty.referrals.create(order({ tests: ['tsh'] })))
  const found = await client.referrals.findByOrderKey(lost.orderKey, { since: lost.startedAt })
  const [placed] = fake.referrals.all()
  expect(found).toMatchObject({ orderKey: lost.orderKey, commercial: { uuid: placed?.uuid } })
  expect(await client.referrals.findByOrderKey('another key')).toBeUndefined()
  expect(fake.referrals.all()).toHaveLength(1)
})

it('referrals.findByOrderKey returns no order, a part of it or all of it as the service shows it, in one lookup (§4.1)', async () => {
  const { client, book, server, clock } = await setUp()
  server.on(LIST, listing(bare()), book.listScript)
  expect(await client.referrals.findByOrderKey(KEY)).toBeUndefined()
  const [commercial, medicare] = book.place(medicareOrder(withKey()))
  book.referrals.pop()
  expect(await client.referrals.findByOrderKey(KEY)).toEqual({
    ...{ referrals: [commercial], commercial, medicare: undefined },
    ...{ recovered: true, orderKey: KEY },
  })
  if (medicare !== undefined) book.referrals.push(medicare)
  expect(await client.referrals.findByOrderKey(KEY)).toMatchObject({ commercial, medicare })
  expect(server.count(LIST)).toBe(3)
  expect(clock.slept).toEqual([])
})

it('referrals.findByOrderKey finds an order from before the default window only with since', async () => {
  const { client, book } = await setUp()
  book.place(order(withKey()), ago(25 * HOUR))
  expect(await client.referrals.findByOrderKey(KEY)).toBeUndefined()
  const since = at(26 * HOUR)
  expect(await client.referrals.findByOrderKey(KEY, { since })).toMatchObject({ recovered: true })
})

it.each([
  ['', {}, 'InvalidRequestError', 'orderKey must be text with at least one character'],
  [7, {}, 'InvalidRequestError', 'orderKey must be text with at least one character'],
  ['key-\ud83d', {}, 'InvalidRequestError', 'orderKey must be text with at least one character'],
  [KEY, { since: 'yesterday' }, 'ConfigurationError', 'since must be a Date or an ISO 8601 time'],
  [KEY, { lookupTimeout: 1 }, 'ConfigurationError', 'is not an option of referrals.findByOrderKey'],
  [KEY, { apiVersion: '2.0.0' }, 'ConfigurationError', 'apiVersion'],
])('referrals.findByOrderKey rejects %j with %j, and sends nothing', async (key, options, name, problem) => {
  const { client, server } = await setUp()
  const refused = await rejection(client.referrals.findByOrderKey(key as string, options as never))
  expect(refused).toMatchObject({ name, message: expect.stringContaining(problem) })
  expect(server.requests).toHaveLength(0)
})
