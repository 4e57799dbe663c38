import {
  type Order,
  type OrderOptions,
  OrderOutcomeUnknownError,
  PathologyClient,
  type Referral,
} from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { expect, it, onTestFinished } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { medicareOrder, order } from '../../support/samples.js'
import { KEY, LIST, POST, setUp, withKey } from './order-world.js'

const BUNDLE = 'executive-check'

const both = (change: Partial<Order> = {}): Order =>
  medicareOrder({ tests: ['tsh', 'iron-studies'], medicareTests: ['tsh'], ...change })
const one = (change: Partial<Order> = {}): Order => order({ tests: ['tsh', 'iron-studies'], ...change })
const bundle = (change: Partial<Order> = {}): Order => {
  const { tests: _, ...rest } = order()
  return { ...rest, bundleId: BUNDLE, ...change }
}
const medicareOnly = (): Order => {
  const { tests: _, ...rest } = both()
  return rest
}

/** The fake, and clients whose memories have no orders. */
async function fakeWorld(options = {}) {
  const fake = new FakePathologyService({ centreCount: 1, seedReferrals: 0, ...options })
  onTestFinished(() => fake.close())
  const newProcess = (): PathologyClient => {
    const client = new PathologyClient({ ...fake.clientOptions(), orderRecoveryTimeout: 200 })
    onTestFinished(() => client.close())
    return client
  }
  const doctor = { name: 'Dr Ada Roe', address: '1 Clinic Road' }
  const providerNumber = both().orderingPractitioner?.providerNumber ?? ''
  const encodedSignature =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
  await newProcess().providers.save({ ...doctor, providerNumber, encodedSignature })
  return { fake, newProcess, placed: () => fake.referrals.all().length }
}

/** The tests of the fake's bundle. */
async function bundled(client: PathologyClient): Promise<readonly string[]> {
  const bundles = await client.bundles.list({ includeUnlisted: true }).toArray()
  return bundles.find(({ id }) => id === BUNDLE)?.tests.map(({ id }) => id) ?? []
}

it.each<[string, () => Order, (tests: readonly string[]) => Order, string]>([
  [
    'another patient under another reference',
    one,
    () => one({ firstName: 'Berta', dob: '1950-01-01', referenceNumber: 'ref-78' }),
    'referenceNumber',
  ],
  ['more tests', () => one({ tests: ['tsh'] }), () => one(), 'tests'],
  ['fewer tests', one, () => one({ tests: ['tsh'] }), 'tests'],
  [
    'a bundle and more, after single tests',
    () => one({ tests: ['tsh'] }),
    () => bundle({ tests: ['vitamin-d'] }),
    'tests',
  ],
  [
    'the tests of the bundle and no more, after a bundle and more',
    () => bundle({ tests: ['vitamin-d', 'tsh', 'iron-studies'] }),
    (tests) => one({ tests: [...tests] }),
    'tests',
  ],
  ['Medicare alone, after commercial tests', () => one({ tests: ['tsh'] }), medicareOnly, 'tests'],
  ['commercial tests, after Medicare alone', medicareOnly, () => one({ tests: ['tsh'] }), 'tests'],
  ['other Medicare tests', both, () => both({ medicareTests: ['iron-studies'] }), 'tests'],
])(
  'an order key of another order is rejected, and nothing is ordered: %s (§4.1)',
  async (_, first, second, named) => {
    const { newProcess, placed } = await fakeWorld()
    const client = newProcess()
    await client.referrals.create(first(), { orderKey: KEY })
    const before = placed()
    const given = second(await bundled(client))
    const refused = await rejection(newProcess().referrals.create(given, { orderKey: KEY }))
    expect(refused).toMatchObject({
      ...{ name: 'InvalidRequestError', code: 'ORDER_KEY_IN_USE', outcome: 'not-sent' },
      message: expect.stringMatching(`orderKey belongs to an order with (another|other) ${named}`),
      issues: [{ field: 'orderKey' }],
    })
    expectNoCanary(refused)
    expect(placed()).toBe(before)
  },
)

it('an order key of another order is rejected for another bundle of the same tests (§4.1)', async () => {
  const { client, book, server } = await setUp()
  book.place({ ...bundle(), tests: ['fbc'], ...withKey() })
  Object.assign(book.referrals[0] ?? {}, { bundleId: 'another' })
  const refused = await rejection(client.referrals.create(bundle({ tests: ['fbc'] }), { orderKey: KEY }))
  expect(refused).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
  expect(server.count(POST)).toBe(0)
})

