import { getEventListeners } from 'node:events'
import { memoryOrderLedger, OrderOutcomeUnknownError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order } from '../../support/samples.js'
import type { Reply } from '../../support/scripted-server.js'
import { settled } from '../../support/settled.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { error, HOUR, KEY, LIST, MINUTE, POST, setUp, unknownOutcome } from './order-world.js'

/** A service that has received an order, and responds in any way only when the test releases the response. */
async function underWay(options: Parameters<typeof clientOf>[1] = {}, given = order()) {
  const { server, book, clock } = await setUp()
  const client = clientOf(server.origin, { clock, ...options })
  let answer: (reply?: Reply) => void = () => undefined
  const told = new Promise<Reply | undefined>((resolve) => {
    answer = resolve
  })
  server.on(
    POST,
    async ({ body }) => (await told) ?? { json: book.place(JSON.parse(body))[0] },
    ({ body }) => ({ json: book.place(JSON.parse(body))[0] }),
  )
  const first = client.referrals.create(given, { orderKey: KEY, timeout: 600_000 })
  first.catch(() => undefined)
  await expect.poll(() => server.count(POST)).toBe(1)
  return { server, book, clock, client, first, answer }
}

it('several calls with one key place one order, and all get it (§4.1)', async () => {
  const { client, book, server, first, answer } = await underWay()
  const others = Array.from({ length: 19 }, () => client.referrals.create(order(), { orderKey: KEY }))
  answer()
  const placed = await Promise.all([first, ...others])
  const [made] = book.referrals
  expect(new Set(placed.map(({ referrals }) => referrals[0]?.uuid))).toEqual(new Set([made?.uuid]))
  expect(placed.map(({ recovered }) => recovered)).toEqual([false, ...Array(19).fill(true)])
  expect(server.count(POST)).toBe(1)
  expect(server.count(LIST)).toBe(1)
})

it('several calls with one key place one order, although the sequence of its fields and tests differs (§4.1)', async () => {
  const given = order({
    tests: ['fbc', 'tsh'],
    metadata: { clinic: 'north', inFlight: { room: 2, floors: [{ from: 1, to: 2 }] } },
    dvaNumber: undefined,
  })
  const { client, server, first, answer } = await underWay({}, given)
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
  ['metadata', { metadata: { clinic: 'north' } }],
])(
  'several calls with one key are rejected if they order for another %s, and the first one continues (§4.1)',
  async (_, change) => {
    const { client, book, first, answer } = await underWay()
    const refused = await rejection(client.referrals.create(order(change), { orderKey: KEY }))
    expect(refused).toMatchObject({
      ...{ name: 'InvalidRequestError', code: 'ORDER_KEY_IN_USE', outcome: 'not-sent' },
      message: expect.stringMatching(/^referrals\.create: .*an order with other contents/),
      issues: [{ field: 'orderKey' }],
    })
    expectNoCanary(refused)
    answer()
    await expect(first).resolves.toMatchObject({ recovered: false })
    expect(book.orders).toHaveLength(1)
  },
)

it('several calls with one key place the order of the second one if the first was rejected (§4.1)', async () => {
  const { client, book, first, answer } = await underWay()
  const second = client.referrals.create(order(), { orderKey: KEY })
  answer(error(400))
  expect(await rejection(first)).toMatchObject({ name: 'BadRequestError' })
  await expect(second).resolves.toMatchObject({ recovered: false })
  expect(book.orders).toHaveLength(1)
})

it('several calls with one key place nothing more if the outcome of the first is unknown (§4.1)', async () => {
  const { client, server } = await setUp(['not placed'])
  const calls = [1, 2, 3].map(() => rejection(client.referrals.create(order(), { orderKey: KEY })))
  const errors = await Promise.all(calls)
  for (const each of errors) expect(each).toBeInstanceOf(OrderOutcomeUnknownError)
  expect(errors).toMatchObject([{ attempts: 1 }, { attempts: 0 }, { attempts: 0 }])
  expect(server.count(POST)).toBe(1)
})

it('several calls with one key wait for the order of the first one if it was aborted in flight, and place nothing more (§4.1)', async () => {
  const { client, book, server } = await setUp([{ hang: 'before' }])
  book.hiddenFor = 6
  const abort = new AbortController()
  const { signal } = abort
  const first = rejection(client.referrals.create(order(), { orderKey: KEY, signal }))
  await expect.poll(() => server.count(POST)).toBe(1)
  const second = client.referrals.create(order(), { orderKey: KEY })
  abort.abort()
  expect(await first).toMatchObject({ name: 'AbortError' })
  await expect(second).resolves.toMatchObject({ recovered: true })
  expect(book.orders).toHaveLength(1)
})

it.each([
  ['its own', {}, { timeout: 15_000 }, 15_000],
  ["the client's", { timeout: 17_000 }, {}, 17_000],
  ['the default', {}, {}, 120_000],
  ['its own and lookupTimeout', {}, { timeout: 5_000, lookupTimeout: 30_000 }, 35_000],
])(
  'a call that waits for another one with its key ends with %s time limit: it sent nothing, and the order may be placed (§4.1)',
  async (...row) => {
    const [, all, own, limit] = row
    const { server, book, clock, client, first, answer } = await underWay(all)
    let ended = false
    const second = rejection(client.referrals.create(order(), { orderKey: KEY, ...own })).finally(() => {
      ended = true
    })
    await settled()
    clock.advance(limit - 1)
    await settled()
    expect(ended).toBe(false)
    clock.advance(1)
    const timedOut = await second
    expect(timedOut).toMatchObject({
      ...{ name: 'TimeoutError', code: 'TIMEOUT', outcome: 'unknown', attempts: 0 },
      ...{ timeout: limit, retryable: true },
      message:
        `referrals.create did not end within ${limit} ms: this call sent nothing; ` +
        'another call with the same orderKey may still place the order; repeat create() with the same orderKey',
    })
    expectNoCanary(timedOut)
    answer()
    await expect(first).resolves.toMatchObject({ recovered: false })
    expect(book.orders).toHaveLength(1)
    expect(server.count(POST)).toBe(1)
    expect(clock.pending).toBe(0)
  },
)

