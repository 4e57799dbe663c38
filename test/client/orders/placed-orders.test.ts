import {
  ORDER_KEY_FIELD,
  type Order,
  type OrderOutcomeUnknownError,
  type PathologyClient,
  type Referral,
  type ReferralEvent,
} from 'pathology-sdk'
import { expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { medicareOrder, referral, result, UUID } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import {
  changingReferrals,
  closed,
  holdingOrders,
  isSettled,
  KEY,
  labOrder,
  ledgerWorld,
} from '../ledger/ledger-world.js'
import { HOUR, MINUTE, unknownOutcome, withKey } from './order-world.js'

type World = Awaited<ReturnType<typeof ledgerWorld>>

const create = (client: PathologyClient, given: Order = labOrder(), options = {}) =>
  client.referrals.create(given, { orderKey: KEY, ...options })

const stoppedClock = () => new SkippingClock({ skip: () => false })
const ofBothKinds = medicareOrder({ tests: ['tsh'] })
const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString()
const uuidsOf = (referrals: readonly Referral[]): string[] => referrals.map(({ uuid }) => uuid)

const otherTests = { tests: ['other'] }
const created: Partial<Referral> = { status: 'CREATED' }

/** Options of a ledger with another HMAC key: the order is compared with its referrals. */
const otherKey = { fingerprintKey: { id: 'another', key: 'k'.repeat(32) } }

/** An order of two referrals that another process placed, of which the ledger has the first. */
async function halfRecorded() {
  const world = await ledgerWorld()
  await world.saveProvider()
  const { referrals } = await world.placeElsewhere(ofBothKinds)
  const [first, second = referral()] = referrals
  await world.died()
  await world.ledger.resolve(world.name(), { placed: [first.uuid] })
  return { world, first, second }
}

it('an order that the ledger has as placed is returned in its present state, also deleted, with one read for each referral and no list (§3.1)', async () => {
  const world = await ledgerWorld()
  await world.saveProvider()
  const first = await create(world.newProcess(), ofBothKinds)
  await world.newProcess().referrals.delete(first.referrals[0].uuid)
  const [lists, reads] = [world.lists(), world.reads()]
  const again = await create(world.newProcess(), ofBothKinds)
  expect(again).toMatchObject({ recovered: true, orderKey: KEY, medicare: { uuid: first.medicare?.uuid } })
  expect(uuidsOf(again.referrals)).toEqual(uuidsOf(first.referrals))
  expect(again.referrals.map(({ deletedAt }) => deletedAt !== null)).toEqual([true, false])
  expect([world.lists(), world.reads()]).toEqual([lists, reads + 2])
  expect(world.placed()).toBe(2)
})

it('an order that the ledger has as placed is returned although the service has changed it, because its fingerprint is the same', async () => {
  const world = await ledgerWorld()
  await create(world.newProcess())
  const tests = ['other']
  const again = await create(world.newProcess({ fetch: changingReferrals(() => ({ tests })) }))
  expect(again).toMatchObject({ recovered: true, referrals: [{ tests }] })
})

const another = labOrder({ firstName: 'Berta', lastName: 'Other', dob: '1950-01-01' })
const edited = ({ createdAt }: Referral, ms: number): Partial<Referral> => ({
  ...{ status: 'ISSUED', updatedAt: later(createdAt, ms) },
})

it.each<[string, Order, Order, (referral: Referral) => Partial<Referral>, 'refused' | 'returned']>([
  [
    'one of two referrals has other tests',
    ofBothKinds,
    ofBothKinds,
    (one) => (one.medicare ? {} : otherTests),
    'returned',
  ],
  [
    'the other one has other tests',
    ofBothKinds,
    ofBothKinds,
    (one) => (one.medicare ? otherTests : {}),
    'returned',
  ],
  ['both have other tests', ofBothKinds, ofBothKinds, () => otherTests, 'refused'],
  [
    'another patient, never changed',
    labOrder(),
    another,
    ({ createdAt }) => ({ updatedAt: createdAt }),
    'refused',
  ],
  ['another patient, not issued yet', labOrder(), another, () => created, 'refused'],
  ['another patient, just issued', labOrder(), another, (one) => edited(one, 20_000), 'refused'],
  ['another date of birth only', labOrder(), labOrder({ dob: '1950-01-01' }), () => created, 'refused'],
  ['another name only', labOrder(), labOrder({ lastName: 'Other' }), () => created, 'refused'],
  [
    'the name in capitals',
    labOrder(),
    labOrder(),
    ({ person }) => ({ ...created, person: { ...person, lastName: person.lastName.toUpperCase() } }),
    'returned',
  ],
  [
    'the name with an accent and a space',
    labOrder(),
    labOrder(),
    ({ person }) => ({ ...created, person: { ...person, firstName: ` ${person.firstName}\u0301` } }),
    'returned',
  ],
  [
    'the name edited at once',
    labOrder(),
    labOrder(),
    (one) => ({ ...edited(one, 20_000), person: { ...one.person, lastName: 'Edited' } }),
    'returned',
  ],
  ['another patient, edited later', labOrder(), another, (one) => edited(one, 600_000), 'returned'],
])(
  'an order that the ledger has as placed is compared with its referrals when the fingerprints cannot be compared: %s (§4.1)',
  async (_, first, second, change, comes) => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await create(world.newProcess(), first)
    const options = { orderLedger: world.named(otherKey), fetch: changingReferrals(change) }
    const outcome = create(world.newProcess(options), second)
    if (comes === 'refused') expect(await rejection(outcome)).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
    else expect(await outcome).toMatchObject({ recovered: true, referrals: { length: referrals.length } })
    expect(world.placed()).toBe(referrals.length)
  },
)

