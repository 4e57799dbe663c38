import type { ClientOptions, OrderClaimRequest, PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { medicareOrder } from '../../support/samples.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import {
  changingReferrals,
  holdingOrders,
  isSettled,
  KEY,
  labOrder,
  ledgerWorld,
  POST,
  vouched,
} from '../ledger/ledger-world.js'
import { ago, HOUR, LIST, MINUTE, unknownOutcome } from './order-world.js'

type World = Awaited<ReturnType<typeof ledgerWorld>>

const create = (client: PathologyClient, given = labOrder(), options = {}) =>
  client.referrals.create(given, { orderKey: KEY, ...options })

const RESEND_AFTER = 180_000

const changeClaim = ({ ledger }: World, change: object): void =>
  ledger.next('claim', { after: (found) => ({ ...Object(found), ...change }) })

interface State {
  readonly entry: string
  readonly prepare: (world: World) => unknown
  readonly options?: ClientOptions
  readonly comes: 'sent' | 'found' | 'unknown'
  /** Number of times that the call reads the list. */
  readonly lists: number
}

/** What the ledger has of a key, and what comes of the next call with it. */
const STATES: readonly State[] = [
  { entry: 'no entry', prepare: () => undefined, comes: 'sent', lists: 1 },
  {
    entry: 'no entry, and vouches for the key',
    prepare: ({ ledger, inner, name }) =>
      ledger.next('claim', { after: (found, request) => vouched(inner, name(), found, request) }),
    comes: 'sent',
    lists: 0,
  },
  {
    entry: 'no entry of a placed order',
    prepare: (world) => world.placeElsewhere(),
    comes: 'found',
    lists: 1,
  },
  {
    entry: 'a claim without a mark, of a process that died',
    prepare: (world) => world.died({ marked: false }),
    comes: 'sent',
    lists: 1,
  },
  {
    entry: 'a rejected order with other contents',
    prepare: async (world) => {
      world.fake.faults.next(POST, { status: 400, code: 'INVALID_PAYLOAD' })
      const refused = await rejection(create(world.newProcess(), labOrder({ firstName: 'Wrong' })))
      expect(refused).toMatchObject({ name: 'BadRequestError', retryable: false })
    },
    comes: 'sent',
    lists: 1,
  },
  {
    entry: 'a new entry with the fingerprint of other contents',
    prepare: ({ ledger }) =>
      ledger.next('claim', {
        after: (found, request) => {
          const { fingerprint } = request as OrderClaimRequest
          return { ...Object(found), fingerprint: { ...fingerprint, hash: 'of the earlier contents' } }
        },
      }),
    comes: 'sent',
    lists: 1,
  },
  { entry: 'a mark', prepare: (world) => world.died({ agoMs: HOUR }), comes: 'unknown', lists: 1 },
  {
    entry: 'the mark of a placed order',
    prepare: async (world) => {
      await world.placeElsewhere()
      await world.died()
    },
    comes: 'found',
    lists: 1,
  },
  {
    entry: 'the mark of a placed order, and vouches for its key',
    prepare: async (world) => {
      await world.placeElsewhere()
      await world.died()
      changeClaim(world, { isVouched: true })
    },
    comes: 'found',
    lists: 1,
  },
  {
    entry: 'a mark that is older than resendAfter',
    prepare: (world) => world.died({ agoMs: HOUR }),
    options: { resendAfter: RESEND_AFTER },
    comes: 'sent',
    lists: 1,
  },
  {
    entry: 'a mark that is older than resendAfter, and the lookup fails',
    prepare: async (world) => {
      await world.died({ agoMs: HOUR })
      world.fake.faults.next(LIST, { status: 500 }, { times: 3 })
    },
    options: { resendAfter: RESEND_AFTER },
    comes: 'unknown',
    lists: 3,
  },
  {
    entry: 'a mark, and the outcome "not placed" of a person',
    prepare: async (world) => {
      await world.died({ agoMs: HOUR })
      await world.inner.resolve(world.name(), 'not-placed')
    },
    comes: 'sent',
    lists: 1,
  },
  {
    entry: 'a mark, and the referral that a person found',
    prepare: async (world) => {
      const { referrals } = await world.placeElsewhere()
      await world.died({ agoMs: HOUR })
      await world.inner.resolve(world.name(), { placed: [referrals[0].uuid] })
    },
    comes: 'found',
    lists: 0,
  },
]

