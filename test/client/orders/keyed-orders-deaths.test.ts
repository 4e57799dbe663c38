import { PathologyClient } from 'pathology-sdk'
import { Agent, type Dispatcher } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { rejection } from '../../support/clients.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { WatchedLedger } from '../../support/watched-ledger.js'
import { impatientClock, KEY, labOrder, ledgerWorld } from '../ledger/ledger-world.js'

type World = Awaited<ReturnType<typeof ledgerWorld>>
type Moment = 'before' | 'after'

const create = (client: PathologyClient, options = {}) =>
  client.referrals.create(labOrder(), { orderKey: KEY, ...options })

const RESEND_AFTER = 180_000
const never = new Promise<never>(() => undefined)
const OPERATIONS = ['claim', 'mark', 'unmark', 'renew', 'record'] as const

/** Reads a response that the test does not use. */
const unread: Dispatcher.DispatchHandler = {
  onRequestStart: () => undefined,
  onResponseStart: () => undefined,
  onResponseData: () => undefined,
  onResponseEnd: () => undefined,
  onResponseError: () => undefined,
}

/** A dispatcher that calls `at` with each API request, which decides what happens to it. */
function watchedDispatcher(
  at: (method: string, dispatch: (handler?: Dispatcher.DispatchHandler) => void) => void,
) {
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  const dispatch = (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
    if (!request.path.startsWith('/v1/')) return agent.dispatch(request, handler)
    at(request.method, (other = handler) => agent.dispatch(request, other))
    return true
  }
  // The client calls no other method of a dispatcher.
  return { dispatch } as Dispatcher
}

/** Starts `create` in a process that dies before or after a step. From then on nothing that it starts has an effect. */
async function dies(world: World, step: (typeof OPERATIONS)[number] | 'GET' | 'POST', moment: Moment) {
  const ledger = new WatchedLedger(world.inner)
  let isDead = false
  const die = (): Promise<never> => {
    isDead = true
    for (const operation of OPERATIONS) ledger.always(operation, 'hangs')
    return never
  }
  const dispatcher = watchedDispatcher((method, dispatch) => {
    if (isDead) return
    if (method !== step) return dispatch()
    if (moment === 'after') dispatch(unread)
    void die()
  })
  if (step !== 'GET' && step !== 'POST') ledger.next(step, { [moment]: die })
  const { baseUrl, authUrl, clientId, clientSecret } = world.fake.clientOptions()
  const account = { baseUrl, authUrl, clientId, clientSecret }
  const client = new PathologyClient({ ...account, orderLedger: ledger, dispatcher })
  const abort = new AbortController()
  onTestFinished(() => {
    abort.abort()
    // The ledger of the dead process never responds, so the test does not wait for it.
    void client.close()
  })
  create(client, { signal: abort.signal }).catch(() => undefined)
  await expect.poll(() => isDead).toBe(true)
  if (step === 'POST' && moment === 'after') await expect.poll(() => world.placed()).toBe(1)
}

const NOTHING_LEFT = [
  ['claim', 'before'],
  ['claim', 'after'],
  ['GET', 'before'],
  ['GET', 'after'],
  ['mark', 'before'],
] as const
const MARKED_ONLY = [
  ['mark', 'after'],
  ['POST', 'before'],
] as const
const PLACED = [
  ['POST', 'after'],
  ['record', 'before'],
  ['record', 'after'],
] as const

it.each(NOTHING_LEFT)(
  'a process that dies at %s (%s it) leaves nothing, and the next process places the order after the lease',
  async (step, moment) => {
    const world = await ledgerWorld()
    await dies(world, step, moment)
    world.ledgerClock.advance(15_001)
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
  },
)

it.each(MARKED_ONLY)(
  'a process that dies at %s (%s it) leaves a mark, and its order is unknown until it is resolved',
  async (step, moment) => {
    const world = await ledgerWorld()
    await dies(world, step, moment)
    // The lease and the default recovery time have passed.
    world.ledgerClock.advance(20_001)
    const error = await rejection(create(world.newProcess()))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0, retryable: true })
    expect(await world.inner.resolve(KEY, 'not-placed')).toBe(true)
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
    expect(world.posts()).toBe(1)
  },
)

