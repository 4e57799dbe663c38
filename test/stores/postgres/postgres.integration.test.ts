import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type PostgresClient,
  postgresDedupeStore,
  postgresTokenLock,
  postgresTokenStore,
} from 'pathology-sdk/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withPostgres } from '../../support/postgres.js'
import { postgresKinds, type TestDatabase } from './clients.js'

const HOUR_MS = 3_600_000

const server = await withPostgres()
afterAll(() => server?.stop())

describe.each(postgresKinds(server))('stores in Postgres, with $kind', ({ kind, open }) => {
  let database: TestDatabase
  const isOneConnection = kind === 'PGlite'

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const pair = <T>(make: (client: PostgresClient) => T): [T, T] => [
    make(database.clients[0]),
    make(database.clients[1]),
  ]
  const count = async (table: string): Promise<unknown> => {
    const { rows } = await database.clients[0].query(`SELECT count(*)::int AS count FROM ${table}`, [])
    return Reflect.get(Object(rows[0]), 'count')
  }

  it.each([
    ['postgresDedupeStore', postgresDedupeStore],
    ['postgresTokenStore', postgresTokenStore],
    ['postgresTokenLock', postgresTokenLock],
  ])('%s can be set up by several processes at once, and again later', async (_name, make) => {
    const table = `fresh_${randomUUID().slice(0, 8)}`
    const stores = pair((client) => make(client, { table }))
    await Promise.all(Array.from({ length: 10 }, (_, n) => stores[n % 2]?.setup()))
    await stores[0].setup()
    expect(await count(table)).toBe(0)
    const { rows } = await database.clients[0].query('SELECT obj_description(to_regclass($1)) AS comment', [
      table,
    ])
    expect(Reflect.get(Object(rows[0]), 'comment')).toMatch(/no health data/i)
  })

  it('without setup() the error says so', async () => {
    const store = postgresTokenStore(database.clients[0], { table: 'not_there' })
    await expect(store.get('key')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('setup()'),
    })
  })

  describe('postgresDedupeStore', () => {
    const stores = () => pair((client) => postgresDedupeStore(client))
    beforeAll(() => postgresDedupeStore(database.clients[0]).setup())

    it('§6 gives an event to exactly one of many concurrent claims', async () => {
      const both = stores()
      const id = randomUUID()
      const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => both[n % 2]?.claim(id, 60_000)))
      expect(claims.filter(Boolean)).toHaveLength(1)
    })

    it('lets only the owner release a claim, and nobody release a confirmed event', async () => {
      const [mine, theirs] = stores()
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

    it('removes expired events, and prune deletes only those', async () => {
      const [store] = stores()
      const [expired, current] = [randomUUID(), randomUUID()]
      await store.confirm(current, 60_000)
      expect(await store.claim(expired, 10)).toBe(true)
      await sleep(30)
      expect(await store.claim(expired, 10)).toBe(true)
      await sleep(30)
      expect(await store.prune({ before: new Date(Date.now() - HOUR_MS) })).toBe(0)
      expect(await store.prune({ before: new Date(Date.now() + HOUR_MS) })).toBe(1)
      expect([await store.isConfirmed(current), await store.isConfirmed(expired)]).toEqual([true, false])
    })
  })

  describe('postgresTokenStore', () => {
    it('keeps values until they expire or are deleted', async () => {
      const [one, other] = pair((client) => postgresTokenStore(client, { table: 'tokens' }))
      await one.setup()
      await one.set('a', 'first')
      await other.set('a', 'second', 60_000)
      await one.set('b', 'soon over', 10)
      await one.set('c', 'for ever')
      await sleep(30)
      expect([await one.get('a'), await other.get('b'), await other.get('c'), await one.get('d')]).toEqual([
        'second',
        undefined,
        'for ever',
        undefined,
      ])
      expect(await one.prune({ before: new Date(Date.now() + HOUR_MS) })).toBe(1)
      await other.delete('a')
      expect(await one.get('a')).toBeUndefined()
      expect(await count('tokens')).toBe(1)
    })
  })

  describe('postgresTokenLock', () => {
    it('is acquired by one of many, and released by its owner only', async () => {
      const locks = pair((client) => postgresTokenLock(client))
      await locks[0].setup()
      const key = randomUUID()
      const acquired = await Promise.all(
        Array.from({ length: isOneConnection ? 5 : 30 }, (_, n) => locks[n % 2]?.acquire(key, 60_000)),
      )
      const [release, ...others] = acquired.filter((lock) => lock !== undefined)
      expect(others).toEqual([])
      await release?.()
      const brief = await locks[0].acquire(key, 10)
      await sleep(30)
      expect(await locks[1].acquire(key, 60_000)).toBeDefined()
      await brief?.()
      expect(await locks[0].acquire(key, 60_000)).toBeUndefined()
    })
  })
})
