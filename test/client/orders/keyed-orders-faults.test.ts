import { type AddressInfo, createServer } from 'node:net'
import type { ClientOptions, PathologyClient } from 'pathology-sdk'
import { Agent, interceptors } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { canariesIn } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { type LedgerFault, WatchedLedger } from '../../support/watched-ledger.js'
import {
  closed,
  holdingOrders,
  impatientClock,
  KEY,
  labOrder,
  ledgerWorld,
  POST,
  vouched,
} from '../ledger/ledger-world.js'
import { HOUR } from './order-world.js'

const create = (client: PathologyClient, options = {}) =>
  client.referrals.create(labOrder(), { orderKey: KEY, ...options })

const FAULTS: readonly (readonly [string, LedgerFault])[] = [
  ['rejects', 'fails'],
  ['throws at once', 'throws'],
  ['never settles', 'hangs'],
  ['rejects after it did it', 'lost'],
  ['never settles after it did it', 'silent'],
  ['returns nothing', { returns: undefined }],
  ['returns an object without a state', { returns: { uuid: 7 } }],
]

const NOT_SENT = {
  name: 'OrderLedgerError',
  code: 'ORDER_LEDGER_FAILED',
  outcome: 'not-sent',
  attempts: 0,
  retryable: true,
}

const marks = ({ ledger }: Awaited<ReturnType<typeof ledgerWorld>>) =>
  ledger.calls.filter(({ operation }) => operation === 'mark').map(({ request }) => request)

function agentOfTest(): Agent {
  const agent = new Agent()
  onTestFinished(() => agent.close())
  return agent
}

it.each(FAULTS)(
  'a ledger that fails before the order is sent leaves the key free when it %s at the claim, and nothing is sent',
  async (_, fault) => {
    const world = await ledgerWorld()
    const clock = impatientClock()
    const client = world.newProcess({ clock })
    world.ledger.next('claim', fault)
    expect(await rejection(create(client))).toMatchObject({ ...NOT_SENT, operation: 'claim' })
    expect(world.posts() + world.lists()).toBe(0)
    // The claim is released in the background, so the next call need not wait for the lease.
    expect(await create(client, { timeout: 60_000 })).toMatchObject({ recovered: false })
    expect(world.placed()).toBe(1)
    await closed(client, clock)
  },
)

it.each(FAULTS)(
  'a ledger that fails before the order is sent has no mark when it %s at the mark, and nothing is sent',
  async (_, fault) => {
    const world = await ledgerWorld()
    const client = world.newProcess({ clock: impatientClock() })
    world.ledger.next('mark', fault)
    expect(await rejection(create(client))).toMatchObject({ ...NOT_SENT, operation: 'mark' })
    expect(world.posts()).toBe(0)
    expect(await world.state()).toMatchObject({ state: 'new' })
    expect(await create(client)).toMatchObject({ recovered: false })
  },
)

it('a ledger that fails before the order is sent removes a mark, whose response was lost, before close() ends', async () => {
  const world = await ledgerWorld()
  const client = world.newProcess()
  world.ledger.next('mark', 'lost')
  world.ledger.always('record', 'fails')
  await rejection(create(client))
  const closing = client.close()
  world.ledger.always('record', undefined)
  await closing
  expect(await world.state()).toMatchObject({ state: 'new' })
})

it('a ledger that fails before the order is sent removes a mark, whose response was lost, in the background as soon as it works again', async () => {
  const world = await ledgerWorld()
  const client = world.newProcess()
  world.ledger.next('mark', 'lost', { before: () => undefined })
  world.ledger.always('record', 'fails')
  expect(await rejection(create(client))).toMatchObject(NOT_SENT)
  expect(await world.state()).toMatchObject({ state: 'busy' })
  world.ledger.always('record', undefined)
  await expect.poll(async () => (await world.state()).state).toBe('new')
  expect(world.posts()).toBe(0)
})

it.each(FAULTS)(
  'a ledger that fails after the order was sent has the order later when it %s at the record: the order is returned with a warning',
  async (_, fault) => {
    const world = await ledgerWorld()
    world.ledger.next('record', fault)
    expect(await create(world.newProcess({ clock: impatientClock() }))).toMatchObject({ recovered: false })
    await expect.poll(() => world.warnings.length).toBe(1)
    expect(world.warnings[0]).toContain('an order was placed, but the order ledger')
    expect(canariesIn(world.warnings.join())).toEqual([])
    await expect.poll(async () => (await world.state()).state).toBe('placed')
  },
)

