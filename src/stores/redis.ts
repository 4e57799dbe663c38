/**
 * A store of handled webhook events in Redis.
 *
 * @module pathology-sdk/redis
 */

import { ConfigurationError } from '../common/configuration-error.js'
import { ownOptions } from '../common/known-options.js'
import type { DedupeStore } from '../webhooks/receiver/dedupe-store.js'

/** The used part of an ioredis client (`new Redis()` or `new Cluster()`). */
export interface IoRedisClient {
  defineCommand(name: string, definition: { lua: string }): unknown
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** The used part of a node-redis client, version 4 or later (`createClient()` or `createCluster()`). */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Options of {@link redisDedupeStore}. */
export interface RedisDedupeStoreOptions {
  /**
   * Prefix of every key.
   * @defaultValue `'pathology:webhook:'`
   */
  readonly prefix?: string | undefined
}

/** Each script uses one key, so that it also runs on a cluster, in one round trip. */
const SCRIPTS = {
  claim: "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end return 0",
  release: "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0",
  confirm: "redis.call('SET', KEYS[1], 'confirmed', 'PX', ARGV[1]) return 1",
  isConfirmed: "if redis.call('GET', KEYS[1]) == 'confirmed' then return 1 end return 0",
} as const

/**
 * Creates a store in Redis, for all processes that share it. You connect and close the client.
 *
 * An event takes one small key with a time to live. Only the store that made a claim can release it, so another process
 * never does. If Redis loses a key (eviction, failover), the event can be handled again.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later.
 * @throws `ConfigurationError` for any other client.
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
    const reply = isIoRedis(client)
      ? await client.eval(SCRIPTS[script], 1, key, ...args)
      : await client.eval(SCRIPTS[script], { keys: [key], arguments: args })
    return Number(reply) === 1
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

/** Redis accepts only positive integers. */
function milliseconds(ttlMs: number): string {
  return String(Math.max(1, Math.ceil(ttlMs)))
}