it('a call that waits for another one with its key has one time limit for the waits for several calls in turn', async () => {
  const { server, clock, client, answer } = await underWay()
  server.on(POST, { hang: 'before' })
  const ended = new AbortController()
  const { signal } = ended
  const second = client.referrals.create(order(), { orderKey: KEY, timeout: 600_000, signal })
  second.catch(() => undefined)
  const third = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 50_000 }))
  await settled()
  clock.advance(30_000)
  answer(error(400))
  await expect.poll(() => server.count(POST)).toBe(1)
  clock.advance(20_000)
  expect(await third).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', timeout: 50_000 })
  ended.abort()
})

it("a call that waits for another one with its key rejects with its signal's reason, and leaves neither a listener nor a timer", async () => {
  const { clock, client, first, answer } = await underWay()
  const abort = new AbortController()
  const { signal } = abort
  const second = rejection(client.referrals.create(order(), { orderKey: KEY, timeout: 15_000, signal }))
  await settled()
  const reason = new Error('the user went away')
  abort.abort(reason)
  expect(await second).toBe(reason)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  const third = client.referrals.create(order(), { orderKey: KEY, signal })
  expect(await rejection(third)).toBe(reason)
  answer()
  await first
  expect(clock.pending).toBe(0)
})

it.each([
  ['within its time limit', 49_000, false],
  ['longer: its response is lost, and it is found', 51_000, true],
])(
  'a call that waits for another one with its key places the order itself if the other was rejected: wait, lookup and order %s',
  async (_, allMs, recovered) => {
    const { server, book, clock, client, answer } = await underWay()
    server.on(POST, ({ body }) => {
      const [json] = book.place(JSON.parse(body))
      clock.advance(allMs - 30_000)
      return { json }
    })
    const second = client.referrals.create(order(), { orderKey: KEY, timeout: 50_000 })
    await settled()
    clock.advance(30_000)
    answer(error(400))
    await expect(second).resolves.toMatchObject({ recovered })
    expect(book.orders).toHaveLength(1)
  },
)

it('a call that waits for another one with its key uses its lookupTimeout first, and then its time limit', async () => {
  const { book, clock, client, answer } = await underWay()
  const options = { orderKey: KEY, timeout: 10_000, lookupTimeout: 40_000 }
  const second = client.referrals.create(order(), options)
  await settled()
  clock.advance(37_000)
  answer(error(400))
  await expect(second).resolves.toMatchObject({ recovered: false })
  expect(clock.slept).toEqual([1_000, 2_000])
  expect(book.orders).toHaveLength(1)
})

it('a call with the key of a lost order makes one lookup when it comes much later, and is still unknown (§4.1)', async () => {
  const { client, server, book, clock } = await setUp(['not placed'])
  await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
  for (const wait of [MINUTE, 24 * HOUR]) {
    clock.advance(wait)
    const reads = book.listReads
    const again = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
    expect(again).toMatchObject({
      ...{ attempts: 0, retryable: true },
      message: expect.stringContaining(
        'this call sent nothing, because an earlier call sent the order, and the service does not show it yet',
      ),
    })
    expect(again).not.toHaveProperty('retryAfter')
    expect(book.listReads).toBe(reads + 1)
  }
  expect(server.count(POST)).toBe(1)
})

it.each(["the client's ledger", 'a shared ledger'])(
  'a call with the key of a lost order sends the order again after resendAfter, and not a millisecond before: %s (§4.1)',
  async (kind) => {
    const { server, book } = await setUp(['not placed'])
    const clock = new SkippingClock({ skip: () => false })
    const shared = new WatchedLedger(memoryOrderLedger({ clock }))
    const orderLedger = kind === 'a shared ledger' ? shared : undefined
    const options = { orderRecoveryTimeout: 0, resendAfter: 200_000 }
    const client = clientOf(server.origin, { clock, orderLedger, ...options })
    const lost = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
    // The Date header of the service has whole seconds.
    expect(Math.abs((lost.retryAfter ?? 0) - 200_000)).toBeLessThanOrEqual(1_000)
    const early = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
    expect(early).toMatchObject({ attempts: 0, retryable: true, retryAfter: 200_000 })
    expect(JSON.parse(JSON.stringify(early))).toMatchObject({ retryAfter: 200_000 })
    clock.advance(199_999)
    const last = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
    expect(last).toMatchObject({ retryAfter: 1 })
    clock.advance(1)
    const reads = book.listReads
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed).toMatchObject({ recovered: false })
    expect(book.listReads).toBe(reads + 1)
    expect(server.count(POST)).toBe(2)
  },
)

it('a call with the key of a lost order has no retryAfter of resendAfter under a generated key, or when the lookup failed', async () => {
  const { server, clock } = await setUp(['not placed', 'not placed'])
  const client = clientOf(server.origin, {
    clock,
    resendAfter: 200_000,
    orderRecoveryTimeout: 0,
    maxRetries: 0,
  })
  expect(await unknownOutcome(client.referrals.create(order()))).not.toHaveProperty('retryAfter')
  server.on(LIST, { json: { referrals: [] } }, { ...error(503), headers: { 'retry-after': '7' } })
  const failed = await unknownOutcome(client.referrals.create(order(), { orderKey: KEY }))
  expect(failed).toMatchObject({ attempts: 1, retryAfter: 7_000 })
})
