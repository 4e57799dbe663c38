import type { TokenLock, TokenStore } from 'pathology-sdk'
import type { Pool } from 'pg'

const SQL = {
  create: `CREATE TABLE IF NOT EXISTS pathology_tokens
    (key text PRIMARY KEY, value text NOT NULL, expires_at timestamptz NOT NULL)`,
  get: 'SELECT value FROM pathology_tokens WHERE key = $1 AND expires_at > now()',
  set: `INSERT INTO pathology_tokens VALUES ($1, $2, now() + $3 * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
  delete: 'DELETE FROM pathology_tokens WHERE key = $1',
  acquire: `INSERT INTO pathology_tokens AS held VALUES ($1, $2, now() + $3 * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
    WHERE held.expires_at <= now()`,
  release: 'DELETE FROM pathology_tokens WHERE key = $1 AND value = $2',
} as const

/** Creates the table. Call it once, in a migration, because simultaneous calls can fail. */
export async function createTokenTable(pool: Pool): Promise<void> {
  await pool.query(SQL.create)
}

/** Stores tokens in a table. You open and close the pool. */
export function postgresTokenStore(pool: Pool): TokenStore {
  return {
    async get(key) {
      const { rows } = await pool.query<{ value: string }>(SQL.get, [key])
      return rows[0]?.value
    },
    set: (key, value, ttl = 1) => pool.query(SQL.set, [key, value, ttl]),
    delete: (key) => pool.query(SQL.delete, [key]),
  }
}

/**
 * Lets one process at a time request tokens. It uses a row with an expiry time instead of an advisory lock: the row needs no
 * dedicated connection, works with a connection pooler, and expires automatically.
 */
export function postgresTokenLock(pool: Pool): TokenLock {
  return {
    async acquire(key, ttlMs) {
      const owner = crypto.randomUUID()
      const { rowCount } = await pool.query(SQL.acquire, [key, owner, ttlMs])
      return rowCount === 1 ? () => pool.query(SQL.release, [key, owner]) : undefined
    },
  }
}
