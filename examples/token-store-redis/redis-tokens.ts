import type { TokenLock, TokenStore } from 'pathology-sdk'
import type { RedisClientType } from 'redis'

/** Stores tokens in Redis. You connect and close the client. */
export function redisTokenStore(redis: RedisClientType): TokenStore {
  return {
    get: (key) => redis.get(key),
    set: (key, value, ttl = 1) => redis.set(key, value, { expiration: { type: 'PX', value: ttl } }),
    delete: (key) => redis.del(key),
  }
}

/** Deletes the lock only if the caller still owns it. After its time to live, another process may own it. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

/** Lets one process at a time request tokens. */
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
