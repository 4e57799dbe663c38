import type { OrderClaimRequest, PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { medicareOrder } from '../../support/samples.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { holdingOrders, KEY, labOrder, ledgerWorld, POST, vouched } from '../ledger/ledger-world.js'

type World = Awaited<ReturnType<typeof ledgerWorld>>

const HOUR_MS = 3_600_000

const create = (client: PathologyClient, given = labOrder()) =>
  client.referrals.create(given, { orderKey: KEY })

describe('a key that is new (§4.1)', () => {
  it('is claimed, looked up, marked before the order is sent, and recorded with all its referrals', async () => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const postsAtMark: number[] = []
    world.ledger.next('mark', { after: () => postsAtMark.push(world.posts()) })
    const placed = await create(world.newProcess(), medicareOrder({ tests: ['tsh'] }))
    expect(placed.recovered).toBe(false)
    expect(world.ledger.operations).toEqual(['claim', 'mark', 'record'])
    expect(postsAtMark).toEqual([0])
    expect(world.lists()).toBe(1)
    const uuids = placed.referrals.map(({ uuid }) => uuid)
    expect(uuids).toHaveLength(2)
    expect(await world.state()).toMatchObject({ state: 'placed', referrals: uuids })
  })

  it('is not looked up when the ledger knows that it is new, and its mark is stored with the claim', async () => {
    const world = await ledgerWorld()
    const { inner, name, ledger } = world
    ledger.always('claim', { after: (found, request) => vouched(inner, name(), found, request) })
    await create(world.newProcess())
    expect(world.ledger.operations).toEqual(['claim', 'record'])
    expect(world.lists()).toBe(0)
    expect(world.posts()).toBe(1)
  })

  it('finds the order that a process without a ledger placed, and records it', async () => {
    const world = await ledgerWorld()
    const { referrals } = await world.placeElsewhere()
    const found = await create(world.newProcess())
    expect(found).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
    expect(world.posts()).toBe(1)
    expect(await world.state()).toMatchObject({ state: 'placed', referrals: [referrals[0].uuid] })
  })

  it('whose process ended after the claim and before a mark is new when the lease has ended', async () => {
    const world = await ledgerWorld()
    await world.died({ marked: false })
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
  })
})

describe('a key that another process is placing', () => {
  it('is waited for: one order, and every process gets it', async () => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, { latencyMs: 200 })
    const calls = Array.from({ length: 8 }, () => create(world.newProcess()))
    const placed = await Promise.all(calls)
    expect(placed.filter(({ recovered }) => !recovered)).toHaveLength(1)
    expect(new Set(placed.map(({ referrals }) => referrals[0].uuid)).size).toBe(1)
    expect(world.placed()).toBe(1)
    expect(world.posts()).toBe(1)
  })

  it.each([true, false])('is waited for no longer than the time limit (marked: %s)', async (marked) => {
    const world = await ledgerWorld()
    await world.died({ marked, agoMs: 0 })
    const error = await rejection(
      world.newProcess().referrals.create(labOrder(), { orderKey: KEY, timeout: 3_000 }),
    )
    expect(error).toMatchObject({
      name: 'TimeoutError',
      outcome: 'unknown',
      attempts: 0,
      timeout: 3_000,
      retryable: true,
    })
    expect(world.posts()).toBe(0)
    expect(world.ledger.count('claim')).toBeLessThan(30)
  })

  it('is no longer waited for after the caller aborts, and the claim stays with the other process', async () => {
    const world = await ledgerWorld()
    await world.died({ agoMs: 0 })
    const abort = new AbortController()
    const { signal } = abort
    const waiting = rejection(world.newProcess().referrals.create(labOrder(), { orderKey: KEY, signal }))
    await expect.poll(() => world.ledger.count('claim')).toBeGreaterThan(1)
    const reason = new Error('the user went away')
    abort.abort(reason)
    expect(await waiting).toBe(reason)
    expect(await world.state()).toMatchObject({ state: 'busy' })
  })

  it('is taken over when its process dies during the wait', async () => {
    const world = await ledgerWorld()
    await world.died({ marked: false, agoMs: 0 })
    const waiting = create(world.newProcess())
    await expect.poll(() => world.ledger.count('claim')).toBeGreaterThan(1)
    world.ledgerClock.advance(15_001)
    expect(await waiting).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
  })

  it('stays claimed while its call runs, however long: the lease is renewed', async () => {
    const world = await ledgerWorld()
    const clock = new SkippingClock({ skip: () => false })
    const { fetch, held, release } = holdingOrders('before')
    const first = create(world.newProcess({ clock, fetch }))
    await expect.poll(held).toBe(1)
    for (let nth = 1; nth <= 6; nth += 1) {
      clock.advance(5_000)
      expect(world.ledger.count('renew')).toBe(nth)
      world.ledgerClock.advance(8_000)
    }
    expect(await world.state()).toMatchObject({ state: 'busy' })
    release()
    expect(await first).toMatchObject({ recovered: false })
    clock.advance(60_000)
    expect(world.ledger.count('renew')).toBe(6)
  })
})