it('an order of another patient under the key is refused in a lookup too, when the ledger has lost it (§4.1)', async () => {
  const world = await ledgerWorld()
  await world.placeElsewhere()
  const refused = rejection(create(world.newProcess({ fetch: changingReferrals(() => created) }), another))
  expect(await refused).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
  expect(world.placed()).toBe(1)
})

it('an order that the ledger has as placed is recorded within the rest of the time limit of its call', async () => {
  const world = await ledgerWorld()
  const clock = stoppedClock()
  const { fetch, held, release } = holdingOrders('after')
  const client = world.newProcess({ clock, fetch })
  const placing = create(client, labOrder(), { timeout: 100_000 })
  await expect.poll(held).toBe(1)
  clock.advance(99_000)
  world.ledger.next('record', 'hangs')
  release()
  await expect.poll(() => world.ledger.count('record')).toBe(1)
  clock.advance(999)
  expect(await isSettled(placing)).toBe(false)
  clock.advance(1)
  expect(await isSettled(placing)).toBe(true)
  await closed(client, clock)
  expect(await world.state()).toMatchObject({ state: 'placed' })
})

const READ = 'GET /v1/referrals/{uuid}'

/** A process that cannot read the referral, and the error of its call. */
async function unread(world: World, given = labOrder(), options = {}, more = {}) {
  world.fake.faults.next(READ, { status: 503 }, { times: 3 })
  const client = world.newProcess(options)
  return { client, error: await unknownOutcome(create(client, given, more)) }
}

it('a placed order whose referrals cannot be read is unknown, with their UUIDs, and recover() reads them without the signal of the call', async () => {
  const world = await ledgerWorld()
  const { referrals } = await create(world.newProcess())
  const abort = new AbortController()
  const { error } = await unread(world, labOrder(), {}, { signal: abort.signal })
  expect(error).toMatchObject({
    ...{ outcome: 'unknown', retryable: true, attempts: 0, cause: { name: 'ServerError' } },
    candidates: uuidsOf(referrals),
    message: expect.stringContaining(
      'an earlier call placed the order, but its referrals cannot be read now (ServerError)',
    ),
  })
  abort.abort()
  const found = await error.recover()
  expect(uuidsOf(found?.referrals ?? [])).toEqual(uuidsOf(referrals))
})