it.each(STATES.map((state) => [state.comes, state.entry, state] as const))(
  'an order under an own key is %s when the ledger has %s (§4.1)',
  async (comes, _, { prepare, options, lists }) => {
    const world = await ledgerWorld()
    await prepare(world)
    const before = { lists: world.lists(), posts: world.posts() }
    const outcome = create(world.newProcess(options))
    if (comes === 'unknown') {
      const unknown = await unknownOutcome(outcome)
      expect(unknown).toMatchObject({ outcome: 'unknown', attempts: 0, retryable: true, orderKey: KEY })
      expect(unknown).not.toHaveProperty('retryAfter')
      expectNoCanary(unknown)
    } else {
      expect(await outcome).toMatchObject({ recovered: comes === 'found' })
    }
    expect(world.lists() - before.lists).toBe(lists)
    expect(world.posts() - before.posts).toBe(comes === 'sent' ? 1 : 0)
    expect(world.placed()).toBe(comes === 'unknown' ? 0 : 1)
    expect((await world.state()).state).toBe(comes === 'unknown' ? 'sent' : 'placed')
  },
)

it('an order under an own key is claimed, looked up, marked before it is sent, and recorded with all its referrals', async () => {
  const world = await ledgerWorld()
  await world.saveProvider()
  const seen: number[][] = []
  world.ledger.next('mark', { after: () => seen.push([world.lists(), world.posts()]) })
  const placed = await create(world.newProcess(), medicareOrder({ tests: ['tsh'] }))
  expect(world.ledger.operations).toEqual(['claim', 'mark', 'record'])
  expect(seen).toEqual([[1, 0]])
  const uuids = placed.referrals.map(({ uuid }) => uuid)
  expect(uuids).toHaveLength(2)
  expect(await world.state()).toMatchObject({ state: 'placed', referrals: uuids })
})

it('an order under an own key is placed once by eight processes, and every process gets it', async () => {
  const world = await ledgerWorld()
  world.fake.faults.next(POST, { latencyMs: 100 })
  const calls = Array.from({ length: 8 }, () => create(world.newProcess()))
  const placed = await Promise.all(calls)
  expect(placed.filter(({ recovered }) => !recovered)).toHaveLength(1)
  expect(new Set(placed.map(({ referrals }) => referrals[0].uuid)).size).toBe(1)
  expect(world.posts()).toBe(1)
})

it('an order under an own key is placed by a process that waits for another one, when that one dies', async () => {
  const world = await ledgerWorld()
  await world.died({ marked: false, agoMs: 0 })
  const waiting = create(world.newProcess())
  await expect.poll(() => world.ledger.count('claim')).toBeGreaterThan(1)
  world.ledgerClock.advance(15_001)
  expect(await waiting).toMatchObject({ recovered: false })
  expect(world.placed()).toBe(1)
})

