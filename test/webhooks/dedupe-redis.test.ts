import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'
import { type IoRedisClient, type NodeRedisClient, redisDedupe } from 'pathology-sdk/webhooks/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, RedisServer } from './redis-server.js'
import { deferred, deliveryOf, settled } from './support.js'
import { SECRET } from './vectors.js'

/** How each client library takes a script, over the same connection. */
const ioredisOver = (server: RedisServer): IoRedisClient => ({
  defineCommand: () => undefined,
  eval: (script, keyCount, ...rest) => server.send('EVAL', script, String(keyCount), ...rest),
})
const nodeRedisOver = (server: RedisServer): NodeRedisClient => ({
  eval: (script, options) =>
    server.send('EVAL', script, String(options.keys.length), ...options.keys, ...options.arguments),
})
const LIBRARIES = [
  ['ioredis', ioredisOver],
  ['node-redis', nodeRedisOver],
] as const

describe.skipIf(!hasRedis).each(LIBRARIES)('redisDedupe on a real Redis, by %s', (_name, clientOf) => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  it('gives an event to exactly one of many who claim it at once', async () => {
    const stores = [redisDedupe(clientOf(server)), redisDedupe(clientOf(server))]
    const id = randomUUID()
    const claims = await Promise.all(Array.from({ length: 30 }, (_, n) => stores[n % 2]?.claim(id, 60_000)))
    expect(claims.filter(Boolean)).toHaveLength(1)
  })

  it('lets only the owner release a claim, and nobody a confirmed event', async () => {
    const [mine, theirs] = [redisDedupe(clientOf(server)), redisDedupe(clientOf(server))]
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
    const store = redisDedupe(clientOf(server))
    const [claimed, confirmed] = [randomUUID(), randomUUID()]
    await store.claim(claimed, 10)
    await store.confirm(confirmed, 10.4)
    await sleep(30)
    expect([await store.claim(claimed, 1), await store.isConfirmed(confirmed)]).toEqual([true, false])
  })

  it('puts its prefix before every key', async () => {
    const store = redisDedupe(clientOf(server), { prefix: 'app:' })
    await store.claim('event', 60_000)
    expect(await server.send('EXISTS', 'app:event')).toBe(1)
    expect(await server.send('PTTL', 'app:event')).toBeGreaterThan(50_000)
  })

  it('keeps two receivers from handling one event twice, and from losing it (§6)', async () => {
    const work = deferred()
    const receiver = (handler: () => unknown) =>
      createWebhookReceiver({
        secret: SECRET,
        on: { '*': handler },
        onError: () => undefined,
        dedupe: redisDedupe(clientOf(server)),
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

describe('redisDedupe', () => {
  it('refuses what is no client', () => {
    // The types forbid it; plain JavaScript does not.
    expect(() => redisDedupe({} as NodeRedisClient)).toThrow(/ioredis or node-redis/)
  })
})