describe('a key whose order was sent, and whose process died', () => {
  it('is looked up until its order appears, by one process at a time; the others wait for it', async () => {
    const world = await ledgerWorld()
    await world.died({ agoMs: 15_001 })
    const [first, second] = [create(world.newProcess()), create(world.newProcess())]
    await expect.poll(() => world.lists()).toBeGreaterThan(0)
    const { referrals } = await world.placeElsewhere()
    for (const placed of [await first, await second])
      expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
    expect(world.placed()).toBe(1)
    expect(world.reads()).toBe(1)
    expect(await world.state()).toMatchObject({ state: 'placed' })
  })

  it('and whose order does not appear: unknown at each repeat, after a complete read each time, and nothing is sent', async () => {
    const world = await ledgerWorld()
    await world.died({ agoMs: HOUR_MS })
    for (const nth of [1, 2, 3]) {
      const error = await rejection(create(world.newProcess()))
      expect(error).toMatchObject({
        name: 'OrderOutcomeUnknownError',
        outcome: 'unknown',
        attempts: 0,
        retryable: true,
        orderKey: KEY,
      })
      expectNoCanary(error)
      expect(world.lists()).toBe(nth)
    }
    expect(world.posts()).toBe(0)
    await world.placeElsewhere()
    expect(await create(world.newProcess())).toMatchObject({ recovered: true })
    expect(world.placed()).toBe(1)
  })

  it.each([
    ['an hour fast', HOUR_MS],
    ['an hour slow', -HOUR_MS],
    ['right', 0],
  ])('is found 30 hours later by a process whose clock is %s', async (_, aheadMs) => {
    const world = await ledgerWorld()
    await world.placeElsewhere()
    await world.died({ agoMs: 30 * HOUR_MS })
    world.fake.clock.advance({ hours: 30 })
    const clock = new ShiftedClock({ speed: 10 })
    clock.advance(30 * HOUR_MS + aheadMs)
    expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
  })

  it('is sent again after resendAfter, once for all processes, and not before', async () => {
    const world = await ledgerWorld()
    const resendAfter = 180_000
    await world.died({ agoMs: resendAfter - 60_000 })
    // This clock is as fast as that of the ledger.
    const clock = new ShiftedClock()
    const early = await rejection(create(world.newProcess({ resendAfter, clock })))
    expect(early).toMatchObject({ name: 'OrderOutcomeUnknownError', retryable: true })
    const { retryAfter = 0 } = early as { retryAfter?: number }
    expect(retryAfter).toBeGreaterThan(50_000)
    expect(retryAfter).toBeLessThanOrEqual(60_000)
    expect(world.posts()).toBe(0)
    world.ledgerClock.advance(retryAfter)
    const lists = world.lists()
    const calls = [1, 2, 3].map(() => create(world.newProcess({ resendAfter })))
    const placed = await Promise.all(calls)
    expect(placed.map(({ recovered }) => recovered).sort()).toEqual([false, true, true])
    expect(world.lists()).toBe(lists + 1)
    expect(world.placed()).toBe(1)
  })

  it.each([
    ['with a ledger', (world: World) => world.ledger],
    ['without a ledger', () => undefined],
  ])(
    '%s: the call whose response was lost has the time at which the order is sent again',
    async (_, ledgerOf) => {
      const world = await ledgerWorld()
      const resendAfter = 180_000
      const clock = new ShiftedClock()
      const options = {
        orderLedger: ledgerOf(world),
        orderRecoveryTimeout: 0,
        maxRetries: 0,
        clock,
        resendAfter,
      }
      world.fake.faults.next(POST, { status: 503 })
      const client = world.newProcess(options)
      const error = await rejection(create(client))
      expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 1, retryable: true })
      const { retryAfter = 0 } = error as { retryAfter?: number }
      expect(retryAfter).toBeGreaterThan(resendAfter - 10_000)
      expect(retryAfter).toBeLessThanOrEqual(resendAfter)
      expect(Number.isInteger(retryAfter)).toBe(true)
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ retryAfter })
      for (const time of [clock, world.ledgerClock]) time.advance(retryAfter)
      expect(await create(client)).toMatchObject({ recovered: false })
      expect(world.placed()).toBe(1)
    },
  )

  it.each([
    ['in the past, 15 minutes earlier', -3_600_000, true],
    ['in the future, which comes from an incorrect clock', 1_200_000, false],
  ])('the ledger gets a since %s: %i ms from now, %s', async (_, fromNowMs, isPassed) => {
    const world = await ledgerWorld()
    const since = new Date(Date.now() + fromNowMs)
    await world
      .newProcess({ clock: new ShiftedClock() })
      .referrals.create(labOrder(), { orderKey: KEY, since })
    const [claim] = world.ledger.calls.filter(({ operation }) => operation === 'claim')
    expect(Object(claim?.request).since).toEqual(
      isPassed ? new Date(since.getTime() - 15 * 60_000) : undefined,
    )
  })

  it.each([
    ['a day ahead of the service, the difference is subtracted', 86_400_000, 86_400_000],
    ['half a minute ahead, it is not', 30_000, 0],
    ['a day behind, the difference is subtracted too', -86_400_000, 86_400_000],
  ])('the ledger gets a since of a machine whose clock is %s', async (_, aheadMs, subtractedMs) => {
    const world = await ledgerWorld()
    const clock = new SkippingClock({ now: Date.now() + aheadMs })
    const client = world.newProcess({ clock })
    await client.vendors.list().toArray()
    const since = new Date(Date.now() - 3_600_000)
    await client.referrals.create(labOrder(), { orderKey: KEY, since })
    const [claim] = world.ledger.calls.filter(({ operation }) => operation === 'claim')
    const passed: Date = Object(claim?.request).since
    // The Date header of the service has whole seconds.
    const expected = since.getTime() - subtractedMs - 15 * 60_000
    expect(Math.abs(passed.getTime() - expected)).toBeLessThan(2_000)
  })

  it('the ledger gets no since without one, and one that is 15 minutes in the future', async () => {
    const given = async (since: Date | undefined): Promise<unknown> => {
      const world = await ledgerWorld()
      await world.newProcess().referrals.create(labOrder(), { orderKey: KEY, since })
      const [claim] = world.ledger.calls.filter(({ operation }) => operation === 'claim')
      return Object(claim?.request).since
    }
    expect(await given(undefined)).toBeUndefined()
    expect(await given(new Date(Date.now() + 14 * 60_000))).toBeInstanceOf(Date)
  })

  it('a 429 is waited for, also without a time limit', async () => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, { status: 429, retryAfter: 1 })
    const options = { orderKey: KEY, timeout: Number.POSITIVE_INFINITY }
    const placed = await world.newProcess().referrals.create(labOrder(), options)
    expect(placed.recovered).toBe(false)
    expect(world.placed()).toBe(1)
  })

  it('has no retryAfter when the order will not be sent again, or a lookup may find it first', async () => {
    const world = await ledgerWorld()
    const options = { orderRecoveryTimeout: 0, maxRetries: 0 }
    const lost = async (more: object, orderKey?: string) => {
      world.fake.faults.next(POST, { status: 503 })
      return rejection(world.newProcess({ ...options, ...more }).referrals.create(labOrder(), { orderKey }))
    }
    expect(await lost({}, 'a')).not.toHaveProperty('retryAfter')
    expect(await lost({ resendAfter: 180_000 })).not.toHaveProperty('retryAfter')
    world.fake.faults.next('GET /v1/referrals', { status: 503, retryAfter: 7 })
    expect(await lost({ resendAfter: 180_000 }, 'b')).toMatchObject({ retryAfter: 7_000 })
  })

  it('is not sent again after resendAfter when the lookup fails', async () => {
    const world = await ledgerWorld()
    await world.died({ agoMs: HOUR_MS })
    world.fake.faults.next('GET /v1/referrals', { status: 500 }, { times: 3 })
    const error = await rejection(create(world.newProcess({ resendAfter: 180_000 })))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', cause: { name: 'ServerError' } })
    expect(world.posts()).toBe(0)
    expect(await world.state()).toMatchObject({ state: 'sent' })
  })

  it('and whose outcome is recorded manually: "placed" returns the referrals, "not placed" makes the key new', async () => {
    const world = await ledgerWorld()
    await world.died({ agoMs: HOUR_MS })
    await world.ledger.resolve(world.name(), 'not-placed')
    const { referrals } = await create(world.newProcess())
    await world.died({ agoMs: HOUR_MS, key: 'job-78' })
    await world.ledger.resolve(world.name('job-78'), { placed: [referrals[0].uuid] })
    const again = await world.newProcess().referrals.create(labOrder(), { orderKey: 'job-78' })
    expect(again).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
    expect(world.placed()).toBe(1)
  })
})

