/**
 * A store of handled webhook events in Postgres.
 *
 * @module pathology-sdk/postgres
 */

import { ConfigurationError } from '../common/configuration-error.js'
import { ownOptions } from '../common/known-options.js'
import type { DedupeStore } from '../webhooks/receiver/dedupe-store.js'

/** The used part of a pg `Pool` or `Client`. PGlite has it too. */
export interface PostgresClient {
  query(
    text: string,
    values: unknown[],
  ): Promise<{
    /** The returned rows. */
    readonly rows: readonly unknown[]
  }>
}

/** Options of {@link postgresDedupeStore}. */
export interface PostgresDedupeStoreOptions {
  /**
   * Name of the table, optionally with its schema: lower-case letters, digits and underscores.
   * @defaultValue `'pathology_webhook_events'`
   */
  readonly table?: string | undefined
}

/** A {@link DedupeStore} in a Postgres table. */
export interface PostgresDedupe extends Required<DedupeStore> {
  /** Creates the table if it does not exist. Several processes may call it at the same time. */
  setup(): Promise<void>
  /** Deletes expired events. Call it regularly, for example once a day. */
  prune(): Promise<void>
}

/**
 * Creates a store in Postgres, for all processes that share the database. You open and close the pool. Call `setup()` once
 * before the first delivery, and `prune()` regularly.
 *
 * Only the store that made a claim can release it, so another process never does.
 *
 * @param client - A pg `Pool`, or an object with its `query`.
 * @throws `ConfigurationError` if the client has no `query`, or the table's name is invalid.
 */
export function postgresDedupeStore(
  client: PostgresClient,
  options: PostgresDedupeStoreOptions = {},
): PostgresDedupe {
  const { table = 'pathology_webhook_events' } = ownOptions('postgresDedupeStore', options)
  if (typeof client?.query !== 'function') {
    throw new ConfigurationError(
      'postgresDedupeStore: the client must have a query function, such as a pg Pool',
    )
  }
  const sql = statements(table)
  const owner = globalThis.crypto.randomUUID()
  const rowCount = async (text: string, values: unknown[]): Promise<number> =>
    (await client.query(text, values)).rows.length
  return {
    claim: async (eventUuid, ttlMs) => (await rowCount(sql.claim, [eventUuid, owner, ttlMs])) === 1,
    release: (eventUuid) => rowCount(sql.release, [eventUuid, owner]),
    confirm: (eventUuid, ttlMs) => rowCount(sql.confirm, [eventUuid, owner, ttlMs]),
    isConfirmed: async (eventUuid) => (await rowCount(sql.isConfirmed, [eventUuid])) === 1,
    setup: async () => void (await client.query(sql.setup, [])),
    prune: async () => void (await client.query(sql.prune, [])),
  }
}

const PLAIN_NAME = /^[a-z_][a-z0-9_]{0,47}(\.[a-z_][a-z0-9_]{0,47})?$/

/** The table's name becomes part of the SQL text, so only plain names are permitted. */
function statements(
  table: string,
): Record<'setup' | 'claim' | 'release' | 'confirm' | 'isConfirmed' | 'prune', string> {
  if (!PLAIN_NAME.test(table)) {
    throw new ConfigurationError(
      'postgresDedupeStore: table must be a plain name in lower case, or schema.name',
    )
  }
  const index = `${table.split('.').at(-1)}_expires_at`
  const expiry = `now() + $3::double precision * interval '1 millisecond'`
  return {
    // With a lock, because simultaneous CREATE TABLE IF NOT EXISTS statements can fail.
    setup: `DO $$ BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('${table}'));
      CREATE TABLE IF NOT EXISTS ${table} (
        event_uuid text PRIMARY KEY, owner text NOT NULL, confirmed boolean NOT NULL, expires_at timestamptz NOT NULL
      );
      CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at);
    END $$`,
    claim: `INSERT INTO ${table} AS held (event_uuid, owner, confirmed, expires_at) VALUES ($1, $2, false, ${expiry})
      ON CONFLICT (event_uuid) DO UPDATE SET owner = excluded.owner, confirmed = false, expires_at = excluded.expires_at
      WHERE held.expires_at <= now() RETURNING 1`,
    release: `DELETE FROM ${table} WHERE event_uuid = $1 AND owner = $2 AND NOT confirmed RETURNING 1`,
    confirm: `INSERT INTO ${table} (event_uuid, owner, confirmed, expires_at) VALUES ($1, $2, true, ${expiry})
      ON CONFLICT (event_uuid) DO UPDATE SET confirmed = true, expires_at = excluded.expires_at RETURNING 1`,
    isConfirmed: `SELECT 1 FROM ${table} WHERE event_uuid = $1 AND confirmed AND expires_at > now()`,
    prune: `DELETE FROM ${table} WHERE expires_at <= now()`,
  }
}
