import type { Order, PathologyClient, Referral } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { medicareOrder } from '../../support/samples.js'
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

const create = (client: PathologyClient, given: Order = labOrder(), options = {}) =>
  client.referrals.create(given, { orderKey: KEY, ...options })

const stoppedClock = () => new SkippingClock({ skip: () => false })
const ofBothKinds = medicareOrder({ tests: ['tsh'] })

const minutesBefore = (time: string, minutes: number): string =>
  new Date(Date.parse(time) - minutes * 60_000).toISOString()

/** Options of a process with another HMAC key: it compares the order with its referrals. */
const otherKey = { fingerprintKey: { id: 'another', key: 'k'.repeat(32) } }

describe('the referrals of a placed order that the service has changed', () => {
  const otherTests = { tests: ['other'] }

  it('are returned: the contents were compared by their fingerprints', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    const fetch = changingReferrals(() => otherTests)
    const again = await create(world.newProcess({ fetch }))
    expect(again).toMatchObject({ recovered: true, referrals: [otherTests] })
  })

  it.each([
    ['returned if one of two is still that of the order', 0, 'recovered'],
    ['returned if the other one is still that of the order', 1, 'recovered'],
    ['refused if none is that of the order', undefined, 'ORDER_KEY_IN_USE'],
  ])('and whose fingerprint has another HMAC key are %s', async (_, changed, expected) => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await create(world.newProcess(), ofBothKinds)
    const isChanged = ({ uuid }: Referral) => changed === undefined || uuid === referrals[changed]?.uuid
    const fetch = changingReferrals((referral) => (isChanged(referral) ? otherTests : {}))
    const outcome = await create(
      world.newProcess({ orderLedger: world.named(otherKey), fetch }),
      ofBothKinds,
    ).catch((error: unknown) => error)
    if (expected === 'recovered') expect(outcome).toMatchObject({ recovered: true, referrals: { length: 2 } })
    else expect(outcome).toMatchObject({ code: expected })
  })
})

describe('the order of another patient under a used key, with the same reference and tests, after a change of the secret', () => {
  const another = labOrder({ firstName: 'Berta', lastName: 'Other', dob: '1950-01-01' })
  const soon = (createdAt: string) => new Date(Date.parse(createdAt) + 20_000).toISOString()
  const late = (createdAt: string) => new Date(Date.parse(createdAt) + 600_000).toISOString()

  it.each<[string, Order, (referral: Referral) => Partial<Referral>, string]>([
    [
      'of a referral that was never changed',
      another,
      ({ createdAt }) => ({ updatedAt: createdAt }),
      'refused',
    ],
    ['of one that is not issued yet', another, () => ({ status: 'CREATED' }), 'refused'],
    [
      'of one that was just issued',
      another,
      ({ createdAt }) => ({ status: 'ISSUED', updatedAt: soon(createdAt) }),
      'refused',
    ],
    [
      'with another date of birth only',
      labOrder({ dob: '1950-01-01' }),
      () => ({ status: 'CREATED' }),
      'refused',
    ],
    ['with another name only', labOrder({ lastName: 'Other' }), () => ({ status: 'CREATED' }), 'refused'],
    [
      'the same patient, in capitals',
      labOrder(),
      ({ person }) => ({ status: 'CREATED', person: { ...person, lastName: person.lastName.toUpperCase() } }),
      'returned',
    ],
    [
      'the same patient, whose name was edited at once',
      labOrder(),
      ({ person, createdAt }) => ({
        status: 'ISSUED',
        updatedAt: soon(createdAt),
        person: { ...person, lastName: 'Edited' },
      }),
      'returned',
    ],
    [
      'the same patient, edited later',
      labOrder(),
      ({ person, createdAt }) => ({
        status: 'ISSUED',
        updatedAt: late(createdAt),
        person: { ...person, firstName: 'E', lastName: 'Edited', dob: '1950-01-01' },
      }),
      'returned',
    ],
  ])('%s: refused, unless an edit may explain the difference', async (_, given, change, expected) => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    const client = world.newProcess({ orderLedger: world.named(otherKey), fetch: changingReferrals(change) })
    const outcome = await create(client, given).catch((error: unknown) => error)
    expect(outcome).toMatchObject(expected === 'refused' ? { code: 'ORDER_KEY_IN_USE' } : { recovered: true })
    expect(world.placed()).toBe(1)
  })

  it('found by a lookup, because the ledger lost the entry: refused too', async () => {
    const world = await ledgerWorld()
    await world.placeElsewhere()
    const fetch = changingReferrals(() => ({ status: 'CREATED' }))
    expect(await rejection(create(world.newProcess({ fetch }), another))).toMatchObject({
      code: 'ORDER_KEY_IN_USE',
    })
    expect(world.placed()).toBe(1)
  })
})

