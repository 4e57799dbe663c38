import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { redisDedupeStore, redisTokenLock, redisTokenStore } from 'pathology-sdk/redis'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withRedis } from '../../support/redis.js'
import { deferred, deliveryOf, settled } from '../../webhooks/support.js'
import { SECRET } from '../../webhooks/verification/vectors.js'
import { REDIS_LIBRARIES, type TestConnection } from './clients.js'

const redis = await withRedis()
afterAll(() => redis?.stop())

describe.skipIf(redis === undefined).each(REDIS_LIBRARIES)('stores in Redis, with $library', ({ open }) => {
  let connection: TestConnection
  const client = () => connection.client

  beforeAll(async () => {
    connection = await open(redis?.url ?? '')
  })
  afterAll(() => connection[Symbol.asyncDispose]())

  it.each([
    ['redisDedupeStore', redisDedupeStore],
    ['redisTokenStore', redisTokenStore],
    ['redisTokenLock', redisTokenLock],
  ])('%s has setup and prune, as every store', async (_name, make) => {
    const store = make(client())
    await store.setup()
    expect(await store.prune({ before: new Date() })).toBe(0)
  })

  describe('redisDedupeStore', () => {
    it('gives an event to exactly one of many concurrent claims', async () => {
      const stores = [redisDedupeStore(client()), redisDedupeStore(client())]
      const id = randomUUID()
      const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => stores[n % 2]?.claim(id, 60_000)))
      expect(claims.filter(Boolean)).toHaveLength(1)
    })

    it('lets only the owner release a claim, and nobody release a confirmed event', async () => {
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

    it('removes claims and confirmations when they expire', async () => {
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
      expect(await connection.send('PTTL', 'app:event')).toBeGreaterThan(50_000)
    })

    it('prevents that two receivers handle one event twice or lose it (§6)', async () => {
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
  })

  describe('redisTokenStore', () => {
    it('keeps values until they expire or are deleted', async () => {
      const [one, other] = [redisTokenStore(client()), redisTokenStore(client())]
      await one.set('a', 'first')
      await other.set('a', 'second', 60_000)
      await one.set('b', 'soon over', 10)
      await one.set('c', 'for ever')
      await sleep(30)
      expect([await one.get('a'), await other.get('b'), await other.get('c')]).toEqual([
        'second',
        undefined,
        'for ever',
      ])
      await other.delete('a')
      expect(await one.get('a')).toBeUndefined()
      expect(await connection.send('PTTL', 'pathology:token:c')).toBe(-1)
    })
  })

  describe('redisTokenLock', () => {
    it('is acquired by one of many, and released by its owner only', async () => {
      const locks = [redisTokenLock(client()), redisTokenLock(client())] as const
      const key = randomUUID()
      const acquired = await Promise.all(
        Array.from({ length: 30 }, (_, n) => locks[n % 2 === 0 ? 0 : 1].acquire(key, 60_000)),
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
