import type { PathologyClient } from 'pathology-sdk'
import { Agent, interceptors } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rejection } from '../../support/clients.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { holdingOrders, isSettled, KEY, labOrder, ledgerWorld, POST } from '../ledger/ledger-world.js'

const create = (client: PathologyClient, options = {}) =>
  client.referrals.create(labOrder(), { orderKey: KEY, ...options })

const marks = (world: Awaited<ReturnType<typeof ledgerWorld>>) => world.ledger.count('mark')

/** A clock that skips pauses, and never ends the two seconds that a client waits for its ledger. */
const patientClock = () => new SkippingClock({ skip: (delayMs) => delayMs < 2_000 })

describe('a machine is suspended between the mark and the first byte: only its wall clock advances', () => {
  it('its monotonic clock stopped too: it stores a new mark', async () => {
    const world = await ledgerWorld()
    const clock = patientClock()
    world.ledger.next('mark', { after: () => clock.jumpWall(5_001) })
    expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: false })
    expect(marks(world)).toBe(2)
    expect(world.posts()).toBe(1)
  })

  it('another process took its order over: it sends nothing', async () => {
    const world = await ledgerWorld()
    const clock = patientClock()
    const resendAfter = 180_000
    world.ledger.next('mark', {
      after: async () => {
        clock.jumpWall(resendAfter)
        world.ledgerClock.advance(resendAfter)
        expect(await create(world.newProcess({ resendAfter }))).toMatchObject({ recovered: false })
      },
    })
    expect(await create(world.newProcess({ clock, timeout: 300_000 }))).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
    expect(world.placed()).toBe(1)
  })

  it('its clock was set back an hour: it sends with its first mark', async () => {
    const world = await ledgerWorld()
    const clock = patientClock()
    world.ledger.next('mark', { after: () => clock.jumpWall(-3_600_000) })
    expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: false })
    expect(marks(world)).toBe(1)
  })
})

describe('a mark that is too old when the order can be sent', () => {
  it('cannot be stored again, because the ledger fails: the order was neither sent nor rejected', async () => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    world.ledger.next('mark', { after: () => clock.advance(5_001) }, 'fails')
    expect(await rejection(create(world.newProcess({ clock })))).toMatchObject({
      name: 'OrderLedgerError',
      outcome: 'not-sent',
      attempts: 0,
      retryable: true,
    })
    await expect.poll(async () => (await world.state()).state).toBe('new')
    expect(world.posts()).toBe(0)
  })

  it.each(['a fetch function', 'a dispatcher'])('is also stored again with %s', async (kind) => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    const dispatcher = new Agent()
    onTestFinished(() => dispatcher.close())
    const transport = kind === 'a dispatcher' ? { dispatcher } : { fetch: globalThis.fetch }
    world.ledger.next('mark', { after: () => clock.advance(5_001) })
    expect(await create(world.newProcess({ clock, ...transport }))).toMatchObject({ recovered: false })
    expect(marks(world)).toBe(2)
    expect(world.posts()).toBe(1)
  })
})

describe('a dispatcher with a retry interceptor that repeats POST', () => {
  it.each([
    ['its own key', KEY],
    ['a generated key', undefined],
  ] as const)('does not send an order with %s twice', async (_, orderKey) => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    const agent = new Agent()
    onTestFinished(() => agent.close())
    const dispatcher = agent.compose(
      interceptors.retry({
        ...{ methods: ['POST'], maxRetries: 2, minTimeout: 1, maxTimeout: 1 },
        retry: (error, _, callback) => {
          clock.advance(5_001)
          callback(error.message === 'never' ? error : null)
        },
      }),
    )
    world.fake.faults.next(POST, { loseResponse: true })
    const placed = await create(world.newProcess({ clock, dispatcher }), { orderKey })
    expect(placed).toMatchObject({ recovered: true })
    expect(world.placed()).toBe(1)
  })
})

describe('a call with a longer time limit than the client', () => {
  it('does not send for longer than resendAfter less 60 s', async () => {
    const world = await ledgerWorld()
    const clock = new SkippingClock({ skip: () => false })
    const { fetch, held } = holdingOrders('after')
    const client = world.newProcess({ clock, fetch, timeout: 5_000, resendAfter: 65_000 })
    const placing = create(client, { timeout: 30_000 })
    await expect.poll(held).toBe(1)
    clock.advance(4_999)
    expect(await isSettled(placing)).toBe(false)
    expect(world.lists()).toBe(1)
    clock.advance(1)
    expect(await placing).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
  })
})
