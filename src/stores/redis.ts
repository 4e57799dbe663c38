/**
 * De-duplication of webhook events in Redis.
 *
 * @module pathology-sdk/redis
 */

import { ConfigurationError } from '../common/configuration-error.js'
import { ownOptions } from '../common/known-options.js'
import type { DedupeStore } from '../webhooks/receiver/dedupe-store.js'

/** What is used of an ioredis client (`new Redis()` or `new Cluster()`). */
export interface IoRedisClient {
  defineCommand(name: string, definition: { lua: string }): unknown
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** What is used of a node-redis client, version 4 or later (`createClient()` or `createCluster()`). */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Options of {@link redisDedupeStore}. */
export interface RedisDedupeStoreOptions {
  /**
   * What every key begins with.
   * @defaultValue `'pathology:webhook:'`
   */
  readonly prefix?: string | undefined
}

/** One key a script, so that they run on a cluster too; one round trip each. */
const SCRIPTS = {
  claim: "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end return 0",
  release: "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0",
  confirm: "redis.call('SET', KEYS[1], 'confirmed', 'PX', ARGV[1]) return 1",
  isConfirmed: "if redis.call('GET', KEYS[1]) == 'confirmed' then return 1 end return 0",
} as const

/**
 * Remembers events in Redis, for all processes that share it. The client stays yours: connect it before and
 * close it afterwards.
 *
 * An event takes one small key, which expires by itself. A claim belongs to the store that made it: another
 * process never releases it. Redis that loses keys (eviction, failover) lets an event through once more.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later.
 * @throws `ConfigurationError` when the client is neither.
 */
export function redisDedupeStore(
  client: IoRedisClient | NodeRedisClient,
  options: RedisDedupeStoreOptions = {},
): Required<DedupeStore> {
  const { prefix = 'pathology:webhook:' } = ownOptions('redisDedupeStore', options)
  if (typeof client?.eval !== 'function') {
    throw new ConfigurationError('redisDedupeStore: the client must be one of ioredis or node-redis')
  }
  const owner = `claimed:${globalThis.crypto.randomUUID()}`
  const run = async (
    script: keyof typeof SCRIPTS,
    eventUuid: string,
    ...args: string[]
  ): Promise<boolean> => {
    const key = `${prefix}${eventUuid}`
    const answer = isIoRedis(client)
      ? await client.eval(SCRIPTS[script], 1, key, ...args)
      : await client.eval(SCRIPTS[script], { keys: [key], arguments: args })
    return Number(answer) === 1
  }
  return {
    claim: (eventUuid, ttlMs) => run('claim', eventUuid, owner, milliseconds(ttlMs)),
    release: (eventUuid) => run('release', eventUuid, owner),
    confirm: (eventUuid, ttlMs) => run('confirm', eventUuid, milliseconds(ttlMs)),
    isConfirmed: (eventUuid) => run('isConfirmed', eventUuid),
  }
}

function isIoRedis(client: IoRedisClient | NodeRedisClient): client is IoRedisClient {
  return 'defineCommand' in client
}

/** Redis takes whole milliseconds above zero. */
function milliseconds(ttlMs: number): string {
  return String(Math.max(1, Math.ceil(ttlMs)))
}
