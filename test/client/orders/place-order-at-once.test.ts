import { getEventListeners } from 'node:events'
import { OrderOutcomeUnknownError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import { error, POST, setUp } from './order-world.js'

const KEY = 'job-77'
const LIST = 'GET /v1/referrals'

/** A service that holds the response to an order until the test releases it. */
async function slow() {
  const world = await setUp()
  let answer: () => void = () => undefined
  const told = new Promise<void>((resolve) => {
    answer = resolve
  })
  world.server.on(POST, async ({ body }) => {
    await told
    return { json: world.book.place(JSON.parse(body))[0] }
  })
  return { ...world, answer }
}

describe('§4.1 one key, several calls at the same time', () => {
  it('one call orders, and the others get its order', async () => {
    const { client, book, server, answer } = await slow()
    const calls = Array.from({ length: 20 }, () => client.referrals.create(order(), { orderKey: KEY }))
    await expect.poll(() => server.count(POST)).toBe(1)
    answer()
    const placed = await Promise.all(calls)
    expect(new Set(placed.map(({ referrals }) => referrals[0]?.uuid))).toEqual(
      new Set([book.referrals[0]?.uuid]),
    )
    expect(placed.map(({ recovered }) => recovered)).toEqual([false, ...Array(19).fill(true)])
    expect(server.count(POST)).toBe(1)
    expect(server.count(LIST)).toBe(1)
  })

  it('calls with different keys do not wait for one another', async () => {
    const { client, server, answer } = await slow()
    const calls = ['a', 'b', 'c'].map((orderKey) => client.referrals.create(order(), { orderKey }))
    await expect.poll(() => server.count(POST)).toBe(3)
    answer()
    await Promise.all(calls)
  })

  it("one call aborts: it rejects with its signal's reason, and the others get the order", async () => {
    const { client, server, answer } = await slow()
    const first = client.referrals.create(order(), { orderKey: KEY })
    await expect.poll(() => server.count(POST)).toBe(1)
    const abort = new AbortController()
    const second = client.referrals.create(order(), { orderKey: KEY, signal: abort.signal })
    const reason = new Error('the user went away')
    abort.abort(reason)
    expect(await rejection(second)).toBe(reason)
    const { signal } = new AbortController()
    const third = client.referrals.create(order(), { orderKey: KEY, signal })
    answer()
    await third
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await expect(first).resolves.toMatchObject({ recovered: false })
  })

  it('an order with its fields and tests in another sequence is the same order', async () => {
    const { client, server, answer } = await slow()
    const given = order({
      tests: ['fbc', 'tsh'],
      metadata: { clinic: 'north', inFlight: { room: 2, floors: [{ from: 1, to: 2 }] } },
      dvaNumber: undefined,
    })
    const first = client.referrals.create(given, { orderKey: KEY })
    await expect.poll(() => server.count(POST)).toBe(1)
    const { dvaNumber: _, ...rest } = given
    const turned = Object.fromEntries(Object.entries(rest).reverse()) as typeof given
    const metadata = { inFlight: { floors: [{ to: 2, from: 1 }], room: 2 }, clinic: 'north' }
    const again = { ...turned, tests: ['tsh', 'fbc'], metadata }
    const second = client.referrals.create(again, { orderKey: KEY })
    answer()
    expect((await second).referrals).toEqual((await first).referrals)
    expect(server.count(POST)).toBe(1)
  })

  it.each([
    ['patient', { firstName: 'Berta', lastName: 'Other', dob: '1950-01-01' }],
    ['number of tests', { tests: ['fbc', 'tsh'] }],
    ['address', { address: { ...order().address, city: 'Perth' } }],
    ['reference', { referenceNumber: 'ref-78' }],
    ['metadata', { metadata: { clinic: 'north' } }],
  ])(
    'another order under the same key, of another %s: rejected, and the first continues',
    async (_, change) => {
      const { client, book, server, answer } = await slow()
      const first = client.referrals.create(order(), { orderKey: KEY })
      await expect.poll(() => server.count(POST)).toBe(1)
      const refused = await rejection(client.referrals.create(order(change), { orderKey: KEY }))
      expect(refused).toMatchObject({
        name: 'InvalidRequestError',
        code: 'ORDER_KEY_IN_USE',
        outcome: 'not-sent',
        message: expect.stringMatching(/^referrals\.create: .*an order with other contents/),
        issues: [{ field: 'orderKey' }],
      })
      expectNoCanary(refused)
      answer()
      await expect(first).resolves.toMatchObject({ recovered: false })
      expect(book.orders).toHaveLength(1)
    },
  )

  it('the first order is rejected: the next call sends its order', async () => {
    const { client, book, server } = await setUp()
    server.on(POST, error(400), ({ body }) => ({ json: book.place(JSON.parse(body))[0] }))
    const [first, second] = await Promise.allSettled([
      client.referrals.create(order(), { orderKey: KEY }),
      client.referrals.create(order(), { orderKey: KEY }),
    ])
    expect(first).toMatchObject({ status: 'rejected', reason: { name: 'BadRequestError' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: { recovered: false } })
    expect(book.orders).toHaveLength(1)
  })

  it('the outcome of the first order is unknown: the others get the same outcome and do not order', async () => {
    const { client, server } = await setUp(['not placed'])
    const calls = [1, 2, 3].map(() => rejection(client.referrals.create(order(), { orderKey: KEY })))
    const errors = await Promise.all(calls)
    for (const each of errors) expect(each).toBeInstanceOf(OrderOutcomeUnknownError)
    expect(errors).toMatchObject([{ attempts: 1 }, { attempts: 0 }, { attempts: 0 }])
    expect(server.count(POST)).toBe(1)
  })

  it('the first call is aborted in flight, and its order appears only later: the others wait, and do not place it again', async () => {
    const { client, book, server } = await setUp([{ hang: 'before' }])
    book.hiddenFor = 4
    const abort = new AbortController()
    const first = rejection(client.referrals.create(order(), { orderKey: KEY, signal: abort.signal }))
    await expect.poll(() => server.count(POST)).toBe(1)
    const second = client.referrals.create(order(), { orderKey: KEY })
    abort.abort()
    expect(await first).toMatchObject({ name: 'AbortError' })
    await expect(second).resolves.toMatchObject({ recovered: true })
    expect(book.orders).toHaveLength(1)
  })
})

describe('§4.1 a key whose order was lost', () => {
  it('repeated at once by the same client: looked up for the rest of the recovery time', async () => {
    const { server, book, client } = await setUp([{ hang: 'before' }])
    book.hiddenFor = 6
    const abort = new AbortController()
    const { signal } = abort
    const first = rejection(client.referrals.create(order(), { orderKey: KEY, signal }))
    await expect.poll(() => server.count(POST)).toBe(1)
    abort.abort()
    await first
    expect(book.listReads).toBe(1)
    await expect(client.referrals.create(order(), { orderKey: KEY })).resolves.toMatchObject({
      recovered: true,
    })
    expect(book.orders).toHaveLength(1)
  })

  it('repeated much later: one lookup, and still unknown', async () => {
    const { client, server, book, clock } = await setUp(['not placed'])
    await rejection(client.referrals.create(order(), { orderKey: KEY }))
    for (const wait of [60_000, 24 * 3_600_000]) {
      clock.advance(wait)
      const looks = book.listReads
      const again = await rejection(client.referrals.create(order(), { orderKey: KEY }))
      expect(again).toMatchObject({
        name: 'OrderOutcomeUnknownError',
        attempts: 0,
        retryable: true,
        message: expect.stringContaining(
          'this call sent nothing, because an earlier call sent the order, and the service does not show it yet',
        ),
      })
      expect(again).not.toHaveProperty('retryAfter')
      expect(book.listReads).toBe(looks + 1)
    }
    expect(server.count(POST)).toBe(1)
  })

  it('repeated after resendAfter: one lookup, then the order is sent; before that, the error has the time', async () => {
    const { server, book, clock } = await setUp(['not placed'])
    const client = clientOf(server.origin, { clock, resendAfter: 200_000 })
    await rejection(client.referrals.create(order(), { orderKey: KEY }))
    const early = await rejection(client.referrals.create(order(), { orderKey: KEY }))
    const { retryAfter = 0 } = early as { retryAfter?: number }
    expect(early).toMatchObject({ name: 'OrderOutcomeUnknownError', retryable: true })
    expect(retryAfter).toBeGreaterThan(100_000)
    clock.advance(retryAfter - 1)
    expect(await rejection(client.referrals.create(order(), { orderKey: KEY }))).toMatchObject({
      retryAfter: 1,
    })
    clock.advance(1)
    const looks = book.listReads
    await expect(client.referrals.create(order(), { orderKey: KEY })).resolves.toMatchObject({
      recovered: false,
    })
    expect(book.listReads).toBe(looks + 1)
    expect(server.count(POST)).toBe(2)
  })

  it('the lookups before the repeat fail: still unknown, and nothing is sent', async () => {
    const { client, server } = await setUp(['not placed'])
    await rejection(client.referrals.create(order(), { orderKey: KEY }))
    server.on(LIST, { json: { referrals: [] } }, error(500))
    const again = await rejection(client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 5_000 }))
    expect(again).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      orderKey: KEY,
      attempts: 0,
      candidates: [],
      message: expect.stringContaining('this call sent nothing, because the lookup failed'),
    })
    expect(server.count(POST)).toBe(1)
  })

  it('a lookup before the repeat does not respond: it ends at its limit, the outcome is still unknown, and nothing is sent', async () => {
    const { client, server, clock } = await setUp()
    server.on(LIST, { json: { referrals: [] } }, { hang: 'before' })
    const pending = rejection(client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 5_000 }))
    await expect.poll(() => server.count(LIST)).toBe(2)
    clock.advance(15_000)
    expect(await pending).toMatchObject({ name: 'OrderOutcomeUnknownError', orderKey: KEY, attempts: 0 })
    expect(server.count(POST)).toBe(0)
  })
})