it.each<[string, () => Order, (() => Order)?]>([
  ['tests', one],
  ['the same tests in another sequence, twice', one, () => one({ tests: ['iron-studies', 'tsh', 'tsh'] })],
  ['a bundle and more', () => bundle({ tests: ['vitamin-d'] })],
  ['commercial and Medicare', both],
  ['Medicare alone', medicareOnly],
])(
  'the key of an order finds it, and nothing is ordered again: %s (§4.1)',
  async (_, first, second = first) => {
    const { newProcess, placed } = await fakeWorld()
    const { referrals } = await newProcess().referrals.create(first(), { orderKey: KEY })
    const again = await newProcess().referrals.create(second(), { orderKey: KEY })
    expect(again.recovered).toBe(true)
    expect(again.referrals.map(({ uuid }) => uuid)).toEqual(referrals.map(({ uuid }) => uuid))
    expect(placed()).toBe(referrals.length)
  },
)

it('the key of an order finds it after an update and a transfer have changed its fields (§4.1)', async () => {
  const { fake, newProcess, placed } = await fakeWorld()
  const client = newProcess()
  const { referrals } = await client.referrals.create(one(), { orderKey: KEY })
  const [{ uuid }] = referrals
  const metadata = { clinic: 'north' }
  await fake.clock.advance({ minutes: 10 })
  await client.referrals.update(uuid, {
    ...{ firstName: 'Berta', lastName: 'Other', dob: '1950-01-01', email: 'b@example.com' },
    ...{ phone: '0400 000 001', gender: 'male', address: { ...order().address, city: 'Perth' } },
    metadata,
  })
  await fake.clock.advance({ minutes: 10 })
  fake.referrals.transfer(uuid, { firstName: 'Carla' })
  const given = one({ metadata: { clinic: 'south' } })
  const again = await newProcess().referrals.create(given, { orderKey: KEY })
  expect(again).toMatchObject({ recovered: true, referrals: [{ uuid, metadata }] })
  expect(placed()).toBe(1)
})

it.each<[string, object, () => Order]>([
  ['no tests', { tests: undefined }, order],
  ['a text for its tests', { tests: 'fbc' }, order],
  ['no reference number', { referenceNumber: null }, order],
  [
    'its reference number without the spaces at its ends',
    { referenceNumber: 'ref-77' },
    () => order({ referenceNumber: ' ref-77 ' }),
  ],
  ['no sign of Medicare', { medicare: undefined }, order],
  ['no bundle', { bundleId: null }, () => bundle()],
])(
  'the key of an order finds it when its referral has %s: no difference is certain (§4.1)',
  async (_, change, given) => {
    const { client, book, server } = await setUp()
    book.place({ ...given(), ...withKey() })
    Object.assign(book.referrals[0] ?? {}, change)
    const placed = await client.referrals.create(given(), { orderKey: KEY })
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
  },
)

it('the key of an order finds one of two referrals, when the order now has only its tests (§4.1)', async () => {
  const { newProcess, placed } = await fakeWorld()
  const { commercial, medicare } = await newProcess().referrals.create(both(), { orderKey: KEY })
  const uuids = async (given: Order) =>
    (await newProcess().referrals.create(given, { orderKey: KEY })).referrals.map(({ uuid }) => uuid)
  expect(await uuids(one())).toEqual([commercial?.uuid])
  expect(await uuids(medicareOnly())).toEqual([medicare?.uuid])
  expect(placed()).toBe(2)
})

it('the key of an order finds it beside another order with the key (§4.1)', async () => {
  const { client, book, server } = await setUp()
  book.place(order({ ...withKey(), referenceNumber: 'ref-78' }))
  book.place(order(withKey()))
  const placed = await client.referrals.create(order(), { orderKey: KEY })
  expect(placed.referrals).toEqual([book.referrals[1]])
  expect(server.count(POST)).toBe(0)
})

it.each<[string, Partial<Referral>]>([
  ['tests', { tests: ['FBC-1'] }],
  ['reference number', { referenceNumber: 'REF-77' }],
])(
  'an order whose response was lost is found although the service writes its %s in another way (§4.1)',
  async (_, change) => {
    const { client, book, server } = await setUp([{ reset: 'before' }])
    server.on(LIST, (request) => {
      for (const each of book.referrals) Object.assign(each, change)
      return book.listScript(request)
    })
    const placed = await client.referrals.create(order(), { orderKey: KEY })
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[0]?.uuid }] })
    expect(server.count(POST)).toBe(1)
  },
)

