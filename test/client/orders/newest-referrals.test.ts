import { getEventListeners } from 'node:events'
import { type Order, OrderOutcomeUnknownError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { settled } from '../../support/settled.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { error, HOUR, KEY, LIST, POST, setUp, withKey } from './order-world.js'

/** A promise and the function that resolves it. */
function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** A service whose list holds its first `held` responses until the test releases them. They show the state at their request. */
async function slowList(held = 1) {
  const world = await setUp()
  const { opened, open } = gate()
  world.server.on(LIST, (request, nth) => {
    const reply = world.book.listScript(request)
    return nth <= held ? { ...reply, after: opened } : reply
  })
  const begun = (): Promise<void> => expect.poll(() => world.server.count(LIST)).toBe(1)
  return { ...world, open, begun }
}

describe('lookups of a client share their reads of the newest referrals', () => {
  it('30 orders that are lost in an outage of 30 s cause few requests, and all are found afterwards (§8)', async () => {
    const { server, book, clock, client } = await setUp()
    const isDown = (): boolean => clock.monotonic() < 30_000
    server.on(POST, ({ body }) => {
      book.place(JSON.parse(body))
      return error(503)
    })
    server.on(LIST, (request) => (isDown() ? error(503) : book.listScript(request)))
    const calls = Array.from({ length: 30 }, (_, nth) =>
      client.referrals.create(order({ referenceNumber: `ref-${nth}` })).catch((thrown: unknown) => thrown),
    )
    const outcomes = await Promise.all(calls)
    expect(server.count(POST)).toBe(30)
    expect(server.count(LIST)).toBeLessThanOrEqual(25)
    if (isDown()) clock.advance(30_000)
    const inOutage = server.count(LIST)
    const orders = outcomes.map((each) => (each instanceof OrderOutcomeUnknownError ? each.recover() : each))
    for (const [nth, placed] of (await Promise.all(orders)).entries()) {
      expect(placed).toMatchObject({ recovered: true, referrals: [{ referenceNumber: `ref-${nth}` }] })
    }
    expect(server.count(LIST) - inOutage).toBeLessThanOrEqual(6)
    expect(book.orders).toHaveLength(30)
  })

  it('later pages that sometimes fail are retried, also after a read that failed (§8)', async () => {
    const { server, book, client } = await setUp([{ reset: 'before' }])
    for (let nth = 0; nth < 6; nth += 1) book.place(order({ referenceNumber: `o-${nth}` }))
    book.pageSize = 2
    const broken = [4, 5, 6, 8, 10]
    server.on(LIST, (request, nth) => (broken.includes(nth) ? error(503) : book.listScript(request)))
    const placed = await client.referrals.create(order())
    expect(placed.recovered).toBe(true)
    expect(server.count(LIST)).toBeLessThanOrEqual(12)
  })

  it.each([0, 1_000])(
    'orders that are lost %i ms after one another cause at most ten reads in 20 s (§8)',
    async (apartMs) => {
      const { server, book } = await setUp()
      const clock = new SkippingClock()
      const client = clientOf(server.origin, { clock, maxRetries: 0 })
      const readings: number[] = []
      book.hiddenFor = Number.POSITIVE_INFINITY
      server.on(POST, ({ body }) => {
        book.place(JSON.parse(body))
        return { reset: 'before' }
      })
      server.on(LIST, (request) => {
        readings.push(clock.monotonic())
        return book.listScript(request)
      })
      const calls: Promise<unknown>[] = []
      for (let nth = 0; nth < 30; nth += 1) {
        calls.push(rejection(client.referrals.create(order({ referenceNumber: `ref-${nth}` }))))
        await expect.poll(() => server.count(POST)).toBe(nth + 1)
        clock.advance(apartMs)
      }
      const errors = await Promise.all(calls)
      for (const each of errors) expect(each).toBeInstanceOf(OrderOutcomeUnknownError)
      const most = Math.max(
        ...readings.map((from) => readings.filter((at) => at >= from && at <= from + 20_000).length),
      )
      // The client starts nine. On a busy machine, a tenth can arrive later than it started.
      expect(most).toBeLessThanOrEqual(10)
      book.hiddenFor = 0
      const before = readings.length
      const recovered = errors.map((each) =>
        each instanceof OrderOutcomeUnknownError ? each.recover() : undefined,
      )
      for (const each of await Promise.all(recovered)) expect(each?.recovered).toBe(true)
      expect(readings.length - before).toBeLessThanOrEqual(3)
    },
  )

  it('orders under 20 keys at once need at most two reads before they are sent (§8)', async () => {
    const { server, client, begun, open } = await slowList()
    const calls = Array.from({ length: 20 }, (_, nth) =>
      client.referrals.create(order(), { orderKey: `k-${nth}` }),
    )
    await begun()
    await settled()
    open()
    for (const placed of await Promise.all(calls)) expect(placed.recovered).toBe(false)
    expect(server.count(POST)).toBe(20)
    expect(server.count(LIST)).toBeLessThanOrEqual(2)
  })

  it('orders under keys one after another do not wait with a healthy service (§8)', async () => {
    const { client, clock, server } = await setUp()
    for (let nth = 0; nth < 20; nth += 1) await client.referrals.create(order(), { orderKey: `k-${nth}` })
    expect(clock.slept).toEqual([])
    expect(server.count(LIST)).toBe(20)
  })
})

describe('a lookup shares only a read that starts after its own request ended', () => {
  it('a call under a key shares only a read that starts after the call began (§4.1)', async () => {
    const { client, book, server, open, begun } = await slowList()
    const other = client.referrals.findByOrderKey('another')
    await begun()
    book.place(order(withKey(KEY)))
    const placed = client.referrals.create(order(), { orderKey: KEY })
    await settled()
    open()
    expect(await other).toBeUndefined()
    await expect(placed).resolves.toMatchObject({ recovered: true })
    expect(server.count(POST)).toBe(0)
    expect(server.count(LIST)).toBe(2)
  })

  it('a lost order shares only a read that starts after its response was lost (§4.1)', async () => {
    const { server, book, open, begun, clock } = await slowList()
    const client = clientOf(server.origin, { clock, orderRecoveryTimeout: 0 })
    server.on(POST, ({ body }) => {
      book.place(JSON.parse(body))
      return { reset: 'before' }
    })
    const other = client.referrals.findByOrderKey('another')
    await begun()
    const placed = client.referrals.create(order())
    await expect.poll(() => server.count(POST)).toBe(1)
    await settled()
    open()
    expect(await other).toBeUndefined()
    await expect(placed).resolves.toMatchObject({ recovered: true })
  })

  it('a read goes back to the start of the longest window that shares it, page by page (§4.1)', async () => {
    const { client, book, begun, open, server } = await slowList()
    const first = client.referrals.findByOrderKey('another')
    await begun()
    book.pageSize = 1
    const ago = (hours: number): Date => new Date(Date.now() - hours * HOUR)
    const keys = ['old', 'x', 'young', 'y']
    for (const [nth, key] of keys.entries()) book.place(order(withKey(key)), ago([50, 40, 3, 2][nth] ?? 0))
    const since = (hours: number) => ({ since: ago(hours) })
    const lookups = [
      client.referrals.findByOrderKey('young', since(4)),
      client.referrals.findByOrderKey('old', since(60)),
      client.referrals.findByOrderKey('old', since(4)),
    ]
    await settled()
    open()
    await first
    const found = await Promise.all(lookups)
    expect(found.map((each) => each?.orderKey)).toEqual(['young', 'old', undefined])
    expect(
      server.requests.filter(
        ({ method, path, query }) => method === 'GET' && path.endsWith('referrals') && !query.has('cursor'),
      ),
    ).toHaveLength(2)
  })
})

describe('a shared read does not depend on one caller', () => {
  it('one of the lookups that share a read rejects at once when it aborts, and the others get their orders (§8)', async () => {
    const { client, book, begun, open, server } = await slowList(2)
    const first = client.referrals.findByOrderKey('another')
    await begun()
    book.place(order(withKey(KEY)))
    const abort = new AbortController()
    const { signal } = abort
    const aborted = rejection(client.referrals.findByOrderKey(KEY, { signal }))
    const other = client.referrals.findByOrderKey(KEY)
    await settled()
    const reason = new Error('the user went away')
    abort.abort(reason)
    expect(await aborted).toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    open()
    await first
    await expect(other).resolves.toMatchObject({ orderKey: KEY })
    expect(server.count(LIST)).toBe(2)
  })

  it('the others get their orders when the lookup that started a read aborts (§8)', async () => {
    const { client, book, begun, open, server } = await slowList()
    const abort = new AbortController()
    book.place(order(withKey(KEY)))
    const first = rejection(client.referrals.findByOrderKey(KEY, { signal: abort.signal }))
    await begun()
    const other = client.referrals.findByOrderKey(KEY)
    await settled()
    abort.abort()
    await first
    await expect(other).resolves.toMatchObject({ orderKey: KEY })
    open()
    expect(server.count(LIST)).toBe(2)
  })

  it('a read ends when all its lookups abort, and no timer or request remains (§8)', async () => {
    const { server } = await setUp()
    const clock = new SkippingClock({ skip: () => false })
    const client = clientOf(server.origin, { clock })
    server.on(LIST, { hang: 'before' })
    const abort = new AbortController()
    const { signal } = abort
    const lookups = ['a', 'b', 'c'].map((key) => rejection(client.referrals.findByOrderKey(key, { signal })))
    await expect.poll(() => server.count(LIST)).toBe(1)
    await settled()
    abort.abort()
    await Promise.all(lookups)
    await settled()
    expect(server.count(LIST)).toBe(1)
    expect(clock.pending).toBe(0)
    server.on(LIST, { json: { referrals: [] } })
    expect(await client.referrals.findByOrderKey('d')).toBeUndefined()
  })
})

describe('several orders are lost at the same time', () => {
  it.each<[string, () => Order, number]>([
    ['of one referral', () => order(), 1],
    ['of two referrals', () => medicareOrder(), 2],
  ])('two orders of the same patient, %s, are found by their own keys (§4.1)', async (_, given, makes) => {
    const { client, server, book } = await setUp([{ reset: 'before' }, { reset: 'before' }])
    const placed = await Promise.all([client.referrals.create(given()), client.referrals.create(given())])
    for (const { referrals, orderKey } of placed) {
      expect(referrals).toHaveLength(makes)
      for (const { metadata } of referrals) expect(metadata).toEqual(withKey(String(orderKey)).metadata)
    }
    expect(book.orders).toHaveLength(2)
    expect(server.count(POST)).toBe(2)
  })

  it('a shared lookup fails for all its orders, and each error names its own order (§4.1)', async () => {
    const { client, server } = await setUp()
    server.on(LIST, error(400))
    const calls = ['a', 'b', 'c'].map((orderKey) => rejection(client.referrals.create(order(), { orderKey })))
    const errors = await Promise.all(calls)
    expect(errors).toMatchObject(
      ['a', 'b', 'c'].map((orderKey) => ({ orderKey, attempts: 0, outcome: 'unknown' })),
    )
    expect(server.count(POST)).toBe(0)
    expect(server.count(LIST)).toBeLessThanOrEqual(2)
  })
})
