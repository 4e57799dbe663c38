import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresDedupeStore, postgresTokenLock, postgresTokenStore } from 'pathology-sdk/postgres'
import { redisDedupeStore, redisTokenLock, redisTokenStore } from 'pathology-sdk/redis'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withPostgres } from '../support/postgres.js'
import { withRedis } from '../support/redis.js'
import { deferred, deliveryOf, settled } from '../webhooks/support.js'
import { SECRET } from '../webhooks/verification/vectors.js'
import { postgresKinds, type TestDatabase } from './postgres/clients.js'
import { REDIS_LIBRARIES, type TestConnection } from './redis/clients.js'

const HOUR_MS = 3_600_000
const inHours = (hours: number) => ({ before: new Date(Date.now() + hours * HOUR_MS) })

const [postgres, redis] = await Promise.all([withPostgres(), withRedis()])
afterAll(() => Promise.all([postgres?.stop(), redis?.stop()]))

type Connected = Awaited<ReturnType<(typeof PLACES)[number]['open']>>

/** Every kind of client, and the stores of two processes that use it. */
const PLACES = [
  ...postgresKinds(postgres).map(({ kind, open }) => ({
    place: kind,
    open: async () => {
      const database = await open()
      const [one, other] = database.clients.map((client) => ({
        events: postgresDedupeStore(client),
        tokens: postgresTokenStore(client),
        locks: postgresTokenLock(client),
      }))
      return connected(database, one, other)
    },
  })),
  ...REDIS_LIBRARIES.filter(() => redis !== undefined).map(({ library, open }) => ({
    place: library,
    open: async () => {
      const connection = await open(redis?.url ?? '')
      const [one, other] = [connection, connection].map(({ client }) => ({
        events: redisDedupeStore(client),
        tokens: redisTokenStore(client),
        locks: redisTokenLock(client),
      }))
      return connected(connection, one, other)
    },
  })),
]

function connected<Stores>(connection: AsyncDisposable, one: Stores | undefined, other: Stores | undefined) {
  if (one === undefined || other === undefined) throw new Error('a place needs two connections')
  return { connection, one, other }
}

/** Runs work of both processes at the same time. */
const atOnce = <Store, Result>(
  stores: readonly [Store, Store],
  work: (store: Store) => PromiseLike<Result> | Result,
) => Promise.all(Array.from({ length: 30 }, (_, n) => work(stores[n % 2 === 0 ? 0 : 1])))

describe.each(PLACES)('stores with $place', ({ place, open }) => {
  let connection: Connected['connection']
  let one: Connected['one']
  let other: Connected['other']

  beforeAll(async () => {
    const opened = await open()
    connection = opened.connection
    one = opened.one
    other = opened.other
    for (const store of Object.values(one)) await store.setup()
  })
  afterAll(() => connection[Symbol.asyncDispose]())

  it(`${place}: one of many concurrent claims gets an event (§6)`, async () => {
    const id = randomUUID()
    const claims = await atOnce([one.events, other.events], (events) => events.claim(id, 60_000))
    expect(claims.filter(Boolean)).toHaveLength(1)
  })

  it(`${place}: only the owner of a claim releases it, and nobody releases a confirmed event`, async () => {
    const [mine, theirs] = [one.events, other.events]
    const id = randomUUID()
    expect(await mine.claim(id, 60_000)).toBe(true)
    await theirs.release(id)
    expect([await theirs.claim(id, 60_000), await theirs.isConfirmed(id)]).toEqual([false, false])
    await mine.release(id)
    expect(await theirs.claim(id, 60_000)).toBe(true)
    await theirs.confirm(id, 60_000)
    await theirs.release(id)
    expect([await mine.claim(id, 60_000), await mine.isConfirmed(id)]).toEqual([false, true])
  })

  it(`${place}: an expired event can be claimed, and prune deletes no other`, async () => {
    const { events } = one
    const [claimed, confirmed, current] = [randomUUID(), randomUUID(), randomUUID()]
    await events.confirm(current, 60_000)
    await events.claim(claimed, 10)
    await events.confirm(confirmed, 10.4)
    await sleep(30)
    expect([await events.claim(claimed, 10), await events.isConfirmed(confirmed)]).toEqual([true, false])
    await sleep(30)
    await events.prune(inHours(1))
    expect([await events.isConfirmed(current), await events.claim(claimed, 10)]).toEqual([true, true])
  })

  it(`${place}: two receivers neither handle one event twice nor lose it (§6)`, async () => {
    const [work, started] = [deferred(), deferred()]
    const receiver = (dedupe: Connected['one']['events'], handler: () => unknown) =>
      createWebhookReceiver({ secret: SECRET, on: { '*': handler }, onError: () => undefined, dedupe })
    const first = receiver(one.events, () => {
      started.resolve()
      return work.promise
    })
    const second = receiver(other.events, () => undefined)
    const delivery = deliveryOf()
    const answer = first.receive(delivery)
    await started.promise
    expect(await second.receive(delivery)).toMatchObject({ status: 409 })
    work.reject(new Error('no'))
    expect(await answer).toMatchObject({ status: 500 })
    await settled()
    expect(await second.receive(delivery)).toMatchObject({ body: '{"outcome":"handled"}' })
    expect(await first.receive(delivery)).toMatchObject({ body: '{"outcome":"duplicate"}' })
  })

  it(`${place}: a token is kept until it expires or is deleted`, async () => {
    await one.tokens.set('a', 'first')
    await other.tokens.set('a', 'second', 60_000)
    await one.tokens.set('b', 'soon over', 10)
    await one.tokens.set('c', 'for ever')
    await sleep(30)
    const read = () => Promise.all(['a', 'b', 'c', 'd'].map((key) => other.tokens.get(key)))
    expect(await read()).toEqual(['second', undefined, 'for ever', undefined])
    await one.tokens.prune(inHours(1))
    await other.tokens.delete('a')
    expect(await read()).toEqual([undefined, undefined, 'for ever', undefined])
  })

  it(`${place}: one of many gets a lock, and only its owner releases it`, async () => {
    const key = randomUUID()
    const acquired = await atOnce([one.locks, other.locks], (locks) => locks.acquire(key, 60_000))
    const [release, ...others] = acquired.filter((lock) => lock !== undefined)
    expect(others).toEqual([])
    await release?.()
    const brief = await one.locks.acquire(key, 10)
    await sleep(30)
    expect(await other.locks.acquire(key, 60_000)).toBeDefined()
    await brief?.()
    expect(await one.locks.acquire(key, 60_000)).toBeUndefined()
  })
})

