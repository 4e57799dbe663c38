import type { ReleaseTokenLock, TokenLock, TokenStore } from '../../client/auth/token-store.js'
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

/** A {@link TokenStore} in Redis. */
export interface RedisTokenStore extends TokenStore, StoreChores {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttl?: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** A {@link TokenLock} in Redis. */
export interface RedisTokenLock extends TokenLock, StoreChores {
  acquire(key: string, ttlMs: number): Promise<ReleaseTokenLock | undefined>
}

const GET = "return redis.call('GET', KEYS[1])"
const SET = "redis.call('SET', KEYS[1], ARGV[1]) return 1"
const SET_WITH_TTL = "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1"
const DELETE = "return redis.call('DEL', KEYS[1])"

/**
 * Creates a token store in Redis. Redis keys begin with `pathology:token:`, or with the option `prefix`. You connect
 * and close the client. Encrypt the tokens with `encryptedTokenStore`.
 *
 * Entries expire in Redis, so `prune()` has nothing to delete. If Redis loses an entry, the next process sends a token
 * request.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later.
 * @throws `ConfigurationError` for a client without `eval`, or an invalid option.
 */
export function redisTokenStore(
  client: IoRedisClient | NodeRedisClient,
  options: RedisStoreOptions = {},
): RedisTokenStore {
  const scripts = new StoreScripts(client, options, {
    owner: 'redisTokenStore',
    defaultPrefix: 'pathology:token:',
  })
  return {
    async get(key) {
      const value = await scripts.run(GET, key)
      return value === null || value === undefined ? undefined : String(value)
    },
    set: (key, value, ttl) =>
      ttl === undefined
        ? scripts.run(SET, key, value)
        : scripts.run(SET_WITH_TTL, key, value, milliseconds(ttl)),
    delete: (key) => scripts.run(DELETE, key),
    ...scripts.choresOfExpiring(),
  }
}

/**
 * Creates a token lock in Redis. The lock is a key that expires. Redis keys begin with `pathology:token-lock:`, or with
 * the option `prefix`. You connect and close the client.
 *
 * After a failover, Redis may grant one lock to two processes. Both then request a token, which does no harm.
 *
 * @param client - A client of ioredis, or of node-redis 4 or later.
 * @throws `ConfigurationError` for a client without `eval`, or an invalid option.
 */
export function redisTokenLock(
  client: IoRedisClient | NodeRedisClient,
  options: RedisStoreOptions = {},
): RedisTokenLock {
  const scripts = new StoreScripts(client, options, {
    owner: 'redisTokenLock',
    defaultPrefix: 'pathology:token-lock:',
  })
  return {
    async acquire(key, ttlMs) {
      const owner = globalThis.crypto.randomUUID()
      const isAcquired = await scripts.isDone(ACQUIRE, key, owner, milliseconds(ttlMs))
      return isAcquired ? () => scripts.run(RELEASE, key, owner) : undefined
    },
    ...scripts.choresOfExpiring(),
  }
}