it('a ledger that fails after the order was sent does not get the outcome at all: the next repeat looks the order up', async () => {
  const world = await ledgerWorld()
  world.ledger.always('record', 'fails')
  world.ledger.always('renew', 'fails')
  const clock = impatientClock()
  const client = world.newProcess({ clock })
  const { referrals } = await create(client)
  await closed(client, clock)
  world.ledger.always('record', undefined)
  world.ledgerClock.advance(15_001)
  expect(await create(world.newProcess())).toMatchObject({
    recovered: true,
    referrals: [{ uuid: referrals[0].uuid }],
  })
  expect(world.posts()).toBe(1)
  expect(await world.state()).toMatchObject({ state: 'placed' })
})

it('a ledger that fails after the order was sent carries out each statement twice: there is no second effect', async () => {
  const world = await ledgerWorld()
  for (const operation of ['claim', 'mark', 'record', 'renew', 'unmark'] as const)
    world.ledger.always(operation, 'twice')
  world.fake.faults.next(POST, { status: 429, retryAfter: 1 })
  const calls = [1, 2].map(() => create(world.newProcess()))
  expect((await Promise.all(calls)).map(({ recovered }) => recovered).sort()).toEqual([false, true])
  expect(world.placed()).toBe(1)
})

it.each([
  ['a 401, with a new token', { status: 401, code: 'INVALID_JWT' }],
  ['a 429', { status: 429, retryAfter: 1 }],
])(
  'the mark of a request that sends the order is a new one after %s, and replaces the first',
  async (_, fault) => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, fault)
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
    const [first, second] = marks(world) as { mark: string; replaces?: string }[]
    expect(second?.replaces).toBe(first?.mark)
    expect(second?.mark).not.toBe(first?.mark)
    expect(marks(world)).toHaveLength(2)
  },
)

it('the mark of a request that sends the order is removed when the connection is refused, and the key is new', async () => {
  const world = await ledgerWorld()
  const port = await closedPort()
  const client = world.newProcess({
    baseUrl: `http://127.0.0.1:${port}`,
    orderLedger: world.named({ namespace: world.name().namespace }),
  })
  world.ledger.always('claim', {
    after: (found, request) => vouched(world.inner, world.name(), found, request),
  })
  const error = await rejection(create(client))
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent', retryable: true })
  expect(await world.state()).toMatchObject({ state: 'new' })
})

it('the mark of a request that sends the order is removed after another process took the entry over, and the key is new', async () => {
  const world = await ledgerWorld()
  const ledger = new WatchedLedger(world.inner)
  ledger.next('mark', 'lost')
  ledger.always('record', 'fails')
  expect(await rejection(create(world.newProcess({ orderLedger: ledger })))).toMatchObject(NOT_SENT)
  world.ledgerClock.advance(15_001)
  const other = world.newProcess({ orderRecoveryTimeout: 0 })
  expect(await rejection(create(other))).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
  ledger.always('record', undefined)
  await expect.poll(async () => (await world.state()).state).toBe('new')
  expect(await create(other)).toMatchObject({ recovered: false })
  expect(world.posts()).toBe(1)
})

it('the mark of a request that sends the order is removed when its order was rejected and the claim is lost, although the first removal failed', async () => {
  const world = await ledgerWorld()
  world.fake.faults.next(POST, { status: 429, retryAfter: 1 })
  world.ledger.next('unmark', 'fails')
  // The process is stopped before its second mark. Another one takes the order over, and does not find it.
  const takeOver = async (): Promise<void> => {
    world.ledgerClock.advance(15_001)
    const other = rejection(create(world.newProcess({ orderRecoveryTimeout: 0 })))
    expect(await other).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
  }
  world.ledger.next('mark', {}, { before: takeOver })
  const clock = new ShiftedClock({ speed: 5 })
  expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: false })
  expect(world.posts()).toBe(2)
  expect(world.placed()).toBe(1)
})

