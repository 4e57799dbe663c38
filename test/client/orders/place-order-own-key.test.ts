import { getEventListeners } from 'node:events'
import { ORDER_KEY_FIELD, OrderOutcomeUnknownError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, referral } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { error, POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'
const withKey = { metadata: { [ORDER_KEY_FIELD]: KEY } }

describe('an order under a key of your own (§4.1)', () => {
  it('placed before: one lookup, no wait, no POST, and the response says that nothing was sent', async () => {
    const { client, book, server, clock } = await setUp()
    book.place(order(withKey))
    const { data, response } = await client.referrals.create(order(), { orderKey: KEY }).withResponse()
    expect(data).toMatchObject({ recovered: true, orderKey: KEY })
    expect(data.referrals).toEqual(book.referrals)
    expect(response).toEqual({ status: 200, headers: {}, requestId: undefined, attempts: 0 })
    expect(book.listReads).toBe(1)
    expect(clock.slept).toEqual([])
    expect(server.count(POST)).toBe(0)
  })

  it('placed with a referral whose ID is not a UUID: a repeated call looks it up, because it cannot be read', async () => {
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

  it.each([
    ['without', 'visit 17'],
    ['with', ' visit 17 '],
  ])('its reference number is returned %s the spaces at its ends: it is the same order', async (_, kept) => {
    const { client, book, server } = await setUp()
    book.place(order({ ...withKey, referenceNumber: kept }))
    const placed = await client.referrals.create(order({ referenceNumber: ' visit 17 ' }), {
      orderKey: KEY,
    })
    expect(placed.referrals).toEqual(book.referrals)
    expect(server.count(POST)).toBe(0)
  })

  it('more referrals with the key than expected: all of them are the order, and it is not placed again', async () => {
    const { client, book, server } = await setUp()
    book.place(order(withKey))
    book.place(order(withKey))
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed.referrals).toHaveLength(2)
    expect(server.count(POST)).toBe(0)
  })

  it('one of two referrals appears at first: the lookup waits for the other', async () => {
    const { client, book, server } = await setUp()
    book.place(medicareOrder(withKey))
    server.on(LIST, { json: { referrals: book.referrals.slice(0, 1) } }, () => ({
      json: { referrals: book.referrals },
    }))
    const placed = await client.referrals.create(medicareOrder(), { orderKey: KEY })
    expect(placed).toMatchObject({ recovered: true, orderKey: KEY })
    expect(placed.referrals).toHaveLength(2)
    expect(server.count(POST)).toBe(0)
  })

  it('placed a moment ago by this client, and not in the list yet: the call waits, and does not place it again', async () => {
    const { client, book, server } = await setUp()
    const first = await client.referrals.create(order(), { orderKey: KEY })
    expect(server.count(POST)).toBe(1)
    const empty = { json: { referrals: [] } }
    server.on(LIST, empty, empty, () => ({ json: { referrals: book.referrals } }))
    const again = await client.referrals.create(order(), { orderKey: KEY })
    expect(again).toMatchObject({ recovered: true, referrals: first.referrals })
    expect(server.count(POST)).toBe(1)
  })

  it('only one of two referrals ever appears: unknown, with that referral, and nothing is sent', async () => {
    const { client, book, server } = await setUp()
    const since = new Date(Date.now() - 60_000)
    book.place(medicareOrder(withKey))
    server.on(LIST, () => ({ json: { referrals: book.referrals.slice(0, 1) } }))
    const unknown = await rejection(client.referrals.create(medicareOrder(), { orderKey: KEY, since }))
    if (!(unknown instanceof OrderOutcomeUnknownError)) throw unknown
    expect(unknown).toMatchObject({ orderKey: KEY, attempts: 0 })
    expect(unknown.message).toContain(
      'this call sent nothing, because the lookup found only a part of the order',
    )
    expect(unknown.message).not.toContain('lost')
    expect(unknown.message).toMatch(/or repeat create\(\) with the same orderKey, "job-77"$/)
    expect(unknown.startedAt.getTime()).toBeLessThan(since.getTime())
    expect(unknown.candidates).toEqual([book.referrals[0]?.uuid])
    expect(server.count(POST)).toBe(0)
    server.on(LIST, () => ({ json: { referrals: book.referrals } }))
    await expect(unknown.recover()).resolves.toMatchObject({ recovered: true, orderKey: KEY })
  })

  it('the lookup fails: nothing is sent, and the error says so', async () => {
    const { client, server } = await setUp()
    server.on(LIST, error(500))
    const failed = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    expect(failed).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 0,
      orderKey: KEY,
      message: expect.stringContaining('this call sent nothing, because the lookup failed (ServerError)'),
      cause: { name: 'ServerError', status: 500 },
    })
    expect(server.count(POST)).toBe(0)
  })

  it("a list that does not end: the lookup ends with the call's time limit, and nothing is sent", async () => {
    const { client, server, clock } = await setUp()
    server.on(LIST, (_, nth) => {
      clock.advance(1_000)
      const cursor = { cursor: `c${nth}`, count: 1, resultCount: 1 }
      return { json: { referrals: [referral({ createdAt: new Date().toISOString() })], cursor } }
    })
    const failed = await rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 20_000 }))
    expect(failed).toMatchObject({ name: 'OrderOutcomeUnknownError', outcome: 'unknown', attempts: 0 })
    expect(failed).toMatchObject({ cause: { name: 'TimeoutError', timeout: 20_000 } })
    expect(server.count(LIST)).toBeLessThanOrEqual(20)
    expect(server.count(POST)).toBe(0)
  })

  it.each([
    ["the client's time limit", { timeout: 7_000 }, 7_000],
    ['the default time limit of two minutes', {}, 120_000],
  ])('a lookup that does not respond ends with %s', async (_, options, timeout) => {
    const { server } = await setUp()
    server.on(LIST, { hang: 'before' })
    const clock = new SkippingClock({ skip: () => false })
    const client = clientOf(server.origin, { clock, ...options })
    const pending = rejection(client.referrals.findByOrderKey(KEY))
    await expect.poll(() => server.count(LIST)).toBe(1)
    clock.advance(timeout)
    expect(await pending).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 0,
      cause: {
        name: 'TimeoutError',
        timeout,
        message: `reading the newest referrals did not end within ${timeout} ms`,
      },
    })
  })

  it('a lookup removes its timer and its listener of the signal', async () => {
    const { client, clock } = await setUp()
    await client.referrals.findByOrderKey(KEY)
    const waiting = clock.pending
    const { signal } = new AbortController()
    await client.referrals.findByOrderKey(KEY, { signal, timeout: 20_000 })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(clock.pending).toBe(waiting)
  })

  it('an invalid order is rejected before the lookup', async () => {
    const { client, server } = await setUp()
    const refused = await rejection(client.referrals.create(order({ dob: 'x' }), { orderKey: KEY }))
    expect(refused).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: 'dob' }] })
    expect(server.requests).toHaveLength(0)
  })
})

