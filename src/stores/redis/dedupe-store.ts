import type { DedupeStore } from '../../webhooks/receiver/dedupe-store.js'
import type { StoreChores } from '../chores.js'
import {
  ACQUIRE,
  type IoRedisClient,
  milliseconds,
  type NodeRedisClient,
  RELEASE,
  type RedisStoreOptions,
  StoreScripts,
} from './scripts.js'

/** A {@link DedupeStore} in Redis. */
export interface RedisDedupeStore extends Required<DedupeStore>, StoreChores {}

const CONFIRM = "redis.call('SET', KEYS[1], 'confirmed', 'PX', ARGV[1]) return 1"
const IS_CONFIRMED = "if redis.call('GET', KEYS[1]) == 'confirmed' then return 1 end return 0"

/**
 * Creates a store of handled webhook events in Redis, for all processes that share a server. Redis keys begin with
 * `pathology:webhook:`, or with the option `prefix`. You connect and close the client.
 *
 * Each event takes one small key with a time to live, so `prune()` has nothing to delete. Only the store object that
 * made a claim can release the claim. If Redis loses a key by eviction or a failover, the event can be handled again.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later.
 * @throws `ConfigurationError` for a client without `eval`, or an invalid option.
 */
export function redisDedupeStore(
  client: IoRedisClient | NodeRedisClient,
  options: RedisStoreOptions = {},
): RedisDedupeStore {
  const scripts = new StoreScripts(client, options, {
    owner: 'redisDedupeStore',
    defaultPrefix: 'pathology:webhook:',
  })
  const owner = `claimed:${globalThis.crypto.randomUUID()}`
  return {
    claim: (eventUuid, ttlMs) => scripts.isDone(ACQUIRE, eventUuid, owner, milliseconds(ttlMs)),
    release: (eventUuid) => scripts.run(RELEASE, eventUuid, owner),
    confirm: (eventUuid, ttlMs) => scripts.run(CONFIRM, eventUuid, milliseconds(ttlMs)),
    isConfirmed: (eventUuid) => scripts.isDone(IS_CONFIRMED, eventUuid),
    ...scripts.choresOfExpiring(),
  }
}
