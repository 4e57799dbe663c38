import { type AddressInfo, createServer } from 'node:net'
import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { canariesIn } from '../../support/canaries.js'
import { rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import { ShiftedClock } from '../../support/shifted-clock.js'
import { SkippingClock } from '../../support/skipping-clock.js'
import { type LedgerFault, WatchedLedger } from '../../support/watched-ledger.js'
import {
  closed,
  holdingOrders,
  impatientClock,
  isSettled,
  KEY,
  labOrder,
  ledgerWorld,
  POST,
  vouched,
} from '../ledger/ledger-world.js'

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

describe('a ledger that fails before the order is sent', () => {
  it.each(FAULTS)('%s at the claim: nothing is sent, and the key is free again', async (_, fault) => {
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
  })

  it.each(FAULTS)('%s at the mark: nothing is sent, and the mark is removed', async (_, fault) => {
    const world = await ledgerWorld()
    const client = world.newProcess({ clock: impatientClock() })
    world.ledger.next('mark', fault)
    expect(await rejection(create(client))).toMatchObject({ ...NOT_SENT, operation: 'mark' })
    expect(world.posts()).toBe(0)
    expect(await world.state()).toMatchObject({ state: 'new' })
    expect(await create(client)).toMatchObject({ recovered: false })
  })

  it('and does not work again for a while: the mark is removed in the background later', async () => {
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

  it('and does not work again: close() removes the mark, and waits for it at most five seconds', async () => {
    const world = await ledgerWorld()
    const client = world.newProcess()
    world.ledger.next('mark', 'lost')
    world.ledger.always('record', 'fails')
    await rejection(create(client))
    setTimeout(() => world.ledger.always('record', undefined), 20)
    await client.close()
    expect(await world.state()).toMatchObject({ state: 'new' })
    const clock = impatientClock()
    const other = world.newProcess({ clock })
    world.ledger.next('mark', 'lost')
    world.ledger.always('record', 'fails')
    await rejection(create(other))
    const closing = other.close()
    expect(await isSettled(closing)).toBe(false)
    clock.advance(4_999)
    expect(await isSettled(closing)).toBe(false)
    clock.advance(1)
    await closing
    const { length } = world.ledger.calls
    // The pause between two attempts of a closing client is 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(world.ledger.calls).toHaveLength(length)
  })

  it('a claim that the ledger grants late is released at once', async () => {
    const world = await ledgerWorld()
    const client = world.newProcess({ clock: impatientClock() })
    let arrive: () => void = () => undefined
    const late = new Promise<void>((resolve) => {
      arrive = resolve
    })
    world.ledger.next('claim', {
      before: () => late,
      after: (found, request) => vouched(world.inner, world.name(), found, request),
    })
    expect(await rejection(create(client))).toMatchObject(NOT_SENT)
    arrive()
    await expect.poll(async () => (await world.state()).state).toBe('new')
  })

  it('after the service rejected the first token: the outcome is that of the rejected request', async () => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, { status: 401, code: 'INVALID_JWT' })
    world.ledger.next('mark', { before: () => undefined }, 'fails')
    expect(await rejection(create(world.newProcess()))).toMatchObject({
      name: 'OrderLedgerError',
      outcome: 'refused',
      attempts: 1,
      retryable: true,
    })
    expect(await world.state()).toMatchObject({ state: 'new' })
    expect(world.placed()).toBe(0)
  })
})

describe('a ledger that fails after the order was sent', () => {
  it.each(FAULTS)(
    '%s at the record: the order is returned, with a warning, and is recorded later',
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

  it('and this process never reaches it again: the next repeat looks the order up', async () => {
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

  it('and rejects the record: the order is returned, with a warning', async () => {
    const world = await ledgerWorld()
    world.ledger.next('record', { returns: false })
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
    expect(world.warnings).toEqual([expect.stringContaining('the order ledger did not accept the outcome')])
  })

  it('and rejects that the order was not placed: no warning', async () => {
    const world = await ledgerWorld()
    world.ledger.next('record', { returns: false })
    world.fake.faults.next(POST, { status: 400, code: 'INVALID_PAYLOAD' })
    expect(await rejection(create(world.newProcess()))).toMatchObject({ name: 'BadRequestError' })
    expect(world.warnings).toEqual([])
  })

  it('a statement that is carried out twice has no second effect', async () => {
    const world = await ledgerWorld()
    for (const operation of ['claim', 'mark', 'record', 'renew', 'unmark'] as const)
      world.ledger.always(operation, 'twice')
    world.fake.faults.next(POST, { status: 429, retryAfter: 1 })
    const calls = [1, 2].map(() => create(world.newProcess()))
    expect((await Promise.all(calls)).map(({ recovered }) => recovered).sort()).toEqual([false, true])
    expect(world.placed()).toBe(1)
  })
})

describe('the mark that each sending stores', () => {
  const marks = (world: Awaited<ReturnType<typeof ledgerWorld>>) =>
    world.ledger.calls.filter(({ operation }) => operation === 'mark').map(({ request }) => request)

  it.each([
    ['401, with a new token', { status: 401, code: 'INVALID_JWT' }],
    ['429', { status: 429, retryAfter: 1 }],
  ])('is a new one after a %s, and replaces the first', async (_, fault) => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, fault)
    expect(await create(world.newProcess())).toMatchObject({ recovered: false })
    const [first, second] = marks(world) as { mark: string; replaces?: string }[]
    expect(second?.replaces).toBe(first?.mark)
    expect(second?.mark).not.toBe(first?.mark)
    expect(marks(world)).toHaveLength(2)
  })

  it('is removed when the connection is refused, and the key is new', async () => {
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

  it('that was stored with the claim is removed in the background too', async () => {
    const world = await ledgerWorld()
    const client = world.newProcess({
      baseUrl: `http://127.0.0.1:${await closedPort()}`,
      orderLedger: world.named({ namespace: world.name().namespace }),
    })
    const claims = (found: unknown, request: unknown) => vouched(world.inner, world.name(), found, request)
    world.ledger.next('claim', { after: claims })
    world.ledger.always('unmark', 'fails')
    world.ledger.next('record', 'fails', 'fails')
    expect(await rejection(create(client))).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent' })
    await expect.poll(async () => (await world.state()).state).toBe('new')
  })

  it('is removed after another process took the entry over, and the key is new', async () => {
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

  it('of a rejected order is removed when the claim is lost, although the first removal failed', async () => {
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

  it('is stored again when more than five seconds pass before the first byte leaves', async () => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    const postsAtMark: number[] = []
    const note = (): void => void postsAtMark.push(world.posts())
    // The process is stopped after the ledger has the mark.
    world.ledger.next('mark', { after: () => clock.advance(5_001) }, { after: note })
    expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: false })
    expect(postsAtMark).toEqual([0])
    expect(marks(world)).toHaveLength(2)
    expect(world.posts()).toBe(1)
  })

  it('is stored again when the mark of the claim is older than five seconds', async () => {
    const world = await ledgerWorld()
    const clock = new ShiftedClock({ speed: 10 })
    world.ledger.always('claim', {
      after: (found, request) => {
        clock.advance(5_001)
        return vouched(world.inner, world.name(), found, request)
      },
    })
    expect(await create(world.newProcess({ clock }))).toMatchObject({ recovered: false })
    expect(marks(world)).toHaveLength(1)
  })

  it('is rejected by the ledger: the call does not send, and waits for the call that has the claim', async () => {
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

  it('of a process that was stopped during its order still allows it to record the order', async () => {
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
})

describe('a caller aborts the call', () => {
  async function ended(world: Awaited<ReturnType<typeof ledgerWorld>>, when: () => boolean) {
    const abort = new AbortController()
    const reason = new Error('the user went away')
    const client = world.newProcess()
    const calling = rejection(create(client, { signal: abort.signal }))
    await expect.poll(when).toBe(true)
    abort.abort(reason)
    expect(await calling).toBe(reason)
    return client
  }

  it.each(['claim', 'mark'] as const)(
    'while the ledger stores its %s: nothing is sent, and the key is new',
    async (operation) => {
      const world = await ledgerWorld()
      world.ledger.next(operation, { before: () => new Promise((resolve) => setTimeout(resolve, 100)) })
      await ended(world, () => world.ledger.count(operation) === 1)
      await expect.poll(async () => (await world.state()).state).toBe('new')
      expect(world.posts()).toBe(0)
    },
  )

  it('while the order is in flight: the key is released at once, and the next call finds the order', async () => {
    const world = await ledgerWorld()
    world.fake.faults.next(POST, { loseResponse: true, latencyMs: 150 })
    await ended(world, () => world.ledger.count('mark') === 1)
    expect(await create(world.newProcess())).toMatchObject({ recovered: true })
    expect(world.placed()).toBe(1)
  })

  it('with the error of another call as the reason: the order may have been placed, and is not sent again', async () => {
    const world = await ledgerWorld()
    // A ledger that vouches for a key without marks: the next call would send the order without a lookup.
    world.ledger.always('claim', {
      after: (found, request) => vouched(world.inner, world.name(), found, request),
    })
    const { fetch, held, release } = holdingOrders('after')
    const abort = new AbortController()
    const calling = rejection(create(world.newProcess({ fetch }), { signal: abort.signal }))
    await expect.poll(held).toBe(1)
    const reason = await rejection(world.newProcess().referrals.retrieve(UUID))
    expect(reason).toMatchObject({ name: 'NotFoundError', outcome: 'failed' })
    abort.abort(reason)
    expect(await calling).toBe(reason)
    release()
    await expect.poll(() => world.ledger.count('record')).toBe(1)
    expect(await create(world.newProcess())).toMatchObject({ recovered: true })
    expect(world.placed()).toBe(1)
  })

  it('after the order was placed, while the ledger records it: the order is returned', async () => {
    const world = await ledgerWorld()
    const abort = new AbortController()
    world.ledger.next('record', { before: () => abort.abort() })
    expect(await create(world.newProcess(), { signal: abort.signal })).toMatchObject({ recovered: false })
    expect(await world.state()).toMatchObject({ state: 'placed' })
  })

  it('by its time limit, while the ledger does not respond: TimeoutError, and nothing was sent', async () => {
    const world = await ledgerWorld()
    world.ledger.next('claim', 'hangs')
    const clock = new SkippingClock({ skip: () => false })
    const client = world.newProcess({ clock })
    const calling = rejection(create(client, { timeout: 500 }))
    await expect.poll(() => world.ledger.count('claim')).toBe(1)
    clock.advance(500)
    const error = await calling
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', attempts: 0, retryable: true })
    expect(String(error)).toContain('nothing was sent, because the order ledger did not respond in time')
    await closed(client, clock)
  })
})

describe('data that a shared ledger gets', () => {
  it('no entry of orders with a generated key', async () => {
    const world = await ledgerWorld()
    const client = world.newProcess()
    await client.referrals.create(labOrder())
    expect(world.ledger.calls).toEqual([])
  })

  it('no detail of a patient, no secret and no token', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    world.fake.faults.next(POST, { status: 400 })
    await rejection(world.newProcess().referrals.create(labOrder(), { orderKey: 'job-78' }))
    const given = JSON.stringify(world.ledger.calls)
    expect(canariesIn(given)).toEqual([])
    expect(given).not.toContain(world.fake.clientOptions().clientSecret)
    expect(given).not.toContain('ref-77')
  })

  it('the same namespace with a new secret, so that a placed order is found', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess())
    const { baseUrl, authUrl, clientId } = world.fake.clientOptions()
    expect(world.ledger.calls[0]?.name).toEqual({
      namespace: `${new URL(baseUrl).origin} ${clientId}`,
      key: KEY,
    })
    // The fake accepts one secret only, so the other secret only changes the fingerprint here.
    const fingerprintKey = { id: 'of another secret', key: 'k'.repeat(32) }
    const renewed = world.newProcess({ authUrl, orderLedger: world.named({ fingerprintKey }) })
    expect(await create(renewed)).toMatchObject({ recovered: true })
    expect(world.posts()).toBe(1)
  })

  it('another namespace separates the keys', async () => {
    const world = await ledgerWorld()
    await create(world.newProcess({ orderLedger: world.named({ namespace: 'clinic a' }) }))
    const names = world.ledger.calls.map(({ name }) => name?.namespace)
    expect(new Set(names)).toEqual(new Set(['clinic a']))
  })
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
