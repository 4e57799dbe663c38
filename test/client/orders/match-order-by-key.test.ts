import {
  ORDER_KEY_FIELD,
  type Order,
  type OrderOptions,
  OrderOutcomeUnknownError,
  PathologyClient,
  type Referral,
} from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order, PROVIDER_NUMBER } from '../../support/samples.js'
import { POST, setUp } from './order-world.js'

const KEY = 'job-77'
const doctor = { providerNumber: PROVIDER_NUMBER, name: 'Dr Ada Roe', address: '1 Clinic Road' }
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

let fake: FakePathologyService
let client: PathologyClient
let bundleId: string
let bundled: readonly string[]

const both = (change: Partial<Order> = {}): Order =>
  medicareOrder({ tests: ['tsh', 'iron-studies'], medicareTests: ['tsh'], ...change })
const one = (change: Partial<Order> = {}): Order => order({ tests: ['tsh', 'iron-studies'], ...change })

/** A client of another process, whose memory has no orders. */
function another(): PathologyClient {
  const { baseUrl, authUrl, clientId, clientSecret } = fake.clientOptions()
  return clientOf(baseUrl, { authUrl, clientId, clientSecret })
}

beforeEach(async () => {
  fake = await FakePathologyService.start({ port: 0, centreCount: 1, seedReferrals: 0 })
  client = new PathologyClient(fake.clientOptions())
  await client.providers.save({ ...doctor, encodedSignature: PNG })
  const [bundle] = await client.bundles.list().toArray({ limit: 1 })
  bundleId = bundle?.id ?? ''
  bundled = bundle?.tests.map(({ id }) => id) ?? []
})

afterEach(async () => {
  await client.close()
  await fake.close()
})

const bundle = (change: Partial<Order> = {}): Order => {
  const { tests: _, ...rest } = order()
  return { ...rest, bundleId, ...change }
}
const medicareOnly = (): Order => {
  const { tests: _, ...rest } = both()
  return rest
}

describe('§4.1 an order key that belongs to another order: nothing is ordered', () => {
  const cases: readonly (readonly [string, () => Order, () => Order, string])[] = [
    [
      'another patient under another reference',
      () => one(),
      () => one({ firstName: 'Berta', dob: '1950-01-01', referenceNumber: 'ref-78' }),
      'referenceNumber',
    ],
    ['more tests', () => one({ tests: ['tsh'] }), () => one(), 'tests'],
    ['fewer tests', () => one(), () => one({ tests: ['tsh'] }), 'tests'],
    ['other tests', () => one({ tests: ['tsh'] }), () => one({ tests: ['vitamin-d'] }), 'tests'],
    [
      'a bundle and more, after single tests',
      () => one({ tests: ['tsh'] }),
      () => bundle({ tests: ['vitamin-d'] }),
      'tests',
    ],
    [
      'the tests of the bundle and no more, after a bundle and more',
      () => bundle({ tests: ['vitamin-d', 'tsh', 'iron-studies'] }),
      () => one({ tests: [...bundled] }),
      'tests',
    ],
    ['Medicare alone, after commercial tests', () => one({ tests: ['tsh'] }), medicareOnly, 'tests'],
    ['commercial tests, after Medicare alone', medicareOnly, () => one({ tests: ['tsh'] }), 'tests'],
    ['other Medicare tests', () => both(), () => both({ medicareTests: ['iron-studies'] }), 'tests'],
  ]

  it.each(cases)('%s', async (_, first, second, named) => {
    await client.referrals.create(first(), { orderKey: KEY })
    const before = fake.referrals.all().length
    const refused = await rejection(another().referrals.create(second(), { orderKey: KEY }))
    expect(refused).toMatchObject({
      name: 'InvalidRequestError',
      code: 'ORDER_KEY_IN_USE',
      outcome: 'not-sent',
      message: expect.stringMatching(`orderKey belongs to an order with (another|other) ${named}`),
      issues: [{ field: 'orderKey' }],
    })
    expectNoCanary(refused)
    expect(fake.referrals.all()).toHaveLength(before)
  })

  it('another bundle of the same tests', async () => {
    const { client: scripted, book, server } = await setUp()
    book.place({ ...bundle(), tests: ['fbc'], metadata: { [ORDER_KEY_FIELD]: KEY } })
    Object.assign(book.referrals[0] ?? {}, { bundleId: 'another' })
    await expect(
      scripted.referrals.create(bundle({ tests: ['fbc'] }), { orderKey: KEY }),
    ).rejects.toMatchObject({ code: 'ORDER_KEY_IN_USE' })
    expect(server.count(POST)).toBe(0)
  })
})