it.each(['', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'])(
  'a placed order whose referrals cannot be read is unknown when the response has the UUID "%s": a referral of another order is not returned (§4.1)',
  async (uuid) => {
    const world = await ledgerWorld()
    const { referrals } = await create(world.newProcess())
    const client = world.newProcess({ fetch: changingReferrals(() => ({ uuid })) })
    expect(await unknownOutcome(create(client))).toMatchObject({
      ...{ attempts: 0, candidates: uuidsOf(referrals), cause: { reason: 'shape' } },
    })
  },
)

it('a placed order whose referrals cannot be read has a recover() that rejects a key whose order has another reference number', async () => {
  const world = await ledgerWorld()
  await create(world.newProcess())
  const other = labOrder({ referenceNumber: 'ref-of-another' })
  const { error } = await unread(world, other, { orderLedger: world.named(otherKey) })
  expect(await rejection(error.recover())).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
})

it('a placed order whose referrals cannot be read has a recover() that is rejected after close(), and the error names it', async () => {
  const world = await ledgerWorld()
  await create(world.newProcess())
  const { client, error } = await unread(world)
  await client.close()
  const closedError = await rejection(error.recover())
  expect(closedError).toMatchObject({ name: 'ConnectionError', reason: 'closed' })
  expect(String(closedError)).toContain('recover()')
})

it.each([
  ['both referrals', false],
  ['nothing while the list does not show the other one', true],
])(
  'a placed order whose referrals cannot be read has a recover() that returns %s when the ledger has one of two',
  async (_, isHidden) => {
    const { world, first, second } = await halfRecorded()
    const hidden = changingReferrals(({ uuid }) => (uuid === second.uuid ? { metadata: null } : {}))
    const options = { orderRecoveryTimeout: 0, ...(isHidden && { fetch: hidden }) }
    const { error } = await unread(world, ofBothKinds, options)
    expect(error.candidates).toEqual([first.uuid])
    const recovered = await error.recover()
    if (isHidden) expect(recovered).toBeUndefined()
    else expect(recovered).toMatchObject({ recovered: true, referrals: { length: 2 } })
  },
)

it.each<[string, object, object, number]>([
  ["the call's", { timeout: 90_000 }, { timeout: 70_000 }, 70_000],
  ["the client's", { timeout: 90_000 }, {}, 90_000],
  ['the default of an order', {}, {}, 120_000],
])(
  'a placed order whose referrals cannot be read within %s time limit is unknown',
  async (_, all, own, limit) => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    const clock = stoppedClock()
    let reads = 0
    const hanging = (input: string, init: RequestInit): Promise<Response> => {
      if (!/\/v1\/referrals\/[^/]+$/.test(input)) return fetch(input, init)
      reads += 1
      return new Promise(() => undefined)
    }
    const failing = unknownOutcome(
      create(world.newProcess({ clock, fetch: hanging, ...all }), labOrder(), own),
    )
    await expect.poll(() => reads).toBe(1)
    clock.advance(limit - 1)
    expect(await isSettled(failing)).toBe(false)
    clock.advance(1)
    expect(await failing).toMatchObject({ cause: { name: 'TimeoutError', timeout: limit } })
  },
)

it.each<[string, (first: Referral) => Partial<Referral> | undefined, boolean]>([
  [
    'completed with one from five minutes before the first',
    (first) => ({ createdAt: later(first.createdAt, -5 * MINUTE) }),
    true,
  ],
  [
    'not completed with an earlier one',
    (first) => ({ createdAt: later(first.createdAt, -6 * MINUTE) }),
    false,
  ],
  ['not completed while the other one is not listed', () => ({ metadata: null }), false],
])(
  'an order of two referrals, of which the ledger has the first, is %s (§4.1)',
  async (_, change, isFound) => {
    const { world, first, second } = await halfRecorded()
    const fetch = changingReferrals((one) => (one.uuid === second.uuid && change(first)) || {})
    const client = world.newProcess({ fetch, orderRecoveryTimeout: 0, resendAfter: 180_000 })
    const outcome = create(client, ofBothKinds)
    if (isFound) {
      expect(await outcome).toMatchObject({ recovered: true, referrals: { length: 2 } })
      const recorded = expect.arrayContaining([first.uuid, second.uuid])
      await expect.poll(async () => (await world.state()).referrals).toEqual(recorded)
    } else {
      const unknown = await unknownOutcome(outcome)
      const startedAt = new Date(first.createdAt)
      expect(unknown).toMatchObject({ attempts: 0, candidates: [first.uuid], startedAt })
      expect(unknown).not.toHaveProperty('retryAfter')
    }
    expect(world.posts()).toBe(1)
  },
)

it.each<[string, (one: Referral, isFirst: boolean) => Partial<Referral>]>([
  [
    'the first one is not listed, because it was deleted',
    (_, isFirst) => (isFirst ? { metadata: null } : {}),
  ],
  ['the first one has other tests now', (_, isFirst) => (isFirst ? otherTests : {})],
  [
    'the patient of the other one was edited',
    ({ person }, isFirst) => (isFirst ? {} : { ...created, person: { ...person, dob: '1950-01-01' } }),
  ],
])(
  'an order of two referrals, of which the ledger has the first, is returned complete although %s',
  async (_, change) => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await create(world.newProcess(), ofBothKinds)
    const { uuid } = referrals[0]
    world.ledger.next('claim', { after: (found) => ({ ...Object(found), referrals: [uuid] }) })
    const fetch = changingReferrals((one) => change(one, one.uuid === uuid))
    const again = await create(world.newProcess({ fetch }), ofBothKinds)
    expect(uuidsOf(again.referrals).sort()).toEqual(uuidsOf(referrals).sort())
    expect(again.recovered).toBe(true)
  },
)