it('an order whose response was lost is found beside another one that was sent under its key at the same time (§4.1)', async () => {
  const { client, book, server } = await setUp()
  server.on(POST, ({ body }) => {
    book.place(order({ ...withKey(), referenceNumber: 'ref-78' }))
    book.place(JSON.parse(body))
    return { reset: 'before' }
  })
  const placed = await client.referrals.create(order(), { orderKey: KEY })
  expect(placed.referrals).toEqual([book.referrals[1]])
})

/** Only one of two referrals appears, and beside it one of another order with the same key. */
const halfBeside = async (options: OrderOptions, change: Partial<Order>) => {
  const { client, book, server } = await setUp()
  let hidden: Referral | undefined
  server.on(POST, ({ body }) => {
    const given: Order = JSON.parse(body)
    book.place(order({ metadata: given.metadata, ...change }))
    book.place(given)
    hidden = book.referrals.pop()
    return { reset: 'before' }
  })
  const came = await client.referrals.create(both(), options).catch((thrown: unknown) => thrown)
  return { came, book, hidden }
}

it('an order whose response was lost is not one of its two referrals and one of another order, and is found when both appear (§4.1)', async () => {
  const { came, book, hidden } = await halfBeside({ orderKey: KEY }, { referenceNumber: 'ref-78' })
  if (!(came instanceof OrderOutcomeUnknownError)) throw new Error('the half was taken for the whole')
  expect(came.candidates).toEqual(book.referrals.map(({ uuid }) => uuid))
  await expect(came.recover()).resolves.toBeUndefined()
  if (hidden !== undefined) book.referrals.push(hidden)
  const placed = await came.recover()
  expect(placed?.referrals).toEqual([book.referrals[1], hidden])
})

it('an order whose response was lost is found in any form under a generated key, which belongs to no other order (§4.1)', async () => {
  const { came } = await halfBeside({}, { tests: ['FBC-1'] })
  expect(came).toMatchObject({ recovered: true, referrals: { length: 2 } })
})

/** The outcome for the client that placed the order, or for a process whose ledger does not have it. */
const repeat = async (deletedReferrals: 'shown' | 'gone', half: boolean, byAnother = false) => {
  const { newProcess, placed } = await fakeWorld({ deletedReferrals })
  const own = newProcess()
  const { referrals, medicare } = await own.referrals.create(both(), { orderKey: KEY })
  for (const { uuid } of half && medicare ? [medicare] : referrals) await own.referrals.delete(uuid)
  const again = (byAnother ? newProcess() : own).referrals.create(both(), { orderKey: KEY })
  const came = await again.then(
    (made) => ({
      recovered: made.recovered,
      deleted: made.referrals.map((each) => each.deletedAt !== null),
    }),
    (thrown: unknown) => thrown,
  )
  return { came, orders: placed() / 2, uuids: referrals.map(({ uuid }) => uuid) }
}

it.each([false, true])(
  'an order whose referrals were deleted is returned unchanged while they are listed (by another process: %s) (§3.1)',
  async (byAnother) => {
    for (const half of [true, false])
      expect(await repeat('shown', half, byAnother)).toMatchObject({
        came: { recovered: true, deleted: [!half, true] },
        orders: 1,
      })
  },
)

it('an order whose referrals were deleted is unknown, with its referrals, when they are no longer listed and the ledger has it as placed (§3.1)', async () => {
  for (const half of [true, false]) {
    const { came, orders, uuids } = await repeat('gone', half)
    expect(came).toMatchObject({
      ...{ name: 'OrderOutcomeUnknownError', outcome: 'unknown', retryable: true, attempts: 0 },
      ...{ candidates: uuids, cause: { name: 'NotFoundError' } },
    })
    expect(String(came)).toContain('an earlier call placed the order, but its referrals cannot be read now')
    expect(orders).toBe(1)
  }
})

it('an order whose referrals were deleted is unknown when one of two is no longer listed, in a process whose ledger does not have it (§3.1)', async () => {
  const { came, orders, uuids } = await repeat('gone', true, true)
  expect(came).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0, candidates: [uuids[0]] })
  expect(orders).toBe(1)
})

it('an order whose referrals were deleted is ordered anew when none is listed, in a process whose ledger does not have it (§3.1)', async () => {
  expect(await repeat('gone', false, true)).toMatchObject({ came: { recovered: false }, orders: 2 })
})