describe('§4.1 an order key that belongs to this order', () => {
  const cases: readonly (readonly [string, () => Order])[] = [
    ['tests', () => one()],
    ['the same tests in another order, twice', () => one({ tests: ['iron-studies', 'tsh', 'tsh'] })],
    ['a bundle', () => bundle()],
    ['a bundle and more', () => bundle({ tests: ['vitamin-d'] })],
    ['commercial and Medicare', () => both()],
    ['Medicare alone', medicareOnly],
  ]

  it.each(cases)('%s: found, and not ordered again', async (name, given) => {
    const first = name.includes('twice') ? one() : given()
    const { referrals } = await client.referrals.create(first, { orderKey: KEY })
    const again = await another().referrals.create(given(), { orderKey: KEY })
    expect(again.recovered).toBe(true)
    expect(again.referrals.map(({ uuid }) => uuid)).toEqual(referrals.map(({ uuid }) => uuid))
    expect(fake.referrals.all()).toHaveLength(referrals.length)
  })

  it('§4.1 fields that an update or a transfer may have changed', async () => {
    const { referrals } = await client.referrals.create(one(), { orderKey: KEY })
    const [{ uuid }] = referrals
    const metadata = { clinic: 'north' }
    await fake.clock.advance({ minutes: 10 })
    await client.referrals.update(uuid, {
      firstName: 'Berta',
      lastName: 'Other',
      dob: '1950-01-01',
      email: 'b@example.com',
      phone: '0400 000 001',
      gender: 'male',
      address: { ...order().address, city: 'Perth' },
      metadata,
    })
    await fake.clock.advance({ minutes: 10 })
    fake.referrals.transfer(uuid, { firstName: 'Carla' })
    const again = await another().referrals.create(one({ metadata: { clinic: 'south' } }), { orderKey: KEY })
    expect(again).toMatchObject({ recovered: true, referrals: [{ uuid, metadata }] })
    expect(fake.referrals.all()).toHaveLength(1)
  })

  it.each([
    ['tests', undefined],
    ['tests', 'fbc'],
    ['referenceNumber', null],
    ['medicare', undefined],
    ['bundleId', null],
  ])('a referral whose %s is %j does not differ from the order, and is found', async (field, value) => {
    const { client: scripted, book, server } = await setUp()
    book.place(order({ metadata: { [ORDER_KEY_FIELD]: KEY } }))
    Object.assign(book.referrals[0] ?? {}, { [field]: value })
    const placed = await scripted.referrals.create(order(), { orderKey: KEY })
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
  })

  it('a bundle whose referral does not show its id', async () => {
    const { client: scripted, book, server } = await setUp()
    book.place(bundle({ metadata: { [ORDER_KEY_FIELD]: KEY } }))
    const placed = await scripted.referrals.create(bundle(), { orderKey: KEY })
    expect(placed.recovered).toBe(true)
    expect(server.count(POST)).toBe(0)
  })

  it('one of its two referrals is found', async () => {
    const { commercial, medicare } = await client.referrals.create(both(), { orderKey: KEY })
    const uuids = async (given: Order) =>
      (await another().referrals.create(given, { orderKey: KEY })).referrals.map(({ uuid }) => uuid)
    expect(await uuids(one())).toEqual([commercial?.uuid])
    expect(await uuids(medicareOnly())).toEqual([medicare?.uuid])
    expect(fake.referrals.all()).toHaveLength(2)
  })

  it('another order with the same key is not found', async () => {
    const { client: scripted, book, server } = await setUp()
    const metadata = { [ORDER_KEY_FIELD]: KEY }
    book.place(order({ metadata, referenceNumber: 'ref-78' }))
    book.place(order({ metadata }))
    const placed = await scripted.referrals.create(order(), { orderKey: KEY })
    expect(placed.referrals).toEqual([book.referrals[1]])
    expect(server.count(POST)).toBe(0)
  })
})

describe('§4.1 an order that was sent is not rejected because of other referrals with its key', () => {
  const spelled = (change: Partial<Referral>) => async () => {
    const { client: scripted, book, server } = await setUp([{ reset: 'before' }])
    const list = book.listScript
    server.on('GET /v1/referrals', async (request) => {
      for (const each of book.referrals) Object.assign(each, change)
      return list(request)
    })
    return { placed: await scripted.referrals.create(order(), { orderKey: KEY }), book, server }
  }

  it.each([
    ['tests', spelled({ tests: ['FBC-1'] })],
    ['reference number', spelled({ referenceNumber: 'REF-77' })],
  ])('the service writes its %s in another way', async (_, run) => {
    const { placed, book, server } = await run()
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: book.referrals[0]?.uuid }] })
    expect(server.count(POST)).toBe(1)
  })

  it('of two orders that were sent under one key at the same time, each call returns its own', async () => {
    const { client: scripted, book, server } = await setUp()
    const metadata = { [ORDER_KEY_FIELD]: KEY }
    server.on(POST, ({ body }) => {
      book.place(order({ metadata, referenceNumber: 'ref-78' }))
      book.place(JSON.parse(body))
      return { reset: 'before' }
    })
    const placed = await scripted.referrals.create(order(), { orderKey: KEY })
    expect(placed.referrals).toEqual([book.referrals[1]])
  })
})

