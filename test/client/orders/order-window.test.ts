import { runInNewContext } from 'node:vm'
import { memoryOrderLedger, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { OrderBook } from '../../support/order-book.js'
import { order } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { ago, HOUR, KEY, LIST, MINUTE, POST, setUp, unknownOutcome, withKey } from './order-world.js'

const DAY = 24 * HOUR

it.each<[string, number, number, string?]>([
  ['the local clock is a second fast', 1_000, 1_000],
  ['the local clock is 14 minutes fast', 14 * MINUTE, 14 * MINUTE],
  ['the local clock is a day fast', DAY, DAY],
  ['the local clock is an hour slow', -HOUR, -HOUR],
  ['the local clock is a day slow, and the clock of the job right', -DAY, 0],
  ['the local clock is a day slow, and the clock of the job a day fast', -DAY, DAY],
  ['the service is years behind', 0, 0, '2026-03-02T09:00:00Z'],
  ['the service is years ahead', 0, 0, '2099-03-02T09:00:00Z'],
])(
  'a job that runs twice, with the time of its creation as since, orders once although %s (§4.1)',
  async (_, ownError, makersError, startTime) => {
    const start = startTime === undefined ? {} : { startTime }
    const fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0, ...start })
    onTestFinished(() => fake.close())
    const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
    const since = ago(-makersError)
    for (const _ of [1, 2]) {
      const clock = new SkippingClock({ now: Date.now() + ownError })
      const client = new PathologyClient({ baseUrl, authUrl, clientId, clientSecret, clock })
      onTestFinished(() => client.close())
      await client.referrals.create(order({ tests: ['tsh'] }), { orderKey: KEY, since })
    }
    expect(fake.referrals.all()).toHaveLength(1)
  },
)

it.each([
  ['the local clock is an hour fast', HOUR, HOUR],
  ['the local clock is a day fast', DAY, DAY],
  ['the local clock is an hour slow, and the clock of the job right', -HOUR, 0],
  ['both clocks are an hour slow', -HOUR, -HOUR],
  ['the clock of the job is 14 minutes fast', 0, 14 * MINUTE],
])(
  'a job that runs twice, with the time of its creation as since, orders once although %s, and the next run is hours later (§4.1)',
  async (_, ownError, makersError) => {
    const server = await ScriptedServer.start()
    const clock = new SkippingClock({ now: Date.now() + ownError })
    const serviceNow = (): number => clock.now() - ownError
    const book = new OrderBook(server, [], serviceNow)
    const headers = (): Record<string, string> => ({ date: new Date(serviceNow()).toUTCString() })
    server.on(LIST, (request) => ({ ...book.listScript(request), headers: headers() }))
    const since = new Date(serviceNow() + makersError)
    for (const hours of [0, 1.5, 24]) {
      clock.advance(hours * HOUR)
      await clientOf(server.origin, { clock }).referrals.create(order(), { orderKey: KEY, since })
    }
    expect(book.orders).toHaveLength(1)
  },
)

/** A service whose Date header is ahead of the local clock and of the records. */
async function setUpAhead(ahead: number) {
  const world = await setUp()
  const { book, server, clock } = world
  const headers = { date: new Date(clock.now() + ahead).toUTCString() }
  server.on(LIST, (request) => ({ ...book.listScript(request), headers }))
  server.on(POST, ({ body }) => {
    book.place(JSON.parse(body))
    return { status: 502, text: '', headers }
  })
  return { ...world, headers, earlier: (ms: number) => new Date(clock.now() - ms) }
}

it('an order is found without Date headers: the margin of 15 minutes is enough (§4.1)', async () => {
  const { book, server } = await setUp()
  server.on(LIST, (request) => ({ ...book.listScript(request), headers: { date: 'x' } }))
  const clock = new SkippingClock({ now: Date.now() + 10 * MINUTE })
  book.place(order(withKey()))
  const options = { orderKey: KEY, since: new Date(clock.now()) }
  const placed = await clientOf(server.origin, { clock }).referrals.create(order(), options)
  expect(placed.recovered).toBe(true)
})

