/**
 * Stores in Postgres, for all processes that share a database.
 *
 * @module pathology-sdk/postgres
 */

export type { PruneOptions, StoreChores } from './chores.js'
export { type PostgresDedupeStore, postgresDedupeStore } from './postgres/dedupe-store.js'
export {
  type PostgresLedgerOptions,
  type PostgresOrderLedger,
  postgresOrderLedger,
} from './postgres/order-ledger.js'
export type { PostgresClient, PostgresStoreOptions } from './postgres/table.js'
export {
  type PostgresTokenLock,
  type PostgresTokenStore,
  postgresTokenLock,
  postgresTokenStore,
} from './postgres/token-store.js'
