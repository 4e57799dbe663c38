import { runInNewContext } from 'node:vm'
import {
  memoryOrderLedger,
  ORDER_KEY_FIELD,
  type OrderOptions,
  OrderOutcomeUnknownError,
  PathologyClient,
} from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { OrderBook } from '../../support/order-book.js'
import { order } from '../../support/samples.js'
import { ScriptedServer } from '../../support/scripted-server.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { POST, setUp } from './order-world.js'

const KEY = 'job-77'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }

/** Runs a job twice, each time in another process, as in the guide. Returns the number of orders. */
async function ordersOfTwoRuns(since: Date, ownError: number, startTime?: string): Promise<number> {
  const fake = await FakePathologyService.start({
    port: 0,
    centreCount: 1,
    seedReferrals: 0,
    ...(startTime && { startTime }),
  })
  onTestFinished(() => fake.close())
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  for (const _ of [1, 2]) {
    const clock = new SkippingClock({ now: Date.now() + ownError })
    const client = new PathologyClient({ baseUrl, authUrl, clientId, clientSecret, clock })
    onTestFinished(() => client.close())
    await client.referrals.create(order({ tests: ['tsh'] }), { orderKey: KEY, since })
  }
  return fake.referrals.all().length
}

describe('§4.1 since and clocks that differ: a job that runs twice orders once', () => {
  it.each([1_000, MINUTE, 14 * MINUTE, HOUR, 24 * HOUR])('the local clock is %i ms fast', async (ahead) => {
    expect(await ordersOfTwoRuns(new Date(Date.now() + ahead), ahead)).toBe(1)
  })

  it.each([MINUTE, HOUR, 24 * HOUR])('the local clock is %i ms slow', async (behind) => {
    expect(await ordersOfTwoRuns(new Date(Date.now() - behind), -behind)).toBe(1)
  })

  it.each([
    ['whose clock is right', 0],
    ['whose clock is 14 minutes ahead', 14 * MINUTE],
    ['whose clock is a day ahead', 24 * HOUR],
  ])('the local clock is a day behind, and the job was created on a machine %s', async (_, ahead) => {
    expect(await ordersOfTwoRuns(new Date(Date.now() + ahead), -24 * HOUR)).toBe(1)
  })

  it.each(['2026-03-02T09:00:00Z', '2099-03-02T09:00:00Z'])(
    'in a test with a service whose clock is at %s',
    async (startTime) => {
      expect(await ordersOfTwoRuns(new Date(), 0, startTime)).toBe(1)
    },
  )

  it('without Date headers to correct the clock, the margin is enough', async () => {
    const { book, server } = await setUp()
    const list = book.listScript
    server.on('GET /v1/referrals', async (request) => ({ ...(await list(request)), headers: { date: 'x' } }))
    const clock = new SkippingClock({ now: Date.now() + 10 * MINUTE })
    book.place(order(withKey))
    const since = new Date(clock.now())
    const placed = await clientOf(server.origin, { clock }).referrals.create(order(), {
      orderKey: KEY,
      since,
    })
    expect(placed.recovered).toBe(true)
  })
})

describe('§4.1 since and clocks that differ, and the second run is later', () => {
  it.each([
    ['ours is an hour ahead', HOUR, HOUR],
    ['ours is a day ahead', 24 * HOUR, 24 * HOUR],
    ['ours is an hour behind, that of the machine where the job was made is right', -HOUR, 0],
    ['both are an hour behind', -HOUR, -HOUR],
    ["ours is right, the other machine's 14 minutes ahead", 0, 14 * MINUTE],
  ])('%s: still one order', async (_, ownError, makersError) => {
    const server = await ScriptedServer.start()
    const clock = new SkippingClock({ now: Date.now() + ownError })
    const serviceNow = (): number => clock.now() - ownError
    const book = new OrderBook(server, [], serviceNow)
    const headers = (): Record<string, string> => ({ date: new Date(serviceNow()).toUTCString() })
    const list = book.listScript
    server.on('GET /v1/referrals', (request) => ({ ...list(request), headers: headers() }))
    const since = new Date(serviceNow() + makersError)
    for (const hours of [0, 1.5, 24]) {
      clock.advance(hours * HOUR)
      await clientOf(server.origin, { clock }).referrals.create(order(), { orderKey: KEY, since })
    }
    expect(book.orders).toHaveLength(1)
  })
})

