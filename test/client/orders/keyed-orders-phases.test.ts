import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { rejection } from '../../support/clients.js'
import { medicareOrder } from '../../support/samples.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { holdingOrders, KEY, labOrder, ledgerWorld, POST } from '../ledger/ledger-world.js'

type World = Awaited<ReturnType<typeof ledgerWorld>>

const create = (client: PathologyClient, options = {}) =>
  client.referrals.create(labOrder(), { orderKey: KEY, ...options })

const RESEND_AFTER = 180_000

describe('the limit of resendAfter', () => {
  it.each([
    ['not sent again', -1],
    ['sent again', 0],
  ])('an order is %s (%s ms after it)', async (_, ms) => {
    const world = await ledgerWorld()
    await world.died()
    world.ledger.next('claim', {
      after: (found) => ({ ...Object(found), sinceLastSentMs: RESEND_AFTER + ms }),
    })
    const clock = new SkippingClock({ skip: () => false })
    const client = world.newProcess({ resendAfter: RESEND_AFTER, clock })
    const outcome = await create(client).catch((error: unknown) => error)
    if (ms === 0) expect(outcome).toMatchObject({ recovered: false })
    else expect(outcome).toMatchObject({ name: 'OrderOutcomeUnknownError', retryable: true, retryAfter: 1 })
    expect(world.posts()).toBe(ms === 0 ? 1 : 0)
  })
})

describe('an order of two referrals was sent, and the service shows only one at first', () => {
  const given = medicareOrder({ tests: ['tsh'] })

  /** A fetch function for a service that omits Medicare referrals from its lists for a while. */
  function hiding(lists: number) {
    let left = lists
    return async (input: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(input, init)
      if (init.method !== 'GET' || !new URL(input).pathname.endsWith('/v1/referrals') || left === 0)
        return response
      left -= 1
      const body = (await response.json()) as { referrals: { medicare: boolean }[]; cursor?: object }
      const referrals = body.referrals.filter(({ medicare }) => !medicare)
      const cursor = body.cursor && { ...body.cursor, resultCount: referrals.length }
      return Response.json(
        { ...body, referrals, cursor },
        { headers: { date: response.headers.get('date') ?? '' } },
      )
    }
  }

  async function sentOrder() {
    const world = await ledgerWorld()
    await world.saveProvider()
    await world.placeElsewhere(given)
    await world.died()
    return world
  }

  it('is returned when both appear, and both are recorded', async () => {
    const world = await sentOrder()
    const client = world.newProcess({ fetch: hiding(2), resendAfter: RESEND_AFTER })
    world.ledgerClock.advance(RESEND_AFTER)
    const placed = await client.referrals.create(given, { orderKey: KEY })
    expect(placed).toMatchObject({ recovered: true, referrals: { length: 2 } })
    expect(await world.state()).toMatchObject({ state: 'placed', referrals: { length: 2 } })
    expect(world.posts()).toBe(1)
  })

  it('is never sent again while one appears', async () => {
    const world = await sentOrder()
    world.ledgerClock.advance(RESEND_AFTER)
    const client = world.newProcess({
      fetch: hiding(1_000),
      resendAfter: RESEND_AFTER,
      orderRecoveryTimeout: 2_000,
    })
    expect(await rejection(client.referrals.create(given, { orderKey: KEY }))).toMatchObject({
      name: 'OrderOutcomeUnknownError',
      candidates: { length: 1 },
      retryable: true,
    })
    expect(await world.state()).toMatchObject({ state: 'sent' })
    expect(world.posts()).toBe(1)
  })
})

describe('the client secret is replaced while an order is being placed', () => {
  it('the new processes wait for the order, and reject other contents by comparing the referrals', async () => {
    const world = await ledgerWorld()
    const { fetch, held, release } = holdingOrders('before')
    const first = create(world.newProcess({ fetch }))
    await expect.poll(held).toBe(1)
    const fingerprintKey = { id: 'of the new secret', key: 'k'.repeat(32) }
    const renewed = world.newProcess({ orderLedger: world.named({ fingerprintKey }) })
    const same = create(renewed)
    const other = renewed.referrals.create(labOrder({ referenceNumber: 'ref-of-another' }), { orderKey: KEY })
    await expect.poll(() => world.ledger.count('claim')).toBeGreaterThanOrEqual(3)
    release()
    expect(await rejection(other)).toMatchObject({ code: 'ORDER_KEY_IN_USE' })
    expect(await same).toMatchObject({ recovered: true })
    expect(await first).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
  })
})

describe('a caller aborts its call, or closes the client', () => {
  /** Starts a call, and waits until it is in the phase. */
  async function inPhase(world: World, phase: string, signal?: AbortSignal) {
    const slow = { latencyMs: 150 }
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150))
    if (phase === 'read') await create(world.newProcess())
    const { length } = world.ledger.calls
    let holder: Promise<unknown> | undefined
    if (phase === 'lookup') world.fake.faults.next('GET /v1/referrals', slow)
    if (phase === 'sending' || phase === 'waiting') world.fake.faults.next(POST, slow)
    if (phase === 'read') world.fake.faults.next('GET /v1/referrals/{uuid}', slow)
    if (phase === 'claim' || phase === 'mark' || phase === 'record')
      world.ledger.next(phase, { before: wait })
    if (phase === 'waiting') {
      holder = create(world.newProcess())
      await expect.poll(() => world.ledger.count('mark')).toBe(1)
    }
    const client = world.newProcess()
    const calling = create(client, { signal }).catch((error: unknown) => error)
    const STARTS: Readonly<Record<string, string>> = { sending: 'mark', mark: 'mark', record: 'record' }
    const at = STARTS[phase] ?? 'claim'
    const calls = () => world.ledger.calls.slice(phase === 'waiting' ? length + 3 : length)
    await expect.poll(() => calls().some(({ operation }) => operation === at)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 30))
    return { client, calling, holder }
  }

  const PHASES = ['claim', 'lookup', 'mark', 'sending', 'record', 'waiting', 'read']

  it.each(PHASES)(
    'close() in the phase %s waits for the call, and the ledger has its outcome',
    async (phase) => {
      const world = await ledgerWorld()
      const { client, calling, holder } = await inPhase(world, phase)
      await client.close()
      expect(await calling).toMatchObject({ recovered: phase === 'waiting' || phase === 'read' })
      expect(await world.state()).toMatchObject({ state: 'placed' })
      await holder
      expect(world.placed()).toBe(1)
    },
  )

  it.each(PHASES)(
    'an abort in the phase %s: the next call with the key places or finds one order',
    async (phase) => {
      const world = await ledgerWorld()
      const abort = new AbortController()
      const { calling, holder } = await inPhase(world, phase, abort.signal)
      const reason = new Error('the user went away')
      abort.abort(reason)
      const outcome = await calling
      if (phase === 'record') expect(outcome).toMatchObject({ recovered: false })
      else expect(outcome).toBe(reason)
      await create(world.newProcess())
      await holder
      expect(world.placed()).toBe(1)
      expect(world.posts()).toBeLessThanOrEqual(1)
      expect(await world.state()).toMatchObject({ state: 'placed' })
    },
  )
})
