import { ORDER_KEY_FIELD, type Order, type OrderOptions, orderKeyOf, type Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { CANARIES, expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, PROVIDER_NUMBER, referral } from '../../support/samples.js'
import { KEY, LIST, POST, setUp, UUID_TEXT, withKey } from './order-world.js'

it("an order as it is sent has a key of its own in its metadata, in place of an earlier referral's, and the given order does not change (§4.1)", async () => {
  const { client, book } = await setUp()
  const given = order({ metadata: { clinic: 'north' } })
  const before = structuredClone(given)
  const first = await client.referrals.create(given)
  expect(given).toEqual(before)
  expect(first).toMatchObject({ orderKey: expect.stringMatching(UUID_TEXT), recovered: false })
  const second = await client.referrals.create(order({ metadata: first.referrals[0].metadata ?? {} }))
  expect(second.orderKey).not.toBe(first.orderKey)
  expect(book.orders.map(({ metadata }) => metadata)).toEqual(
    [first, second].map(({ orderKey }) => ({ clinic: 'north', [ORDER_KEY_FIELD]: orderKey })),
  )
})

it('an order as it is sent has card and provider numbers without spaces, and the given order does not change (§4.1)', async () => {
  const { client, book } = await setUp()
  const practitioner = { name: 'Dr Ada Roe', address: '1 Clinic Road' }
  const given = medicareOrder({
    medicareCardNumber: '2951 87312 5 1',
    orderingPractitioner: { ...practitioner, providerNumber: '2426 621b' },
  })
  const before = structuredClone(given)
  await client.referrals.create(given)
  expect(book.orders[0]).toMatchObject({
    medicareCardNumber: CANARIES.medicareCard,
    orderingPractitioner: { ...practitioner, providerNumber: PROVIDER_NUMBER },
  })
  expect(given).toEqual(before)
})

it('an order as it is sent has a key that is read back from its referral and from an event (§6)', () => {
  const { metadata } = withKey()
  expect(orderKeyOf(referral({ metadata }))).toBe(KEY)
  expect(orderKeyOf({ eventName: 'referral.created', data: { metadata } })).toBe(KEY)
  for (const other of [undefined, null, 7, {}, referral(), { metadata: { [ORDER_KEY_FIELD]: 7 } }])
    expect(orderKeyOf(other)).toBeUndefined()
})

const NO_TEXT =
  'orderKey must be text with at least one character that is not white space, and without half of a surrogate pair; nothing was sent'
const NO_TIME = 'since must be a Date or an ISO 8601 time'
const NO_KEY = 'since and lookupTimeout require your own orderKey'
const NO_DURATION = 'lookupTimeout must be a number of milliseconds, 0 or more'

describe('input that is rejected before anything is sent', () => {
  it.each<[string, object]>([
    ...['', '  ', 7, null, true, {}, 'key-\ud83d'].map((orderKey): [string, object] => [
      NO_TEXT,
      { orderKey },
    ]),
    ...[new Date(Number.NaN), 'yesterday', '', 0, 1_772_000_000_000, null, true, {}].map(
      (since): [string, object] => [NO_TIME, { orderKey: KEY, since }],
    ),
    ...[-1, Number.NaN, '5'].map((lookupTimeout): [string, object] => [
      NO_DURATION,
      { orderKey: KEY, lookupTimeout },
    ]),
    [NO_KEY, { orderKey: undefined, since: new Date() }],
    [NO_KEY, { orderKey: undefined, lookupTimeout: 30_000 }],
    ['orderkey is not an option of referrals.create; did you mean orderKey?', { orderkey: KEY }],
  ])('options of an order are rejected: %s %j', async (message, options) => {
    const { client, server } = await setUp()
    const refused = await rejection(client.referrals.create(order(), options as OrderOptions))
    expect(refused).toMatchObject({ name: 'ConfigurationError', message })
    expect(server.requests).toHaveLength(0)
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'order'],
    ['nothing', undefined],
    ['a wrong date of birth', order({ dob: 'x' })],
    ...[[1], null, 'clinic', 0, new Date(0), new Uint8Array([7])].map((metadata): [string, unknown] => [
      'metadata that is not an object',
      { ...order(), metadata },
    ]),
  ])('an order is rejected that is or has %s, with and without an own key (§4.1)', async (_, given) => {
    for (const orderKey of [undefined, KEY]) {
      const { client, server } = await setUp()
      const refused = await rejection(client.referrals.create(given as Order, { orderKey }))
      expect(refused).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PAYLOAD' })
      expect(server.requests).toHaveLength(0)
    }
  })
})

const OTHER = 'key-of-another-order'

/** Stores an order, unless `isPlaced` is `false`, and responds with changed referrals. */
async function answering(respond: (made: readonly Referral[]) => unknown, isPlaced = true) {
  const world = await setUp()
  world.server.on(POST, ({ body }) => {
    const made = isPlaced ? world.book.place(JSON.parse(body)) : [referral(), referral()]
    return { json: respond(made) }
  })
  return world
}

const ofAnother = (): Referral => referral(withKey(OTHER))

it.each([
  ['1.0.0', false],
  ['1.0.0', true],
  ['1.1.0', false],
  ['1.1.0', true],
] as const)(
  'the response to an order is one referral or a list in version %s (list: %s) (§4.1, §9)',
  async (apiVersion, alwaysList) => {
    const { client, book, server } = await setUp()
    book.alwaysList = alwaysList
    const placed = await client.referrals.create(order(), { apiVersion })
    expect(placed.referrals).toEqual(book.referrals)
    expect(placed.commercial).toEqual(book.referrals[0])
    expect(placed.medicare).toBeUndefined()
    expect(server.calls[0]?.headers.accept).toBe(`application/vnd.svc.v${apiVersion}+json`)
  },
)

