import type { TokenLock, TokenStore } from 'pathology-sdk'
import type { RedisClientType } from 'redis'

/** Keeps tokens in Redis. The client stays yours. */
export function redisTokenStore(redis: RedisClientType): TokenStore {
  return {
    get: (key) => redis.get(key),
    set: (key, value, ttl = 1) => redis.set(key, value, { expiration: { type: 'PX', value: ttl } }),
    delete: (key) => redis.del(key),
  }
}

/** Deletes the lock only if it is still the caller's: its time may have run out, and another hold it. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

/** One process at a time gets tokens. */
export function redisTokenLock(redis: RedisClientType): TokenLock {
  return {
    async acquire(key, ttlMs) {
      const owner = crypto.randomUUID()
      const taken = await redis.set(key, owner, {
        condition: 'NX',
        expiration: { type: 'PX', value: ttlMs },
      })
      return taken === null ? undefined : () => redis.eval(RELEASE, { keys: [key], arguments: [owner] })
    },
  }
}
