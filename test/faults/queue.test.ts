import type { ClientOptions, PathologyClient } from 'pathology-sdk'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { OrderBook } from '../support/order-book.js'
import { order, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'

const FULL = {
  name: 'ConnectionError',
  code: 'CONNECTION_QUEUE_FULL',
  reason: 'queue-full',
  outcome: 'not-sent',
  attempts: 0,
}

/** A service that returns its referral only when `release` is called. */
async function setUp(options: ClientOptions) {
  const server = await ScriptedServer.start()
  const book = new OrderBook(server)
  let release = (): void => undefined
  const after = new Promise<void>((resolve) => {
    release = resolve
  })
  server.on(`GET /v1/referrals/${UUID}`, { json: referral({ uuid: UUID }), after })
  return { server, book, release, client: clientOf(server.origin, options) }
}

const retrieve = (client: PathologyClient): Promise<unknown> =>
  Promise.resolve(client.referrals.retrieve(UUID))

/** Outcome of each promise: the reason of its error, or `done`. */
async function endings(promises: readonly PromiseLike<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((each) =>
    each.status === 'fulfilled' ? 'done' : Reflect.get(Object(each.reason), 'reason'),
  )
}

const times = (count: number, ending: string): string[] => Array.from({ length: count }, () => ending)

/** Resources that a call can wait for. */
const LIMITS: Readonly<Record<string, () => ClientOptions>> = {
  maxConcurrency: () => ({ maxConcurrency: 2, maxQueue: 3 }),
  maxSockets: () => ({ maxSockets: 2, maxQueue: 3 }),
  'maxConcurrency, by a given dispatcher': () => {
    const dispatcher = new Agent()
    onTestFinished(() => dispatcher.destroy())
    return { maxConcurrency: 2, maxQueue: 3, dispatcher }
  },
  'maxConcurrency, by fetch': () => ({ maxConcurrency: 2, maxQueue: 3, fetch: globalThis.fetch }),
}
const limits = Object.entries(LIMITS)

describe('a bounded queue (maxQueue)', () => {
  it.each(limits)(
    '%s: calls within the limits run and wait, and the others are rejected at once',
    async (_, options) => {
      const { client, release } = await setUp(options())
      const calls = Array.from({ length: 9 }, () => retrieve(client))
      expect(await rejection(calls[5] ?? Promise.resolve())).toMatchObject(FULL)
      release()
      expect(await endings(calls)).toEqual([...times(5, 'done'), ...times(4, 'queue-full')])
      expect(await endings([retrieve(client)])).toEqual(['done'])
    },
  )

  it.each(limits)('%s: orders are rejected too, before anything of them is sent', async (_, options) => {
    const { client, book } = await setUp(options())
    const calls = Array.from({ length: 9 }, () => client.referrals.create(order()))
    expect(await endings(calls)).toEqual([...times(5, 'done'), ...times(4, 'queue-full')])
    expect(book.orders).toHaveLength(5)
  })

  it('waits, lists and composite calls are rejected at their start', async () => {
    const { client, release } = await setUp({ maxConcurrency: 1, maxQueue: 0 })
    const running = retrieve(client)
    for (const call of [
      client.referrals.waitFor(UUID, { status: 'ISSUED' }),
      client.referrals.list().toArray(),
      client.referrals.create(order(), { orderKey: 'key-1' }),
      client.referrals.document(UUID).bytes(),
      client.warmUp(),
    ]) {
      expect(await rejection(call)).toMatchObject(FULL)
    }
    release()
    await running
  })

  it('maxQueue 0: a running call may make its own further calls, one at a time', async () => {
    const { client, book, release } = await setUp({ maxConcurrency: 1, maxQueue: 0 })
    release()
    await client.referrals.create(order(), { orderKey: 'key-1' })
    const again = await client.referrals.create(order(), { orderKey: 'key-1' })
    expect(again.recovered).toBe(true)
    await client.referrals.waitFor(UUID, { status: 'ISSUED' })
    expect(book.orders).toHaveLength(1)
  })

  it('an order is looked up while the queue is full: a lost order, and one with a key', async () => {
    const { client, server, release } = await setUp({ maxConcurrency: 2, maxQueue: 1 })
    const book = new OrderBook(server, [{ reset: 'before' }])
    const running = retrieve(client)
    const placing = client.referrals.create(order(), { orderKey: 'key-1' })
    await expect.poll(() => book.orders.length).toBe(1)
    const others = endings(Array.from({ length: 6 }, () => retrieve(client)))
    expect(await rejection(retrieve(client))).toMatchObject(FULL)
    const finding = client.referrals.findByOrderKey('key-1')
    release()
    expect((await placing).recovered).toBe(true)
    expect((await finding)?.referrals).toHaveLength(1)
    expect(book.orders).toHaveLength(1)
    expect(await others).toContain('queue-full')
    await running
  })

  it('a call that is aborted, or whose time limit expires, releases its permit', async () => {
    const { client, release } = await setUp({ maxConcurrency: 1, maxQueue: 1 })
    const running = retrieve(client)
    const abort = new AbortController()
    const waiting = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
    expect(await rejection(retrieve(client))).toMatchObject(FULL)
    abort.abort()
    expect(await waiting).toBe(abort.signal.reason)
    expect(await rejection(client.referrals.retrieve(UUID, { timeout: 1 }))).toMatchObject({
      name: 'TimeoutError',
    })
    expect(await rejection(client.referrals.retrieve('no uuid'))).toMatchObject({
      name: 'InvalidRequestError',
    })
    const next = retrieve(client)
    release()
    expect(await endings([running, next])).toEqual(['done', 'done'])
  })

  it('the pause between two lookups needs no permit', async () => {
    const { client, server } = await setUp({ maxConcurrency: 1, maxQueue: 0 })
    server.on(`GET /v1/referrals/${UUID}`, { json: referral({ uuid: UUID, status: 'CREATED' }) })
    const abort = new AbortController()
    const wish = { status: 'COMPLETE', interval: 20_000, signal: abort.signal }
    const waiting = rejection(client.referrals.waitFor(UUID, wish))
    await expect.poll(() => server.count(`GET /v1/referrals/${UUID}`)).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(client.referrals.list().firstPage()).resolves.toBeDefined()
    abort.abort()
    expect(await waiting).toBe(abort.signal.reason)
  })

  it('10,000 calls wait by default: of 10,200 calls, 128 are sent and 72 are rejected', {
    timeout: 40_000,
  }, async () => {
    const { client, server } = await setUp({})
    const abort = new AbortController()
    const options = { signal: abort.signal }
    const ended = endings(Array.from({ length: 10_200 }, () => client.referrals.retrieve(UUID, options)))
    await expect.poll(() => server.calls.length, { timeout: 20_000 }).toBe(128)
    abort.abort()
    expect((await ended).filter((ending) => ending === 'queue-full')).toHaveLength(72)
  })
})