it('the mark of a request that sends the order is rejected after a takeover: the call does not send, and waits for the call that has the claim', async () => {
  const world = await ledgerWorld()
  world.fake.faults.next(POST, { latencyMs: 100 })
  let other: Promise<unknown> | undefined
  // The process is stopped before its mark, and another one takes the order over.
  world.ledger.next('mark', {
    before: async () => {
      world.ledgerClock.advance(15_001)
      other = create(world.newProcess())
      await expect.poll(() => world.ledger.count('mark')).toBe(2)
    },
  })
  // This clock gives the ledger two seconds, because the other call runs during the mark.
  const client = world.newProcess({ clock: new ShiftedClock() })
  expect(await create(client)).toMatchObject({ recovered: true })
  expect(await other).toMatchObject({ recovered: false })
  expect(world.posts()).toBe(1)
  expect(world.placed()).toBe(1)
})

it('the mark of a request that sends the order allows a process that was stopped during its order to record the order after a takeover', async () => {
  const world = await ledgerWorld()
  world.ledger.always('renew', 'fails')
  const { fetch, held, release } = holdingOrders('before')
  const first = create(world.newProcess({ fetch }))
  await expect.poll(held).toBe(1)
  world.ledgerClock.advance(15_001)
  const second = await rejection(create(world.newProcess({ orderRecoveryTimeout: 0 })))
  expect(second).toMatchObject({ name: 'OrderOutcomeUnknownError', attempts: 0 })
  release()
  expect(await first).toMatchObject({ recovered: false })
  expect(await world.state()).toMatchObject({ state: 'placed' })
  expect(world.posts()).toBe(1)
})

/** A clock that skips pauses, and never ends the two seconds that a client waits for its ledger. */
const patientClock = () => new SkippingClock({ skip: (delayMs) => delayMs < 2_000 })

it.each<[string, () => ClientOptions]>([
  ['the default transport', () => ({})],
  ['a fetch function', () => ({ fetch: globalThis.fetch })],
  ['a dispatcher', () => ({ dispatcher: agentOfTest() })],
])(
  'a process that is stopped between the mark and the first byte of its order stores a new mark before it sends the order, after five seconds, with %s',
  async (_, transport) => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    const postsAtMark: number[] = []
    const note = (): void => void postsAtMark.push(world.posts())
    world.ledger.next('mark', { after: () => clock.advance(5_001) }, { after: note })
    expect(await create(world.newProcess({ clock, ...transport() }))).toMatchObject({ recovered: false })
    expect(postsAtMark).toEqual([0])
    expect(world.posts()).toBe(1)
  },
)

it.each([
  ['the machine was suspended, so only its wall clock advanced: it stores a new mark', 5_001, 2],
  ['its wall clock was set back: it sends with its first mark', -HOUR, 1],
])('%s', async (_, jumpMs, expected) => {
  const world = await ledgerWorld()
  const clock = patientClock()
  world.ledger.next('mark', { after: () => clock.jumpWall(jumpMs) })
  expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: false })
  expect(marks(world)).toHaveLength(expected)
  expect(world.posts()).toBe(1)
})

it('a process that is stopped between the mark and the first byte of its order sends nothing when another process has taken its order over', async () => {
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
  expect(world.placed()).toBe(1)
})

it.each([
  ['its own key', KEY],
  ['a generated key', undefined],
] as const)(
  "a process that is stopped between the mark and the first byte of its order does not send an order with %s twice, although the dispatcher's retry interceptor repeats POST",
  async (_, orderKey) => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    const dispatcher = agentOfTest().compose(
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
  },
)

it('a shared ledger gets no entry of orders with a generated key', async () => {
  const world = await ledgerWorld()
  const client = world.newProcess()
  await client.referrals.create(labOrder())
  expect(world.ledger.calls).toEqual([])
})

it('a shared ledger gets no detail of a patient, no secret and no token', async () => {
  const world = await ledgerWorld()
  await create(world.newProcess())
  world.fake.faults.next(POST, { status: 400 })
  await rejection(world.newProcess().referrals.create(labOrder(), { orderKey: 'job-78' }))
  const given = JSON.stringify(world.ledger.calls)
  expect(canariesIn(given)).toEqual([])
  expect(given).not.toContain(world.fake.clientOptions().clientSecret)
  expect(given).not.toContain('ref-77')
})

it('a shared ledger gets a namespace without the secret, so that a placed order is found with a new one', async () => {
  const world = await ledgerWorld()
  await create(world.newProcess())
  const { baseUrl, clientId } = world.fake.clientOptions()
  const namespace = `${new URL(baseUrl).origin} ${clientId}`
  expect(world.ledger.calls[0]?.name).toEqual({ namespace, key: KEY })
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