describe('a placed order whose referrals cannot be read', () => {
  /** The error of a repeated call, and the client that made it. */
  async function unread(options = {}) {
    const world = await ledgerWorld()
    const { referrals } = await create(world.newProcess())
    world.fake.faults.next('GET /v1/referrals/{uuid}', { status: 503 }, { times: 3 })
    const client = world.newProcess()
    const error = await rejection(create(client, labOrder(), options))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { name: 'ServerError' } })
    const { recover } = error as { recover(): Promise<unknown> }
    return { client, recover, referrals }
  }

  it.each([
    ['no UUID', ''],
    ['the UUID of another referral', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'],
  ])(
    'is unknown when the response has %s: a referral of another order is not returned (§4.1)',
    async (_, uuid) => {
      const world = await ledgerWorld()
      const { referrals } = await create(world.newProcess())
      const error = await rejection(create(world.newProcess({ fetch: changingReferrals(() => ({ uuid })) })))
      expect(error).toMatchObject({
        name: 'OrderOutcomeUnknownError',
        ...{ attempts: 0, candidates: [referrals[0].uuid], cause: { reason: 'shape' } },
      })
      expect(await create(world.newProcess())).toMatchObject({
        recovered: true,
        referrals: [{ uuid: referrals[0].uuid }],
      })
    },
  )

  it('recover() reads them after the signal of the call has aborted', async () => {
    const abort = new AbortController()
    const { recover, referrals } = await unread({ signal: abort.signal })
    abort.abort()
    expect(await recover()).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
  })

  it('recover() rejects a key whose order has another reference number', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    world.fake.faults.next('GET /v1/referrals/{uuid}', { status: 503 }, { times: 3 })
    const other = labOrder({ referenceNumber: 'ref-of-another' })
    const error = await rejection(create(world.newProcess({ orderLedger: world.named(otherKey) }), other))
    const { recover } = error as { recover(): Promise<unknown> }
    expect(await rejection(recover())).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
  })

  it.each([
    ['both referrals', false],
    ['nothing while the list does not show the other one', true],
  ])('recover() returns %s when the ledger has one of two', async (_, isHidden) => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await world.placeElsewhere(ofBothKinds)
    await world.died()
    await world.ledger.resolve(world.name(), { placed: [referrals[0].uuid] })
    world.fake.faults.next('GET /v1/referrals/{uuid}', { status: 503 }, { times: 3 })
    const hidden = changingReferrals(({ uuid }) => (uuid === referrals[1]?.uuid ? { metadata: null } : {}))
    const client = world.newProcess({ orderRecoveryTimeout: 0, ...(isHidden && { fetch: hidden }) })
    const error = await rejection(create(client, ofBothKinds))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', candidates: [referrals[0].uuid] })
    const recovered = await (error as { recover(): Promise<unknown> }).recover()
    if (isHidden) expect(recovered).toBeUndefined()
    else expect(recovered).toMatchObject({ recovered: true, referrals: { length: 2 } })
  })

  it('recover() is rejected after close(), and the error names it', async () => {
    const { client, recover } = await unread()
    await client.close()
    const error = await rejection(recover())
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'closed' })
    expect(String(error)).toContain('recover()')
  })

  it('each read has the time limit of the order, not that of a read', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    const clock = stoppedClock()
    let reads = 0
    const hanging = (input: string, init: RequestInit): Promise<Response> => {
      if (!/\/v1\/referrals\/[^/]+$/.test(input)) return fetch(input, init)
      reads += 1
      return new Promise(() => undefined)
    }
    const failing = rejection(create(world.newProcess({ clock, fetch: hanging })))
    await expect.poll(() => reads).toBe(1)
    clock.advance(119_999)
    expect(await isSettled(failing)).toBe(false)
    clock.advance(1)
    expect(await failing).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      cause: { name: 'TimeoutError', timeout: 120_000 },
    })
  })
})