describe('a key whose order was placed', () => {
  it('returns the referrals in their present state, deleted ones too, with one read each and no list', async () => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const first = await create(world.newProcess(), medicareOrder({ tests: ['tsh'] }))
    const lists = world.lists()
    await world.newProcess().referrals.delete(first.referrals[0].uuid)
    const reads = world.reads()
    const again = await create(world.newProcess(), medicareOrder({ tests: ['tsh'] }))
    expect(again).toMatchObject({ recovered: true, orderKey: KEY })
    expect(again.referrals.map(({ uuid }) => uuid)).toEqual(first.referrals.map(({ uuid }) => uuid))
    expect(again.referrals.map(({ deletedAt }) => deletedAt !== null)).toEqual([true, false])
    expect(again.medicare?.uuid).toBe(first.medicare?.uuid)
    expect(world.reads()).toBe(reads + 2)
    expect(world.lists()).toBe(lists)
    expect(world.placed()).toBe(2)
  })

  it('and whose referrals cannot be read: unknown, with their UUIDs, and recover() reads them', async () => {
    const world = await ledgerWorld()
    const { referrals } = await create(world.newProcess())
    world.fake.faults.next('GET /v1/referrals/{uuid}', { status: 503 }, { times: 3 })
    const error = await rejection(create(world.newProcess()))
    expect(error).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      outcome: 'unknown',
      retryable: true,
      attempts: 0,
      candidates: [referrals[0].uuid],
      cause: { name: 'ServerError' },
      message: expect.stringContaining(
        'an earlier call placed the order, but its referrals cannot be read now (ServerError)',
      ),
    })
    const { recover } = error as { recover(): Promise<unknown> }
    expect(await recover()).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
    expect(world.placed()).toBe(1)
  })

  it('of which a webhook event recorded one of two referrals is looked up, and completed in the ledger', async () => {
    const world = await ledgerWorld()
    await world.saveProvider()
    const { referrals } = await world.placeElsewhere(medicareOrder({ tests: ['tsh'] }))
    await world.died({ agoMs: HOUR_MS })
    await world.ledger.resolve(world.name(), { placed: [referrals[0].uuid] })
    const placed = await create(world.newProcess(), medicareOrder({ tests: ['tsh'] }))
    expect(placed).toMatchObject({ recovered: true, referrals: { length: 2 } })
    const uuids = referrals.map(({ uuid }) => uuid)
    await expect.poll(async () => (await world.state()).referrals).toEqual(expect.arrayContaining(uuids))
    expect(world.posts()).toBe(1)
  })
})

