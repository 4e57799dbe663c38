/**
 * Stores in Redis, for all processes that share a server or a cluster.
 *
 * @module pathology-sdk/redis
 */

export type { PruneOptions, StoreChores } from './chores.js'
export { type RedisDedupeStore, redisDedupeStore } from './redis/dedupe-store.js'
export { type RedisLedgerOptions, type RedisOrderLedger, redisOrderLedger } from './redis/order-ledger.js'
export type { IoRedisClient, NodeRedisClient, RedisStoreOptions } from './redis/scripts.js'
export {
  type RedisTokenLock,
  type RedisTokenStore,
  redisTokenLock,
  redisTokenStore,
} from './redis/token-store.js'
