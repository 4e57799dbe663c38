import type { ReleaseTokenLock, TokenLock, TokenStore } from '../../client/auth/token-store.js'
import type { StoreChores } from '../chores.js'
import { type PostgresClient, type PostgresStoreOptions, StoreTable, timeAfter } from './table.js'

/** A {@link TokenStore} in a Postgres table. */
export interface PostgresTokenStore extends TokenStore, StoreChores {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttl?: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** A {@link TokenLock} in a Postgres table. */
export interface PostgresTokenLock extends TokenLock, StoreChores {
  acquire(key: string, ttlMs: number): Promise<ReleaseTokenLock | undefined>
}

const TOKEN_STORE = {
  owner: 'postgresTokenStore',
  defaultName: 'pathology_tokens',
  columns: 'key text PRIMARY KEY, value text NOT NULL, expires_at timestamptz NOT NULL',
  endColumn: 'expires_at',
  comment:
    'Access tokens of pathology-sdk: secrets, encrypted only with encryptedTokenStore. No health data.',
}

const TOKEN_LOCK = {
  owner: 'postgresTokenLock',
  defaultName: 'pathology_token_locks',
  columns: 'key text PRIMARY KEY, owner text NOT NULL, expires_at timestamptz NOT NULL',
  endColumn: 'expires_at',
  comment: 'Locks of token requests by pathology-sdk. No secrets, no health data.',
}

/**
 * Creates a token store in a Postgres table: `pathology_tokens`, or the table in the option `table`. You open and close
 * the pool. Call `setup()` once before the first use, and `prune()` regularly. Encrypt the tokens with
 * `encryptedTokenStore`.
 *
 * @param client - A pg `Pool`, or another object with a `query` function like that of a `Pool`.
 * @throws `ConfigurationError` if the client has no `query`, or an option is invalid.
 */
export function postgresTokenStore(
  client: PostgresClient,
  options: PostgresStoreOptions = {},
): PostgresTokenStore {
  const table = new StoreTable(client, options, TOKEN_STORE)
  return {
    async get(key) {
      const [row] = await table.rows(
        `SELECT value FROM ${table.name} WHERE key = $1 AND expires_at > now()`,
        key,
      )
      const value: unknown = row === undefined ? undefined : Reflect.get(Object(row), 'value')
      return typeof value === 'string' ? value : undefined
    },
    set: (key, value, ttl) =>
      table.count(
        `INSERT INTO ${table.name} (key, value, expires_at)
          VALUES ($1, $2, CASE WHEN $3::double precision IS NULL THEN 'infinity' ELSE ${timeAfter('$3')} END)
          ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
        key,
        value,
        ttl ?? null,
      ),
    delete: (key) => table.count(`DELETE FROM ${table.name} WHERE key = $1`, key),
    ...table.choresOfExpiring(),
  }
}

/**
 * Creates a token lock in a Postgres table: `pathology_token_locks`, or the table in the option `table`. You open and
 * close the pool. Call `setup()` once before the first use.
 *
 * The lock is a row that expires. Unlike an advisory lock, a row needs no separate connection, and works through a
 * connection pooler.
 *
 * @param client - A pg `Pool`, or another object with a `query` function like that of a `Pool`.
 * @throws `ConfigurationError` if the client has no `query`, or an option is invalid.
 */
export function postgresTokenLock(
  client: PostgresClient,
  options: PostgresStoreOptions = {},
): PostgresTokenLock {
  const table = new StoreTable(client, options, TOKEN_LOCK)
  const acquire = `INSERT INTO ${table.name} AS held (key, owner, expires_at) VALUES ($1, $2, ${timeAfter('$3')})
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
    WHERE held.expires_at <= now() RETURNING 1`
  const release = `DELETE FROM ${table.name} WHERE key = $1 AND owner = $2`
  return {
    async acquire(key, ttlMs) {
      const owner = globalThis.crypto.randomUUID()
      const isAcquired = (await table.count(acquire, key, owner, ttlMs)) === 1
      return isAcquired ? () => table.count(release, key, owner) : undefined
    },
    ...table.choresOfExpiring(),
  }
}