it('an order of two referrals, of which the ledger has the first, is unknown since the start of the default window when the first has no time', async () => {
  const { world, second } = await halfRecorded()
  const fetch = changingReferrals(({ uuid }) =>
    uuid === second.uuid ? { metadata: null } : { createdAt: 'yesterday' },
  )
  const client = world.newProcess({ fetch, orderRecoveryTimeout: 0 })
  const unknown: OrderOutcomeUnknownError = await unknownOutcome(create(client, ofBothKinds))
  expect(unknown.startedAt.getTime()).toBeLessThan(Date.now() - 23 * HOUR)
})

it('referrals.recordOrder records an order whose response was lost as placed, by its referral.created event (§6)', async () => {
  const world = await ledgerWorld()
  const client = world.newProcess()
  const { referrals } = await world.placeElsewhere()
  await world.died({ agoMs: HOUR })
  const [{ uuid, metadata }] = referrals
  const event: ReferralEvent = { eventName: 'referral.created', data: { uuid, metadata } }
  expect(await client.referrals.recordOrder(event)).toBe(true)
  expect(await client.referrals.recordOrder(event)).toBe(true)
  const lists = world.lists()
  expect(await create(client)).toMatchObject({ recovered: true, referrals: [{ uuid }] })
  expect(world.lists()).toBe(lists)
  expect(world.posts()).toBe(1)
})

it('referrals.recordOrder records both referrals of an order, one after the other', async () => {
  const world = await ledgerWorld()
  await world.saveProvider()
  const client = world.newProcess()
  const { referrals } = await world.placeElsewhere(ofBothKinds)
  await world.died({ agoMs: HOUR })
  for (const each of referrals) expect(await client.referrals.recordOrder(each)).toBe(true)
  expect(await world.state()).toMatchObject({ state: 'placed', referrals: uuidsOf(referrals) })
})

it('referrals.recordOrder returns false for a key without an entry, for no key and for other events, and creates no entry', async () => {
  const world = await ledgerWorld()
  const { referrals } = world.newProcess()
  const data = { uuid: UUID, ...withKey() }
  expect(await referrals.recordOrder(referral(data))).toBe(false)
  expect(await referrals.recordOrder(referral({ uuid: UUID }))).toBe(false)
  expect(await referrals.recordOrder({ eventName: 'result.created', data })).toBe(false)
  expect(await referrals.recordOrder({ eventName: 'referral.issued', data: withKey() })).toBe(false)
  // The ledger gets only the key.
  expect(world.ledger.count('resolve')).toBe(1)
  expect(await world.state()).toMatchObject({ state: 'new' })
})

it('referrals.recordOrder rejects data that is not a referral, such as a result with the key', async () => {
  const world = await ledgerWorld()
  const { referrals } = world.newProcess()
  for (const other of [
    result({ metadata: { [ORDER_KEY_FIELD]: KEY } }),
    undefined,
    null,
    {},
    'text',
    { uuid: 'x' },
  ]) {
    const error = await rejection(referrals.recordOrder(other as never))
    expect(String(error)).toBe(
      'InvalidRequestError: referrals.recordOrder: nothing was sent, because referralOrEvent must be a referral or a webhook event about a referral [field: referralOrEvent]',
    )
  }
  expect(world.ledger.count('resolve')).toBe(0)
})

it('referrals.recordOrder fails when the ledger fails, so that the event is sent again', async () => {
  const world = await ledgerWorld()
  world.ledger.next('resolve', 'fails')
  const { referrals } = world.newProcess()
  const error = await rejection(referrals.recordOrder(referral({ uuid: UUID, ...withKey() })))
  expect(error).toMatchObject({ name: 'OrderLedgerError', operation: 'resolve', retryable: true })
})

it('referrals.recordOrder is rejected after close()', async () => {
  const world = await ledgerWorld()
  const client = world.newProcess()
  await client.close()
  const error = await rejection(client.referrals.recordOrder(referral({ uuid: UUID, ...withKey() })))
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'closed' })
})
