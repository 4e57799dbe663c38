/**
 * De-duplication of webhook events in Postgres.
 *
 * @module pathology-sdk/postgres
 */

import { ConfigurationError } from '../common/configuration-error.js'
import { ownOptions } from '../common/known-options.js'
import type { DedupeStore } from '../webhooks/receiver/dedupe-store.js'

/** What is used of a pg `Pool` or `Client`; PGlite fits too. */
export interface PostgresClient {
  query(
    text: string,
    values: unknown[],
  ): Promise<{
    /** The rows that the statement gave. */
    readonly rows: readonly unknown[]
  }>
}

/** Options of {@link postgresDedupeStore}. */
export interface PostgresDedupeStoreOptions {
  /**
   * The table, with its schema if need be: lower-case letters, digits and underscores.
   * @defaultValue `'pathology_webhook_events'`
   */
  readonly table?: string | undefined
}

/** Remembers events in a Postgres table. */
export interface PostgresDedupe extends Required<DedupeStore> {
  /** Makes the table if it is not there; processes may do so at the same time. */
  setup(): Promise<void>
  /** Deletes what has expired; call it now and then, such as once a day. */
  prune(): Promise<void>
}

/**
 * Remembers events in Postgres, for all processes that share it. The pool stays yours. Call `setup()` once
 * before the first delivery, and `prune()` now and then.
 *
 * A claim belongs to the store that made it: another process never releases it.
 *
 * @param client - A pg `Pool`, or whatever has its `query`.
 * @throws `ConfigurationError` when the client has no `query`, or the table's name is not plain.
 */
export function postgresDedupeStore(
  client: PostgresClient,
  options: PostgresDedupeStoreOptions = {},
): PostgresDedupe {
  const { table = 'pathology_webhook_events' } = ownOptions('postgresDedupeStore', options)
  if (typeof client?.query !== 'function') {
    throw new ConfigurationError(
      'postgresDedupeStore: the client must have a query function, as a pg Pool has',
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

/** The names of a table and its index go into the text as they are, so they must be plain. */
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
    // The lock: CREATE TABLE IF NOT EXISTS fails when two sessions run it at the same moment.
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