describe('§4.1 an order of two referrals: one appears, and one of another order with the same key', () => {
  const halfBeside = async (options: OrderOptions, change: Partial<Order>) => {
    const { client: scripted, book, server } = await setUp()
    let hidden: Referral | undefined
    server.on(POST, ({ body }) => {
      const given: Order = JSON.parse(body)
      book.place(order({ metadata: given.metadata, ...change }))
      book.place(given)
      hidden = book.referrals.pop()
      return { reset: 'before' }
    })
    const came = await scripted.referrals.create(both(), options).catch((thrown: unknown) => thrown)
    return { came, book, hidden }
  }

  it('these two are not the order; it is found when both of its referrals appear', async () => {
    const { came, book, hidden } = await halfBeside({ orderKey: KEY }, { referenceNumber: 'ref-78' })
    if (!(came instanceof OrderOutcomeUnknownError)) throw new Error('the half was taken for the whole')
    expect(came.candidates).toEqual(book.referrals.map(({ uuid }) => uuid))
    await expect(came.recover()).resolves.toBeUndefined()
    if (hidden !== undefined) book.referrals.push(hidden)
    const [other, commercial] = book.referrals
    const placed = await came.recover()
    expect(placed?.referrals).toEqual([commercial, hidden])
    expect(placed?.referrals).not.toContainEqual(other)
  })

  it('a generated key belongs to no other order: both referrals are found in any form', async () => {
    const { came } = await halfBeside({}, { tests: ['FBC-1'] })
    expect(came).toMatchObject({ recovered: true, referrals: { length: 2 } })
  })
})

describe('§3.1 the job of a cancelled order is repeated', () => {
  /** @param byAnother - Repeated by a process whose ledger does not hold the order. */
  const repeat = async (deletedReferrals: 'shown' | 'gone', half: boolean, byAnother = false) => {
    const service = await FakePathologyService.start({
      port: 0,
      centreCount: 1,
      seedReferrals: 0,
      deletedReferrals,
    })
    onTestFinished(() => service.close())
    const { baseUrl, authUrl, clientId, clientSecret } = service.clientOptions()
    const mine = clientOf(baseUrl, { authUrl, clientId, clientSecret })
    await mine.providers.save({ ...doctor, encodedSignature: PNG })
    const { referrals, medicare } = await mine.referrals.create(both(), { orderKey: KEY })
    for (const { uuid } of half && medicare ? [medicare] : referrals) await mine.referrals.delete(uuid)
    const repeating = byAnother ? clientOf(baseUrl, { authUrl, clientId, clientSecret }) : mine
    const again = repeating.referrals.create(both(), { orderKey: KEY })
    const came = await again.then(
      (placed) => ({
        recovered: placed.recovered,
        deleted: placed.referrals.map((each) => each.deletedAt !== null),
      }),
      (thrown: unknown) => thrown,
    )
    return { came, orders: service.referrals.all().length / 2, uuids: referrals.map(({ uuid }) => uuid) }
  }
  it.each([
    ['the client that placed it', false],
    ['another process', true],
  ])('still listed, repeated by %s: returned unchanged, and nothing is ordered', async (_, byAnother) => {
    expect(await repeat('shown', false, byAnother)).toMatchObject({
      came: { recovered: true, deleted: [true, true] },
      orders: 1,
    })
    expect(await repeat('shown', true, byAnother)).toMatchObject({
      came: { recovered: true, deleted: [false, true] },
      orders: 1,
    })
  })

  it('no longer listed, and the ledger holds it as placed: unknown, with its referrals, and nothing is ordered', async () => {
    for (const half of [true, false]) {
      const { came, orders, uuids } = await repeat('gone', half)
      expect(came).toMatchObject({
        name: 'OrderOutcomeUnknownError',
        outcome: 'unknown',
        retryable: true,
        attempts: 0,
        candidates: uuids,
        cause: { name: 'NotFoundError' },
      })
      expect(String(came)).toContain('an earlier call placed the order, but its referrals cannot be read now')
      expect(orders).toBe(1)
    }
  })

  it('no longer listed, in a process whose ledger does not have it: it is ordered', async () => {
    expect(await repeat('gone', false, true)).toMatchObject({ came: { recovered: false }, orders: 2 })
  })

  it('one referral no longer listed, in such a process: unknown, with the other referral', async () => {
    const { came, orders, uuids } = await repeat('gone', true, true)
    expect(came).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0, candidates: [uuids[0]] })
    expect(String(came)).not.toContain('lost')
    expect(orders).toBe(1)
  })
})
