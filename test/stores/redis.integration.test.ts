import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type IoRedisClient, type NodeRedisClient, redisDedupeStore } from 'pathology-sdk/redis'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'
import { createClient, type RedisClientType } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { withRedis } from '../support/redis.js'
import { deferred, deliveryOf, settled } from '../webhooks/support.js'
import { SECRET } from '../webhooks/vectors.js'

const redis = await withRedis()
const connection = redis === undefined ? undefined : await createClient({ url: redis.url }).connect()

/** The connection, where there is a Redis. */
function connected(): RedisClientType {
  if (connection === undefined) throw new Error('no Redis here')
  return connection
}

/** How each client library takes a script, over the same connection. */
const ioredis = (): IoRedisClient => ({
  defineCommand: () => undefined,
  eval: (script, keyCount, ...rest) => connected().sendCommand(['EVAL', script, String(keyCount), ...rest]),
})
const LIBRARIES = [
  ['ioredis', ioredis],
  ['node-redis', (): NodeRedisClient => connected()],
] as const

afterAll(async () => {
  await connection?.close()
  await redis?.stop()
})

describe.skipIf(redis === undefined).each(LIBRARIES)(
  'redisDedupeStore on a real Redis, by %s',
  (_name, client) => {
    it('gives an event to exactly one of many who claim it at once', async () => {
      const stores = [redisDedupeStore(client()), redisDedupeStore(client())]
      const id = randomUUID()
      const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => stores[n % 2]?.claim(id, 60_000)))
      expect(claims.filter(Boolean)).toHaveLength(1)
    })

    it('lets only the owner release a claim, and nobody a confirmed event', async () => {
      const [mine, theirs] = [redisDedupeStore(client()), redisDedupeStore(client())]
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

    it('forgets claims and confirmations by itself', async () => {
      const store = redisDedupeStore(client())
      const [claimed, confirmed] = [randomUUID(), randomUUID()]
      await store.claim(claimed, 10)
      await store.confirm(confirmed, 10.4)
      await sleep(30)
      expect([await store.claim(claimed, 1), await store.isConfirmed(confirmed)]).toEqual([true, false])
    })

    it('puts its prefix before every key', async () => {
      const store = redisDedupeStore(client(), { prefix: 'app:' })
      await store.claim('event', 60_000)
      expect(await connected().exists('app:event')).toBe(1)
      expect(await connected().pTTL('app:event')).toBeGreaterThan(50_000)
    })

    it('keeps two receivers from handling one event twice, and from losing it (§6)', async () => {
      const work = deferred()
      const receiver = (handler: () => unknown) =>
        createWebhookReceiver({
          secret: SECRET,
          on: { '*': handler },
          onError: () => undefined,
          dedupe: redisDedupeStore(client()),
        })
      const started = deferred()
      const first = receiver(() => {
        started.resolve()
        return work.promise
      })
      const second = receiver(() => undefined)
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
  },
)

describe('redisDedupeStore', () => {
  it('refuses what is no client', () => {
    // The types forbid it; plain JavaScript does not.
    expect(() => redisDedupeStore({} as NodeRedisClient)).toThrow(/ioredis or node-redis/)
  })
})