it('an order under an own key stays claimed while its call runs, however long, because the lease is renewed', async () => {
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

it('an order under an own key waits after a 429, also without a time limit', async () => {
  const world = await ledgerWorld()
  world.fake.faults.next(POST, { status: 429, retryAfter: 1 })
  const placed = await create(world.newProcess(), labOrder(), { timeout: Number.POSITIVE_INFINITY })
  expect(placed.recovered).toBe(false)
  expect(world.placed()).toBe(1)
})

it('an order under an own key is sent for no longer than resendAfter less 60 s, whatever the time limit of its call is', async () => {
  const world = await ledgerWorld()
  const clock = new SkippingClock({ skip: () => false })
  const { fetch, held } = holdingOrders('after')
  const client = world.newProcess({ clock, fetch, timeout: 5_000, resendAfter: 65_000 })
  const placing = create(client, labOrder(), { timeout: 30_000 })
  await expect.poll(held).toBe(1)
  clock.advance(4_999)
  expect(await isSettled(placing)).toBe(false)
  expect(world.lists()).toBe(1)
  clock.advance(1)
  expect(await placing).toMatchObject({ recovered: true })
  expect(world.posts()).toBe(1)
})

it.each<[string, number, number | undefined, number | undefined]>([
  ['15 minutes earlier', 0, -HOUR, -HOUR - 15 * MINUTE],
  ['less the difference, from a clock that is a day fast', 24 * HOUR, -HOUR, -25 * HOUR - 15 * MINUTE],
  ['less the difference, from a clock that is a day slow', -24 * HOUR, -HOUR, -25 * HOUR - 15 * MINUTE],
  ['as 24 hours ago if it is in the future', 0, 20 * MINUTE, -24 * HOUR],
  ['not without one', 0, undefined, undefined],
])('an order under an own key is claimed with its since %s', async (_, aheadMs, sinceMs, expectedMs) => {
  const world = await ledgerWorld()
  const clock = new SkippingClock({ now: Date.now() + aheadMs })
  const client = world.newProcess({ clock })
  await client.vendors.list().toArray()
  const now = Date.now()
  const since = sinceMs === undefined ? undefined : new Date(now + sinceMs)
  await create(client, labOrder(), { since })
  const passed: Date | undefined = Object(world.ledger.calls[0]?.request).since
  if (expectedMs === undefined) expect(passed).toBeUndefined()
  // The Date header of the service has whole seconds.
  else expect(Math.abs(Number(passed?.getTime()) - now - expectedMs)).toBeLessThan(2_000)
})

it('an order whose process died is looked up until it appears, by one process at a time', async () => {
  const world = await ledgerWorld()
  await world.died({ agoMs: 15_001 })
  const [first, second] = [create(world.newProcess()), create(world.newProcess())]
  await expect.poll(() => world.lists()).toBeGreaterThan(0)
  const { referrals } = await world.placeElsewhere()
  for (const placed of [await first, await second])
    expect(placed).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
  expect(world.reads()).toBe(1)
  expect(await world.state()).toMatchObject({ state: 'placed' })
})

it.each([HOUR, -HOUR])(
  'an order whose process died is found 30 hours later by a process whose clock is %i ms wrong',
  async (aheadMs) => {
    const world = await ledgerWorld()
    await world.placeElsewhere()
    await world.died({ agoMs: 30 * HOUR })
    world.fake.clock.advance({ hours: 30 })
    const clock = new ShiftedClock({ speed: 10 })
    clock.advance(30 * HOUR + aheadMs)
    expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
  },
)

it.each([
  ['found from five minutes before its first request', 4.9, true],
  ['not looked for further back', 5.1, false],
])('an order whose process died is %s', async (_, minutes, isFound) => {
  const world = await ledgerWorld()
  await world.placeElsewhere()
  await world.died()
  changeClaim(world, { sinceFirstSentMs: 10 * MINUTE, sinceLastSentMs: 10 * MINUTE })
  const createdAt = ago((10 + minutes) * MINUTE).toISOString()
  const outcome = create(world.newProcess({ fetch: changingReferrals(() => ({ createdAt })) }))
  if (isFound) expect(await outcome).toMatchObject({ recovered: true, referrals: [{ createdAt }] })
  else expect(await unknownOutcome(outcome)).toMatchObject({ attempts: 0, candidates: [] })
  expect(world.posts()).toBe(1)
})

it('an order whose process died is found although its patient was edited at once, because its fingerprint is the same (§4.1)', async () => {
  const world = await ledgerWorld()
  world.fake.faults.next(POST, { loseResponse: true })
  world.fake.faults.next(LIST, { status: 500 }, { nth: 2, times: 3 })
  await unknownOutcome(create(world.newProcess({ orderRecoveryTimeout: 0 })))
  const fetch = changingReferrals(({ person }) => ({
    ...{ status: 'CREATED', person: { ...person, lastName: 'Edited' } },
  }))
  expect(await create(world.newProcess({ fetch }))).toMatchObject({ recovered: true })
  expect(world.posts()).toBe(1)
})

it('an order whose process died is sent again after resendAfter, once for all processes', async () => {
  const world = await ledgerWorld()
  await world.died({ agoMs: RESEND_AFTER })
  const calls = [1, 2, 3].map(() => create(world.newProcess({ resendAfter: RESEND_AFTER })))
  const placed = await Promise.all(calls)
  expect(placed.map(({ recovered }) => recovered).sort()).toEqual([false, true, true])
  expect(world.lists()).toBe(1)
  expect(world.placed()).toBe(1)
})

it.each([
  ['found when both of its referrals appear', 2],
  ['never sent again while only one of its referrals appears', 1_000],
])('an order whose process died is %s (§4.1)', async (_, lists) => {
  const given = medicareOrder({ tests: ['tsh'] })
  const world = await ledgerWorld()
  await world.saveProvider()
  await world.placeElsewhere(given)
  await world.died({ agoMs: RESEND_AFTER })
  let left = lists
  const hiding = async (input: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(input, init)
    if (init.method !== 'GET' || !new URL(input).pathname.endsWith('/v1/referrals') || left === 0)
      return response
    left -= 1
    const body = (await response.json()) as { referrals: { medicare: boolean }[]; cursor?: object }
    const referrals = body.referrals.filter(({ medicare }) => !medicare)
    const cursor = body.cursor && { ...body.cursor, resultCount: referrals.length }
    const headers = { date: response.headers.get('date') ?? '' }
    return Response.json({ ...body, referrals, cursor }, { headers })
  }
  const isShort = lists > 2 && { orderRecoveryTimeout: 2_000 }
  const options = { fetch: hiding, resendAfter: RESEND_AFTER, ...isShort }
  const outcome = create(world.newProcess(options), given)
  if (lists === 2) expect(await outcome).toMatchObject({ recovered: true, referrals: { length: 2 } })
  else expect(await unknownOutcome(outcome)).toMatchObject({ candidates: { length: 1 }, retryable: true })
  expect(await world.state()).toMatchObject({ state: lists === 2 ? 'placed' : 'sent' })
  expect(world.posts()).toBe(1)
})

const other = labOrder({ referenceNumber: 'ref-of-another' })
const IN_USE = {
  ...{ name: 'InvalidRequestError', code: 'ORDER_KEY_IN_USE', outcome: 'not-sent', retryable: false },
  message: expect.stringContaining('orderKey belongs to an order with other contents'),
}
const OTHER_REFERRALS = { ...IN_USE, message: expect.stringContaining('another referenceNumber') }

it('a key with other contents is rejected while its order may have been sent, and the entry is free for the right contents at once', async () => {
  const world = await ledgerWorld()
  world.fake.faults.next(POST, { loseResponse: true })
  world.fake.faults.next(LIST, { status: 500 }, { nth: 2, times: 100 })
  await unknownOutcome(create(world.newProcess({ orderRecoveryTimeout: 0 })))
  expect(await rejection(create(world.newProcess(), other))).toMatchObject(IN_USE)
  const last = world.ledger.calls.at(-1)
  expect(last).toMatchObject({ operation: 'record', request: { outcome: 'not-placed' } })
  await expect.poll(async () => (await world.state()).state).toBe('sent')
  expect(world.posts()).toBe(1)
})

it('a key with other contents is rejected when its order was placed, without a read', async () => {
  const world = await ledgerWorld()
  await create(world.newProcess())
  const reads = world.reads()
  expect(await rejection(create(world.newProcess(), other))).toMatchObject(IN_USE)
  expect(world.reads()).toBe(reads)
  expect(world.ledger.count('record')).toBe(1)
})

it.each(['placed', 'sent'])(
  'a key with other contents is compared with the referrals when its order was %s with a fingerprint of another HMAC key',
  async (state) => {
    const world = await ledgerWorld()
    const keyed = (id: string) => world.named({ fingerprintKey: { id, key: `${id} `.repeat(32) } })
    if (state === 'placed') await create(world.newProcess({ orderLedger: keyed('old') }))
    else {
      await world.placeElsewhere()
      await world.died({ agoMs: HOUR })
    }
    const renewed = world.newProcess({ orderLedger: keyed('new') })
    expect(await rejection(create(renewed, other))).toMatchObject(OTHER_REFERRALS)
    expect(await create(renewed)).toMatchObject({ recovered: true })
    expect(world.placed()).toBe(1)
  },
)

it('a key with other contents is compared with the referrals when the secret is replaced while the order is being placed', async () => {
  const world = await ledgerWorld()
  const { fetch, held, release } = holdingOrders('before')
  const first = create(world.newProcess({ fetch }))
  await expect.poll(held).toBe(1)
  const fingerprintKey = { id: 'of the new secret', key: 'k'.repeat(32) }
  const renewed = world.newProcess({ orderLedger: world.named({ fingerprintKey }) })
  const calls = [rejection(create(renewed, other)), create(renewed)]
  await expect.poll(() => world.ledger.count('claim')).toBeGreaterThanOrEqual(3)
  release()
  expect(await Promise.all(calls)).toMatchObject([{ code: 'ORDER_KEY_IN_USE' }, { recovered: true }])
  expect(await first).toMatchObject({ recovered: false })
  expect(world.placed()).toBe(1)
})