it('the response to an order has no commercial referral for an order of Medicare tests only (§4.1)', async () => {
  const { client, book } = await setUp()
  const { tests: _, ...only } = medicareOrder()
  const placed = await client.referrals.create(only)
  expect(placed.commercial).toBeUndefined()
  expect(placed.medicare).toEqual(book.referrals[0])
})

it.each<[string, () => Order, (made: readonly Referral[]) => unknown, number]>([
  ['has no metadata', () => order(), ([made]) => ({ ...made, metadata: null }), 1],
  ['has a key that is not text', () => order(), ([made]) => ({ ...made, ...withKey(7 as never) }), 1],
  ['has an additional referral', () => order(), ([made]) => [made, { ...made, uuid: KEY }], 2],
  ['has its referral twice', () => order(), ([made]) => [made, made], 1],
  [
    'has two referrals without metadata',
    () => medicareOrder(),
    (made) => made.map((one) => ({ ...one, metadata: null })),
    2,
  ],
])(
  'the response to an order is returned when it %s: it can be that of the order (§4.1)',
  async (_, given, respond, count) => {
    const { client, server } = await answering(respond)
    const placed = await client.referrals.create(given())
    expect(placed).toMatchObject({ recovered: false, referrals: { length: count } })
    expect(server.count(LIST)).toBe(0)
  },
)

const FOREIGN = 'it has a referral with the order key of another order'
const TOO_FEW = 'it has 1 of 2 referrals'
const contradictions: readonly [string, () => Order, (made: readonly Referral[]) => unknown, string][] = [
  ["is another order's referral", () => order(), ofAnother, FOREIGN],
  ["is a list of another order's referral", () => order(), () => [ofAnother()], FOREIGN],
  ["has another order's referral", () => medicareOrder(), ([first]) => [first, ofAnother()], FOREIGN],
  ['is one referral of two', () => medicareOrder(), ([first]) => first, TOO_FEW],
  ['is a list of one referral of two', () => medicareOrder(), ([, second]) => [second], TOO_FEW],
  ['has one of two referrals twice', () => medicareOrder(), ([one]) => [one, one], TOO_FEW],
]

it.each(contradictions)(
  'the response to an order counts as lost when it %s: the order is found by its key (§4.1)',
  async (...row) => {
    const [, given, respond] = row
    for (const orderKey of [undefined, KEY]) {
      const { client, book, server } = await answering(respond)
      const placed = await client.referrals.create(given(), { orderKey })
      expect(placed).toMatchObject({ recovered: true, referrals: book.referrals })
      expect(server.count(POST)).toBe(1)
    }
  },
)

it.each(contradictions)(
  'the response to an order is the cause of an unknown outcome when it %s and no order appears (§4.1)',
  async (...row) => {
    const [, given, respond, problem] = row
    const { client, server } = await answering(respond, false)
    const unknown = await rejection(client.referrals.create(given()))
    expect(unknown).toMatchObject({
      ...{ name: 'OrderOutcomeUnknownError', outcome: 'unknown', attempts: 1 },
      cause: { name: 'InvalidResponseError', reason: 'shape', message: expect.stringContaining(problem) },
    })
    expectNoCanary(unknown)
    expect(JSON.stringify(unknown) + String((unknown as Error).cause)).not.toContain(OTHER)
    expect(server.count(POST)).toBe(1)
  },
)

it('a caller that aborts an order with a generated key gets the order if its response was already received', async () => {
  const { server, book } = await setUp()
  const abort = new AbortController()
  // The check of the response is the last step before the result, and it warns of differences.
  const client = clientOf(server.origin, { logger: { warn: () => abort.abort() } })
  book.place(order())
  server.on(POST, { json: { ...book.referrals[0], tests: 'fbc' } })
  const placed = await client.referrals.create(order(), { signal: abort.signal })
  expect(abort.signal.aborted).toBe(true)
  expect(placed.referrals[0]?.uuid).toBe(book.referrals[0]?.uuid)
})

it('a caller that aborts an order with a generated key gets its own reason, and the promise and the log have the key by which the order is found', async () => {
  const { server, book } = await setUp([{ hang: 'before' }])
  const warnings: string[] = []
  const client = clientOf(server.origin, { logger: { warn: (text: string) => warnings.push(text) } })
  const abort = new AbortController()
  const placing = client.referrals.create(order(), { signal: abort.signal })
  const pending = rejection(placing)
  await expect.poll(() => book.orders.length).toBe(1)
  const reason = new Error('the user went away')
  abort.abort(reason)
  expect(await pending).toBe(reason)
  expect(warnings).toEqual([expect.stringContaining(`findByOrderKey("${placing.orderKey}")`)])
  const found = await client.referrals.findByOrderKey(placing.orderKey)
  expect(found?.referrals).toEqual(book.referrals)
})

it('a caller that aborts an order with a generated key gets no warning if nothing was sent', async () => {
  const { server } = await setUp()
  const warnings: string[] = []
  const client = clientOf(server.origin, { logger: { warn: (text: string) => warnings.push(text) } })
  await rejection(client.referrals.create(order(), { signal: AbortSignal.abort() }))
  expect(warnings).toEqual([])
})
