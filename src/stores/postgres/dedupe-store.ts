import type { DedupeStore } from '../../webhooks/receiver/dedupe-store.js'
import type { StoreChores } from '../chores.js'
import { type PostgresClient, type PostgresStoreOptions, StoreTable, timeAfter } from './table.js'

/** A {@link DedupeStore} in a Postgres table. */
export interface PostgresDedupeStore extends Required<DedupeStore>, StoreChores {}

/**
 * Creates a store of handled webhook events in a Postgres table: `pathology_webhook_events`, or the table in the option
 * `table`. You open and close the pool. Call `setup()` once before the first delivery, and `prune()` regularly.
 *
 * Only the store object that made a claim can release the claim.
 *
 * @param client - A pg `Pool`, or another object with a `query` function like that of a `Pool`.
 * @throws `ConfigurationError` if the client has no `query`, or an option is invalid.
 */
export function postgresDedupeStore(
  client: PostgresClient,
  options: PostgresStoreOptions = {},
): PostgresDedupeStore {
  const table = new StoreTable(client, options, {
    owner: 'postgresDedupeStore',
    defaultName: 'pathology_webhook_events',
    columns:
      'event_uuid text PRIMARY KEY, owner text NOT NULL, confirmed boolean NOT NULL, expires_at timestamptz NOT NULL',
    endColumn: 'expires_at',
    comment: 'Handled webhook events of pathology-sdk, by UUID. No health data.',
  })
  const sql = statements(table.name)
  const owner = globalThis.crypto.randomUUID()
  return {
    claim: async (eventUuid, ttlMs) => (await table.count(sql.claim, eventUuid, owner, ttlMs)) === 1,
    release: (eventUuid) => table.count(sql.release, eventUuid, owner),
    confirm: (eventUuid, ttlMs) => table.count(sql.confirm, eventUuid, owner, ttlMs),
    isConfirmed: async (eventUuid) => (await table.count(sql.isConfirmed, eventUuid)) === 1,
    ...table.choresOfExpiring(),
  }
}

function statements(table: string): Record<'claim' | 'release' | 'confirm' | 'isConfirmed', string> {
  const columns = '(event_uuid, owner, confirmed, expires_at)'
  return {
    claim: `INSERT INTO ${table} AS held ${columns} VALUES ($1, $2, false, ${timeAfter('$3')})
      ON CONFLICT (event_uuid) DO UPDATE SET owner = excluded.owner, confirmed = false, expires_at = excluded.expires_at
      WHERE held.expires_at <= now() RETURNING 1`,
    release: `DELETE FROM ${table} WHERE event_uuid = $1 AND owner = $2 AND NOT confirmed RETURNING 1`,
    confirm: `INSERT INTO ${table} ${columns} VALUES ($1, $2, true, ${timeAfter('$3')})
      ON CONFLICT (event_uuid) DO UPDATE SET confirmed = true, expires_at = excluded.expires_at RETURNING 1`,
    isConfirmed: `SELECT 1 FROM ${table} WHERE event_uuid = $1 AND confirmed AND expires_at > now()`,
  }
}