describe('a webhook event has recorded one of two referrals', () => {
  it.each([
    ['returned if it was created within five minutes before the first', 5, true],
    ['that of another order if it was created earlier', 6, false],
  ])('the other referral is %s', async (_, minutes, isFound) => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await world.placeElsewhere(ofBothKinds)
    const [known, other] = referrals
    await world.died()
    await world.ledger.resolve(world.name(), { placed: [known.uuid] })
    const createdAt = minutesBefore(known.createdAt, minutes)
    const fetch = changingReferrals(({ uuid }) => (uuid === other?.uuid ? { createdAt } : {}))
    const client = world.newProcess({ fetch, orderRecoveryTimeout: 0 })
    const outcome = await create(client, ofBothKinds).catch((error: unknown) => error)
    if (isFound) expect(outcome).toMatchObject({ recovered: true, referrals: { length: 2 } })
    else
      expect(outcome).toMatchObject({
        name: 'OrderOutcomeUnknownError',
        candidates: [known.uuid],
        startedAt: new Date(known.createdAt),
      })
    expect(world.posts()).toBe(1)
  })
})

describe('the ledger has one of two referrals, and the service has changed its tests', () => {
  it('the other one is returned with it: the key belongs to this order', async () => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await create(world.newProcess(), ofBothKinds)
    const { uuid } = referrals[0]
    world.ledger.next('claim', { after: (found) => ({ ...Object(found), referrals: [uuid] }) })
    const fetch = changingReferrals((referral) => (referral.uuid === uuid ? { tests: ['other'] } : {}))
    const again = await create(world.newProcess({ fetch }), ofBothKinds)
    expect(again).toMatchObject({ recovered: true, referrals: { length: 2 } })
  })
})

describe('the lookup of an order that a dead process has sent', () => {
  it.each([
    ['starts five minutes before its first request', 4.9, true],
    ['does not go back further', 5.1, false],
  ])('%s', async (_, minutes, isFound) => {
    const world = await ledgerWorld()
    await world.placeElsewhere()
    await world.died()
    const sinceFirstSentMs = 600_000
    world.ledger.next('claim', {
      after: (found) => ({ ...Object(found), sinceFirstSentMs, sinceLastSentMs: sinceFirstSentMs }),
    })
    const createdAt = minutesBefore(new Date().toISOString(), 10 + minutes)
    const fetch = changingReferrals(() => ({ createdAt }))
    const outcome = await create(world.newProcess({ fetch })).catch((error: unknown) => error)
    if (isFound) expect(outcome).toMatchObject({ recovered: true, referrals: [{ createdAt }] })
    else expect(outcome).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0, candidates: [] })
    expect(world.posts()).toBe(1)
  })

  it('is also made when the ledger vouches for the key', async () => {
    const world = await ledgerWorld()
    await world.placeElsewhere()
    await world.died()
    world.ledger.next('claim', { after: (found) => ({ ...Object(found), isVouched: true }) })
    expect(await create(world.newProcess())).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
  })
})

describe('an order that was placed shortly before the time limit of its call', () => {
  it('is recorded within the rest of the time limit', async () => {
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
})