describe('a key whose order was not placed', () => {
  it('is new for every process, with corrected contents too', async () => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, { status: 400, code: 'INVALID_PAYLOAD' })
    const refused = await rejection(create(world.newProcess(), labOrder({ firstName: 'Wrong' })))
    expect(refused).toMatchObject({ name: 'BadRequestError', retryable: false })
    expect(await create(world.newProcess(), labOrder())).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
  })

  it('is new too when the ledger returns the fingerprint of its earlier contents', async () => {
    const world = await ledgerWorld()
    world.ledger.next('claim', {
      after: (found, request) => {
        const { fingerprint } = request as OrderClaimRequest
        return { ...Object(found), fingerprint: { ...fingerprint, hash: 'of the earlier contents' } }
      },
    })
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
  })
})

describe('a key with other contents', () => {
  const other = labOrder({ referenceNumber: 'ref-of-another' })
  const IN_USE = {
    name: 'InvalidRequestError',
    code: 'ORDER_KEY_IN_USE',
    outcome: 'not-sent',
    retryable: false,
    message: expect.stringContaining('orderKey belongs to an order with other contents'),
  }
  const OTHER_REFERRALS = { ...IN_USE, message: expect.stringContaining('another referenceNumber') }

  it('is rejected while its order is being placed', async () => {
    const world = await ledgerWorld()
    const { fetch, held, release } = holdingOrders('before')
    const first = create(world.newProcess({ fetch }))
    await expect.poll(held).toBe(1)
    const error = await rejection(create(world.newProcess(), other))
    expect(error).toMatchObject(IN_USE)
    expectNoCanary(error)
    expect(world.ledger.count('record')).toBe(0)
    release()
    await first
    expect(world.placed()).toBe(1)
  })

  it('is rejected while its order may have been sent, and the entry is free for the right contents at once', async () => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, { loseResponse: true })
    world.fake.faults.next('GET /v1/referrals', { status: 500 }, { nth: 2, times: 100 })
    const lost = await rejection(
      world.newProcess({ orderRecoveryTimeout: 0 }).referrals.create(labOrder(), { orderKey: KEY }),
    )
    expect(lost).toMatchObject({ name: 'OrderOutcomeUnknownError', retryable: true, attempts: 1 })
    expect(await rejection(create(world.newProcess(), other))).toMatchObject(IN_USE)
    const last = world.ledger.calls.at(-1)
    expect(last).toMatchObject({ operation: 'record', request: { outcome: 'not-placed' } })
    await expect.poll(async () => (await world.state()).state).toBe('sent')
    expect(world.posts()).toBe(1)
  })

  it('is rejected when its order was placed, and the order is not read', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    const reads = world.reads()
    expect(await rejection(create(world.newProcess(), other))).toMatchObject(IN_USE)
    expect(world.reads()).toBe(reads)
    expect(world.ledger.count('record')).toBe(1)
  })

  it('and a fingerprint of another HMAC key is compared with the referrals, and not rejected for that reason', async () => {
    const world = await ledgerWorld()
    const keyed = (id: string) => world.named({ fingerprintKey: { id, key: `${id} `.repeat(32) } })
    await create(world.newProcess({ orderLedger: keyed('old') }))
    const renewed = world.newProcess({ orderLedger: keyed('new') })
    expect(await create(renewed)).toMatchObject({ recovered: true })
    expect(await rejection(create(renewed, other))).toMatchObject(OTHER_REFERRALS)
    expect(world.placed()).toBe(1)
  })

  it('that was sent with a fingerprint of another HMAC key is compared with the referrals too', async () => {
    const world = await ledgerWorld()
    await world.placeElsewhere()
    await world.died({ agoMs: HOUR_MS })
    expect(await rejection(create(world.newProcess(), other))).toMatchObject(OTHER_REFERRALS)
    expect(await create(world.newProcess())).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
  })
})