describe('§4.1 lookupTimeout: the run before stopped a moment ago', () => {
  it('its order is looked up for that time, and not placed again', async () => {
    const { client, book, server, clock } = await setUp()
    book.place(order({ metadata: { pathologySdkOrderKey: KEY } }))
    book.hiddenFor = 3
    const placed = await client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 15_000 })
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
    expect(clock.slept).toEqual([1_000, 2_000, 3_000])
  })

  it('its order appears already: one lookup', async () => {
    const { client, book, server, clock } = await setUp()
    book.place(order({ metadata: { pathologySdkOrderKey: KEY } }))
    const placed = await client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 15_000 })
    expect(placed.recovered).toBe(true)
    expect(server.calls).toHaveLength(1)
    expect(clock.slept).toEqual([])
  })

  it('zero means one lookup, then the order is sent', async () => {
    const { client, server } = await setUp()
    const placed = await client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 0 })
    expect(placed.recovered).toBe(false)
    expect(server.calls.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  it('no order appears: the order is sent when the time is over', async () => {
    const { client, book, clock } = await setUp()
    const placed = await client.referrals.create(order(), { orderKey: KEY, lookupTimeout: 5_000 })
    expect(placed.recovered).toBe(false)
    expect(clock.slept).toEqual([1_000, 2_000, 2_000])
    expect(book.orders).toHaveLength(1)
  })

  it.each([-1, Number.NaN, '5'])(
    '%s is an invalid time: rejected, and nothing is sent',
    async (lookupTimeout) => {
      const { client, server } = await setUp()
      const options = { orderKey: KEY, lookupTimeout: lookupTimeout as number }
      const refused = await rejection(client.referrals.create(order(), options))
      const message = 'lookupTimeout must be a number of milliseconds, 0 or more'
      expect(refused).toMatchObject({ name: 'ConfigurationError', message })
      expect(server.requests).toHaveLength(0)
    },
  )
})