describe('a gateway sends a Date header that is ahead of the local clock and of the records', () => {
  async function setUpAhead(ahead: number) {
    const world = await setUp()
    const { book, server, clock } = world
    const headers = { date: new Date(clock.now() + ahead).toUTCString() }
    server.on('GET /v1/referrals', (request) => ({ ...book.listScript(request), headers }))
    return { ...world, headers, ago: (ms: number) => new Date(clock.now() - ms) }
  }

  it('without since, the lookup goes back 24 hours from the earlier time', async () => {
    const { client, book, ago } = await setUpAhead(10 * HOUR)
    book.place(order(withKey), ago(16 * HOUR))
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed.recovered).toBe(true)
    expect(book.orders).toHaveLength(1)
  })

  it.each([20 * MINUTE, 10 * HOUR])(
    'findByOrderKey finds the order with the startedAt of its error (%i ms ahead)',
    async (ahead) => {
      const { client, book, server, headers } = await setUpAhead(ahead)
      server.on(POST, ({ body }) => {
        book.place(JSON.parse(body))
        return { status: 502, text: '', headers }
      })
      server.on('GET /v1/referrals', { json: { referrals: [] }, headers }, { status: 503, text: '', headers })
      const lost = await rejection(client.referrals.create(order(), { orderKey: KEY }))
      if (!(lost instanceof OrderOutcomeUnknownError)) throw lost
      server.on('GET /v1/referrals', (request) => ({ ...book.listScript(request), headers }))
      const later = clientOf(server.origin)
      expect(await later.referrals.findByOrderKey(KEY, { since: lost.startedAt })).toBeDefined()
    },
  )

  it('an order that was sent earlier is found, also when it may be sent again', async () => {
    const { book, server, clock, headers } = await setUpAhead(10 * HOUR)
    const client = clientOf(server.origin, { clock, resendAfter: 180_000 })
    server.on(POST, ({ body }) => {
      book.place(JSON.parse(body))
      return { status: 502, text: '', headers }
    })
    book.hiddenFor = Number.POSITIVE_INFINITY
    await rejection(client.referrals.create(order(), { orderKey: KEY }))
    book.hiddenFor = 0
    clock.advance(180_000)
    expect(await client.referrals.create(order(), { orderKey: KEY })).toMatchObject({ recovered: true })
    expect(book.orders).toHaveLength(1)
  })

  it('a since that is in the future by both clocks is replaced by the default', async () => {
    const { client, book, ago } = await setUpAhead(HOUR)
    book.place(order(withKey), ago(16 * HOUR))
    const placed = await client.referrals.create(order(), { orderKey: KEY, since: ago(-2 * HOUR) })
    expect(placed.recovered).toBe(true)
  })
})