describe('the lookups of a lost order', () => {
  it('are repeated after growing pauses, until the recovery time is over', async () => {
    const { client, clock } = await setUp(['not placed'])
    await rejection(client.referrals.create(order()))
    expect(clock.slept).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 5_000])
  })

  it('the last pause ends with the recovery time', async () => {
    const { server, book } = await setUp(['not placed'])
    const clock = new SkippingClock()
    await rejection(clientOf(server.origin, { clock, orderRecoveryTimeout: 4_500 }).referrals.create(order()))
    expect(clock.slept).toEqual([1_000, 2_000, 1_500])
    expect(book.listReads).toBe(4)
  })

  it("have the call's headers and version, also in recover(), but not its signal", async () => {
    const { client, server } = await setUp(['not placed'])
    const abort = new AbortController()
    const options = { headers: { 'x-trace': 't-1' }, apiVersion: '1.0.0', signal: abort.signal } as const
    const unknown = await rejection(client.referrals.create(order(), options))
    if (!(unknown instanceof OrderOutcomeUnknownError)) throw unknown
    abort.abort()
    await expect(unknown.recover()).resolves.toBeUndefined()
    const looks = server.calls.filter(({ method }) => method === 'GET')
    expect(looks.length).toBeGreaterThan(2)
    for (const { headers } of looks) {
      expect(headers).toMatchObject({ 'x-trace': 't-1', accept: 'application/vnd.svc.v1.0.0+json' })
    }
  })

  it('a referral without metadata with another last name, or without a person, is another order', async () => {
    const { client, book, server } = await setUp(['not placed'])
    const [{ metadata: _, ...other } = referral()] = book.place(order({ lastName: 'Quarringtoni' }))
    const now = new Date().toISOString()
    const nobody = { ...referral({ createdAt: now }), metadata: undefined, person: null }
    server.on(LIST, () => ({ json: { referrals: [nobody, null, other] } }))
    const unknown = await rejection(client.referrals.create(order()))
    expect(unknown).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [] })
  })
})