it.each([
  ['without since, the lookup goes back 24 hours from the earlier time', 10 * HOUR, undefined],
  ['a since in the future by both clocks is replaced by the default', HOUR, -2 * HOUR],
])('%s (§4.1)', async (_, ahead, sinceMs) => {
  const { client, book, earlier } = await setUpAhead(ahead)
  book.place(order(withKey()), earlier(16 * HOUR))
  const since = sinceMs === undefined ? undefined : earlier(sinceMs)
  const placed = await client.referrals.create(order(), { orderKey: KEY, since })
  expect(placed.recovered).toBe(true)
})

it.each([20 * MINUTE, 10 * HOUR])(
  'with a Date header that is %i ms ahead, findByOrderKey finds the order with the startedAt of its error (§4.1)',
  async (ahead) => {
    const { client, book, server, headers } = await setUpAhead(ahead)
    const down = { status: 503, text: '', headers }
    server.on(LIST, { json: { referrals: [] }, headers }, down)
    const lost = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
    server.on(LIST, (request) => ({ ...book.listScript(request), headers }))
    const later = clientOf(server.origin)
    expect(await later.referrals.findByOrderKey(KEY, { since: lost.startedAt })).toBeDefined()
  },
)

it('with a Date header that is hours ahead, an order that was sent earlier is found, also when it may be sent again (§4.1)', async () => {
  const { book, server, clock } = await setUpAhead(10 * HOUR)
  const client = clientOf(server.origin, { clock, resendAfter: 180_000 })
  book.hiddenFor = Number.POSITIVE_INFINITY
  await rejection(client.referrals.create(order(), { orderKey: KEY }))
  book.hiddenFor = 0
  clock.advance(180_000)
  expect(await client.referrals.create(order(), { orderKey: KEY })).toMatchObject({ recovered: true })
  expect(book.orders).toHaveLength(1)
})

const since = new Date('2026-03-02T01:00:00.500Z')

it.each<[string, Date, unknown, number]>([
  ['placed at since', since, since, 0],
  ['placed 15 minutes before since', new Date(since.getTime() - 15 * MINUTE), since.toISOString(), 0],
  ['placed an hour before since', new Date(since.getTime() - HOUR), since, 1],
  ['with an offset in since', new Date('2026-03-02T01:00:00Z'), '2026-03-02T11:00:00+10:00', 0],
  ['before a since in UTC', new Date('2026-03-02T01:00:00Z'), '2026-03-02T11:00:00Z', 1],
  ['of another realm', ago(0), runInNewContext('new Date()'), 0],
  ['placed 23 hours ago, without since', ago(23 * HOUR), undefined, 0],
  ['placed 25 hours ago, without since', ago(25 * HOUR), undefined, 1],
])(
  'an order under an own key is looked up from 15 minutes before since, or 24 hours back: %s (§4.1)',
  async (_, placedAt, given, posts) => {
    const { client, book, server } = await setUp()
    book.place(order(withKey()), placedAt)
    await client.referrals.create(order(), { orderKey: KEY, since: given as Date })
    expect(server.count(POST)).toBe(posts)
  },
)

it('an order under an own key is looked up on no more pages than necessary (§4.7)', async () => {
  const { client, book, server } = await setUp()
  book.pageSize = 1
  for (const minutes of [60, 40, 20, 10, 5]) book.place(order(), ago(minutes * MINUTE))
  await client.referrals.create(order(), { orderKey: KEY, since: ago(-MINUTE) })
  expect(server.count(LIST)).toBe(3)
})

it('an order under an own key is looked up without an older order of this key, also after a lost response (§4.1)', async () => {
  const { client, book } = await setUp(['not placed'])
  book.place(order({ firstName: 'Otto', ...withKey() }), ago(48 * HOUR))
  const unknown = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
  expect(unknown).toMatchObject({ orderKey: KEY, candidates: [] })
})

it('a since before 1970 looks an order up from the start of 1970', async () => {
  const { server } = await setUp()
  const ledger = new WatchedLedger(memoryOrderLedger())
  const { referrals } = clientOf(server.origin, { orderLedger: ledger })
  server.on(LIST, { status: 500 })
  const since = new Date(-8.64e15)
  const error = await unknownOutcome(referrals.create(order(), { orderKey: KEY, since }))
  expect(ledger.calls[0]?.request).toMatchObject({ since: new Date(0) })
  expect(JSON.parse(JSON.stringify(error))).toHaveProperty('startedAt')
})