it.each(MARKED_ONLY)(
  'a process that dies at %s (%s it) leaves a mark, and its order is placed once after resendAfter',
  async (step, moment) => {
    const world = await ledgerWorld()
    await dies(world, step, moment)
    world.ledgerClock.advance(RESEND_AFTER)
    const options = { resendAfter: RESEND_AFTER }
    const placed = await Promise.all([1, 2].map(() => create(world.newProcess(options))))
    expect(placed.map(({ recovered }) => recovered).sort()).toEqual([false, true])
    expect(world.posts()).toBe(1)
  },
)

it.each(PLACED)(
  'a process that dies at %s (%s it) leaves its order: the next process finds it, also after resendAfter',
  async (step, moment) => {
    const world = await ledgerWorld()
    await dies(world, step, moment)
    world.ledgerClock.advance(RESEND_AFTER)
    const next = world.newProcess({ resendAfter: RESEND_AFTER })
    expect(await create(next)).toMatchObject({ recovered: true })
    expect(await world.state()).toMatchObject({ state: 'placed', referrals: { length: 1 } })
    expect(world.posts()).toBe(1)
  },
)

it('a process that is stopped after its mark, while its request waits for a connection, sends nothing when another process has placed the order meanwhile', async () => {
  const world = await ledgerWorld()
  const clock = new ShiftedClock({ speed: 10 })
  const held: (() => void)[] = []
  const dispatcher = watchedDispatcher((method, dispatch) => {
    if (method === 'POST') held.push(dispatch)
    else dispatch()
  })
  world.ledger.always('renew', 'fails')
  const stopped = create(world.newProcess({ clock, dispatcher, timeout: 600_000 }))
  await expect.poll(() => held.length).toBe(1)
  clock.advance(RESEND_AFTER)
  world.ledgerClock.advance(RESEND_AFTER)
  const other = await create(world.newProcess({ resendAfter: RESEND_AFTER }))
  held[0]?.()
  expect(await stopped).toMatchObject({ recovered: true, referrals: [{ uuid: other.referrals[0].uuid }] })
  expect(held).toHaveLength(1)
  expect(world.placed()).toBe(1)
})

function later() {
  let arrive: () => void = () => undefined
  const before = new Promise<void>((resolve) => {
    arrive = resolve
  })
  return { before: () => before, arrive: () => arrive() }
}

it('a ledger that carries out a statement late has no mark when it arrives after its call has ended', async () => {
  const world = await ledgerWorld()
  const { before, arrive } = later()
  world.ledger.next('mark', { before })
  const client = world.newProcess({ clock: impatientClock() })
  expect(await rejection(create(client))).toMatchObject({ name: 'OrderLedgerError' })
  arrive()
  await expect
    .poll(() => world.ledger.calls.find(({ operation }) => operation === 'mark')?.result)
    .toBe(false)
  expect(await world.state()).toMatchObject({ state: 'new' })
  expect(world.posts()).toBe(0)
})

it('a ledger that carries out a statement late has the order as placed when its record arrives after the lease, while another process looks it up', async () => {
  const world = await ledgerWorld()
  const { before, arrive } = later()
  const first = new WatchedLedger(world.inner)
  first.next('record', { before })
  const client = world.newProcess({ orderLedger: first })
  const { referrals } = await create(client)
  world.ledgerClock.advance(15_001)
  world.fake.faults.next('GET /v1/referrals', { latencyMs: 300 })
  const second = create(world.newProcess())
  await expect.poll(() => world.ledger.count('claim')).toBe(1)
  arrive()
  expect(await second).toMatchObject({ recovered: true, referrals: [{ uuid: referrals[0].uuid }] })
  expect(await world.state()).toMatchObject({ state: 'placed', referrals: [referrals[0].uuid] })
  expect(world.posts()).toBe(1)
})