describe.each(postgresKinds(postgres))('tables of the stores with $kind', ({ kind, open }) => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  it.each([
    ['postgresDedupeStore', postgresDedupeStore],
    ['postgresTokenStore', postgresTokenStore],
    ['postgresTokenLock', postgresTokenLock],
  ])(`${kind}: the table of %s is set up by several processes at once, and again later`, async (_, make) => {
    const table = `fresh_${randomUUID().slice(0, 8)}`
    const stores = database.clients.map((client) => make(client, { table }))
    await Promise.all(Array.from({ length: 10 }, (_, n) => stores[n % 2]?.setup()))
    await stores[0]?.setup()
    expect(await database.query(`SELECT 1 FROM ${table}`)).toEqual([])
    const found = await database.query('SELECT obj_description(to_regclass($1)) AS comment', [table])
    expect(found).toEqual([{ comment: expect.stringMatching(/no health data/i) }])
  })

  it(`${kind}: prune deletes the rows that expired before its time`, async () => {
    const table = `fresh_${randomUUID().slice(0, 8)}`
    const tokens = postgresTokenStore(database.clients[0], { table })
    await tokens.setup()
    await tokens.set('over', 'value', 10)
    await tokens.set('current', 'value', 60_000)
    await sleep(30)
    expect(await tokens.prune(inHours(-1))).toBe(0)
    expect(await tokens.prune(inHours(1))).toBe(1)
    expect(await database.query(`SELECT key FROM ${table}`)).toEqual([{ key: 'current' }])
  })

  it(`${kind}: without setup() the error says so`, async () => {
    const tokens = postgresTokenStore(database.clients[0], { table: 'not_there' })
    await expect(tokens.get('key')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('setup()'),
    })
  })
})

describe.skipIf(redis === undefined).each(REDIS_LIBRARIES)('keys of $library', ({ library, open }) => {
  let connection: TestConnection

  beforeAll(async () => {
    connection = await open(redis?.url ?? '')
  })
  afterAll(() => connection[Symbol.asyncDispose]())

  it(`${library}: each key begins with the prefix, and expires unless its token does not`, async () => {
    const pttl = (key: string) => connection.send('PTTL', key)
    await redisDedupeStore(connection.client, { prefix: 'app:' }).claim('event', 60_000)
    expect(await pttl('app:event')).toBeGreaterThan(50_000)
    await redisTokenStore(connection.client).set('c', 'for ever')
    expect(await pttl('pathology:token:c')).toBe(-1)
    expect(await redisTokenStore(connection.client).prune({ before: new Date() })).toBe(0)
  })
})
