import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { redisOrderLedger } from 'pathology-sdk/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { orderLedgerContract } from '../../support/order-ledger-contract.js'
import { withRedis, withRedisCluster } from '../../support/redis.js'
import { REDIS_LIBRARIES, type TestConnection } from './clients.js'

const PRINT = { keyId: 'k', hash: 'hash of an order' }
const LEASE_MS = 60_000

const redis = await withRedis()
const cluster = await withRedisCluster()
afterAll(async () => {
  await redis?.stop()
  await cluster?.stop()
})

const newName = (namespace = 'tests') => ({ namespace, key: randomUUID() })
const request = () => ({ token: randomUUID(), leaseMs: LEASE_MS, fingerprint: PRINT })

describe.skipIf(redis === undefined).each(REDIS_LIBRARIES)(
  'redisOrderLedger with $library',
  ({ library, open }) => {
    let connection: TestConnection

    beforeAll(async () => {
      connection = await open(redis?.url ?? '')
      await redisOrderLedger(connection.client).setup()
    })
    afterAll(() => connection[Symbol.asyncDispose]())

    orderLedgerContract(library, () => redisOrderLedger(connection.client))

    it('a ledger in Redis never vouches for a key, and its entries do not expire', async () => {
      const ledger = redisOrderLedger(connection.client, { prefix: 'own:' })
      const name = { namespace: 'a:b', key: '{c}*' }
      const { token, ...rest } = request()
      const claim = await ledger.claim(name, { token, ...rest, mark: 'm', since: new Date() })
      expect(claim).toMatchObject({ isVouched: false, isMarked: false })
      await ledger.mark(name, { token, mark: 'm', leaseMs: LEASE_MS })
      expect(await connection.send('PTTL', 'own:{ledger}:a%3Ab:%7Bc%7D*')).toBe(-1)
      expect(await ledger.list()).toMatchObject([{ ...name, state: 'busy' }])
      expect(await ledger.resolve('{c}*', 'not-placed')).toBe(true)
      expect(await ledger.prune({ before: new Date(Date.now() + 1_000) })).toBe(1)
    })

    it('a ledger in Redis does not change entries of a store whose prefix begins with its own', async () => {
      const own = redisOrderLedger(connection.client, { prefix: 'clinic:' })
      const other = redisOrderLedger(connection.client, { prefix: 'clinic:staging:' })
      const foreign = ['clinic:tokens:a:b', 'clinic:webhook:uuid']
      for (const key of foreign) await connection.send('SET', key, 'not an entry')
      const name = newName()
      const { token, ...rest } = request()
      await other.claim(name, { token, ...rest })
      await other.mark(name, { token, mark: 'm', leaseMs: LEASE_MS })
      await other.record(name, { token, outcome: 'unknown' })
      expect(await own.resolve(name.key, 'not-placed')).toBe(false)
      expect(await own.prune({ before: new Date(Date.now() + 1_000) })).toBe(0)
      expect(await other.claim(name, request())).toMatchObject({ state: 'sent' })
      expect(await other.resolve(name.key, 'not-placed')).toBe(true)
      for (const key of foreign) expect(await connection.send('DEL', key)).toBe(1)
    })

    it('setup of a ledger rejects a Redis that may evict entries, and accepts one that does not show its policy', async () => {
      const ledger = redisOrderLedger(connection.client)
      await connection.send('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
      await expect(ledger.setup()).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringMatching(/allkeys-lru.*noeviction/),
      })
      await connection.send('ACL', 'SETUSER', 'default', '-info')
      await ledger.setup()
      await connection.send('ACL', 'SETUSER', 'default', '+info')
      await connection.send('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
      await ledger.setup()
    })

    it('a ledger skips an entry that Redis has lost, and prunes it from the index', async () => {
      const ledger = redisOrderLedger(connection.client, { prefix: 'lost:' })
      const name = newName('tests')
      await ledger.claim(name, request())
      await ledger.resolve(name, { placed: [randomUUID()] })
      expect(await connection.send('DEL', `lost:{ledger}:tests:${name.key}`)).toBe(1)
      expect(await ledger.list()).toEqual([])
      expect(await ledger.prune({ before: new Date(Date.now() + 1_000) })).toBe(0)
      expect(await connection.send('KEYS', 'lost:*')).toEqual(['lost:{ledger}:namespaces'])
    })

    it('a ledger in Redis lists and prunes more entries than one batch, and changes no others', async () => {
      const ledger = redisOrderLedger(connection.client, { prefix: 'many*[' })
      const refused = async () => {
        const [name, { token, ...rest }] = [newName(), request()]
        await ledger.claim(name, { token, ...rest })
        await ledger.record(name, { token, outcome: 'not-placed' })
      }
      for (let n = 0; n < 1_200; n += 50) await Promise.all(Array.from({ length: 50 }, refused))
      expect(await ledger.list({ state: 'not-placed', limit: 1_100 })).toHaveLength(1_100)
      await connection.send('SET', 'many more', 'x')
      expect(await ledger.prune({ before: new Date(Date.now() + 1_000) })).toBe(1_200)
      expect(await connection.send('EXISTS', 'many more')).toBe(1)
    })
  },
)

describe.skipIf(redis === undefined)('redisOrderLedger with the keyPrefix of ioredis', () => {
  it('a ledger with the keyPrefix of ioredis finds its entries by key and prunes them', async () => {
    const client = new Redis(redis?.url ?? '', { keyPrefix: 'app?:' })
    const ledger = redisOrderLedger(client)
    const name = newName()
    await ledger.claim(name, request())
    expect(await client.keys('app?:pathology:order:{ledger}:tests:*')).toHaveLength(1)
    expect(await ledger.resolve(name.key, { placed: [randomUUID()] })).toBe(true)
    expect(await ledger.prune({ before: new Date(Date.now() + 1_000) })).toBe(1)
    client.disconnect()
  })
})

describe.skipIf(cluster === undefined).each(REDIS_LIBRARIES)(
  'redisOrderLedger with a cluster of $library',
  ({ openCluster }) => {
    it('a ledger in a cluster of Redis keeps, finds, lists and prunes entries', async () => {
      await using connection = await openCluster(cluster?.urls ?? [])
      const ledger = redisOrderLedger(connection.client)
      await ledger.setup()
      const names = Array.from({ length: 40 }, () => newName())
      for (const name of names) {
        const { token, ...rest } = request()
        expect(await ledger.claim(name, { token, ...rest })).toMatchObject({ state: 'new' })
        expect(await ledger.mark(name, { token, mark: 'm', leaseMs: LEASE_MS })).toBe(true)
        expect(await ledger.claim(name, request())).toMatchObject({ state: 'busy' })
        expect(await ledger.resolve(name.key, { placed: [randomUUID()] })).toBe(true)
      }
      expect(await ledger.list({ state: 'placed' })).toHaveLength(names.length)
      expect(await ledger.prune({ before: new Date(Date.now() + 1_000) })).toBe(names.length)
    })
  },
)