describe('how far back an order under your own key is looked up', () => {
  const since = new Date('2026-03-02T01:00:00.500Z')

  it.each([
    ['at the very moment', 0, 0],
    ['later', 1_000, 0],
    ['15 minutes earlier', -15 * MINUTE, 0],
    ['an hour earlier', -HOUR, 1],
  ])('since: placed %s', async (_, ms, posts) => {
    for (const given of [since, since.toISOString()]) {
      const { client, book, server } = await setUp()
      book.place(order(withKey), new Date(since.getTime() + ms))
      await client.referrals.create(order(), { orderKey: KEY, since: given })
      expect(server.count(POST)).toBe(posts)
    }
  })

  it('since with an offset from UTC is that moment', async () => {
    for (const [hour, posts] of [
      ['T11:00:00+10:00', 0],
      ['T11:00:00Z', 1],
    ] as const) {
      const { client, book, server } = await setUp()
      book.place(order(withKey), new Date('2026-03-02T01:00:00Z'))
      await client.referrals.create(order(), { orderKey: KEY, since: `2026-03-02${hour}` })
      expect(server.count(POST)).toBe(posts)
    }
  })

  it.each([
    ['23 hours ago', 23, 0],
    ['25 hours ago', 25, 1],
  ])('without since: placed %s', async (_, hours, posts) => {
    const { client, book, server } = await setUp()
    book.place(order(withKey), new Date(Date.now() - hours * HOUR))
    await client.referrals.create(order(), { orderKey: KEY })
    expect(server.count(POST)).toBe(posts)
  })

  it('reads no more pages than necessary', async () => {
    const { client, book, server } = await setUp()
    book.pageSize = 1
    for (const minutes of [60, 40, 20, 10, 5]) book.place(order(), new Date(Date.now() - minutes * MINUTE))
    await client.referrals.create(order(), { orderKey: KEY, since: new Date(Date.now() + MINUTE) })
    expect(server.count('GET /v1/referrals')).toBe(3)
  })

  it('an earlier order with the key is not the order whose response was lost', async () => {
    const { client, book } = await setUp(['not placed'])
    book.place(order({ firstName: 'Otto', ...withKey }), new Date(Date.now() - 48 * HOUR))
    const unknown = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', orderKey: KEY, candidates: [] })
  })
})

describe('an unusual since', () => {
  it.each([-8.64e15, -1e15])(
    'of %d ms: the ledger gets a usable time, and an error can be logged',
    async (ms) => {
      const { server } = await setUp()
      const ledger = new WatchedLedger(memoryOrderLedger())
      const { referrals } = clientOf(server.origin, { orderLedger: ledger })
      server.on('GET /v1/referrals', { status: 500 })
      const error = await rejection(referrals.create(order(), { orderKey: KEY, since: new Date(ms) }))
      expect(ledger.calls[0]?.request).toMatchObject({ since: new Date(0) })
      expect(JSON.parse(JSON.stringify(error))).toHaveProperty('startedAt')
    },
  )

  it('of another realm, such as that of a test runner', async () => {
    const { client, book, server } = await setUp()
    book.place(order(withKey))
    const since: Date = runInNewContext('new Date()')
    expect(since).not.toBeInstanceOf(Date)
    await client.referrals.create(order(), { orderKey: KEY, since })
    expect(server.count(POST)).toBe(0)
  })
})

describe('invalid options of an order: nothing is sent', () => {
  it.each([new Date(Number.NaN), 'yesterday', '', 0, 1_772_000_000_000, null, true, {}])(
    'since %s',
    async (given) => {
      const { client, server } = await setUp()
      const refused = await rejection(
        client.referrals.create(order(), { orderKey: KEY, since: given as Date }),
      )
      expect(refused).toMatchObject({
        name: 'ConfigurationError',
        message: 'since must be a Date or an ISO 8601 time',
      })
      expect(server.requests).toHaveLength(0)
    },
  )

  it.each<OrderOptions>([
    { orderKey: undefined, since: new Date() },
    { since: '2026-03-02T01:00:00Z' },
    { orderKey: undefined, lookupTimeout: 30_000 },
  ])('§4.1 lookup options without your own key: %j', async (options) => {
    const { client, server } = await setUp()
    const refused = await rejection(client.referrals.create(order(), options))
    expect(refused).toMatchObject({
      name: 'ConfigurationError',
      message: 'since and lookupTimeout require your own orderKey',
    })
    expect(server.requests).toHaveLength(0)
  })

  it('an unknown option: the error names it and the call', async () => {
    const { client, server } = await setUp()
    const options: object = { orderkey: KEY }
    const refused = await rejection(client.referrals.create(order(), options))
    expect(refused).toMatchObject({ message: expect.stringMatching(/orderkey .*referrals\.create/) })
    expect(server.requests).toHaveLength(0)
  })

  it('undefined options mean the defaults', async () => {
    const { client } = await setUp()
    const options = { orderKey: undefined, since: undefined, lookupTimeout: undefined }
    await expect(client.referrals.create(order(), options)).resolves.toMatchObject({ recovered: false })
  })
})
