import type { LedgerEntryState } from '../../client/ledger/ledger-entries.js'
import { instant } from './table.js'

/**
 * Statements of the ledger. An entry is one row:
 *
 * - `token`: the claim that holds the entry, or held it last.
 * - `is_ended`: whether the claim has recorded an outcome.
 * - `ends_at`: the time of that outcome, or the end of the lease.
 * - `marks`: the marked requests, as `{ mark: { token, at } }` with the time in milliseconds since 1970.
 * - `senders`: the tokens that have marked a request, as `{ token: true }`. A token that recorded `not-placed` is
 * removed.
 * - `key_id`, `hash`: the fingerprint.
 * - `referrals`: the UUIDs of a placed order.
 *
 * A row with an empty key is not an entry. There are two kinds of such rows:
 *
 * - With an empty namespace, `ends_at` is the time since which the ledger has every order. `hash` is the timeline of
 * the database at the last `setup`.
 * - With any other namespace, `ends_at` is the time of the namespace's first claim.
 *
 * A promoted replica and a restore to a point in time have another timeline: the ledger may then lack orders. A
 * restored dump or disk snapshot can have the same timeline.
 *
 * All times come from `clock_timestamp()`. After a statement has waited for a row lock, its `now()` is too early.
 */
export const COLUMNS = `key text NOT NULL, namespace text NOT NULL, token text NOT NULL, is_ended boolean NOT NULL,
  ends_at timestamptz NOT NULL, marks jsonb NOT NULL, senders jsonb NOT NULL, key_id text NOT NULL, hash text NOT NULL,
  referrals jsonb, PRIMARY KEY (key, namespace)`

/** Condition of the entries whose order was not placed, or not yet. Few entries stay in this state. */
export const OPEN_ENTRIES = 'referrals IS NULL'

/** Maximum number of entries that one statement of `prune` deletes. */
export const PRUNE_BATCH = 2_000

/** Returns a time in milliseconds since 1970, exact with any `extra_float_digits`. */
const milliseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::numeric`

const NOW_MS = milliseconds('clock_timestamp()')

/** The timeline of the database: the first 8 characters in the name of its present WAL file. */
const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/**
 * A condition that is always true. The condition makes the commit wait for the disk, even if the database does not wait
 * by default.
 */
const IS_DURABLE = `set_config('synchronous_commit', CASE current_setting('synchronous_commit')
  WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) <> ''`

const leaseEnd = (parameter: string): string =>
  `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`

const IS_VOUCHED = 'coalesce((SELECT is_vouched FROM vouch), false)'

/** SQL condition: another token may claim the entry, if the entry has no referrals. */
const IS_OPEN = '(is_ended OR ends_at <= clock_timestamp())'

/** The entry's marks without the marks of the token in `$3`. */
const MARKS_OF_OTHERS = `(SELECT coalesce(jsonb_object_agg(made.mark, made.value), '{}')
  FROM jsonb_each(held.marks) AS made(mark, value) WHERE made.value ->> 'token' <> $3)`

/** Condition for an entry that can be deleted: its claim ended before a time, and no request has an unknown outcome. */
const isDeletable = (before: string): string =>
  `key <> '' AND ends_at < ${before} AND (referrals IS NOT NULL OR marks = '{}')`

const SENT_MS = `(SELECT coalesce(jsonb_agg(made.value -> 'at'), '[]') FROM jsonb_each(held.marks) AS made(mark, value))`

const LAST_SENT = `(SELECT to_timestamp(max((made.value ->> 'at')::double precision) / 1000)
  FROM jsonb_each(held.marks) AS made(mark, value))`

/** Conditions of the states in `list`. Each begins with the condition of an index. */
const STATES: Readonly<Record<LedgerEntryState, string>> = {
  placed: 'referrals IS NOT NULL',
  busy: `${OPEN_ENTRIES} AND NOT ${IS_OPEN}`,
  unknown: `${OPEN_ENTRIES} AND ${IS_OPEN} AND marks <> '{}'`,
  'not-placed': `${OPEN_ENTRIES} AND ${IS_OPEN} AND marks = '{}'`,
}

/** Parameters: `$1` namespace, `$2` key, `$3` token. */
const ENTRY = 'held.namespace = $1 AND held.key = $2'
const HELD = `${ENTRY} AND held.token = $3 AND NOT held.is_ended AND held.referrals IS NULL AND ${IS_DURABLE}`

const HAS_SENT = 'held.senders -> $3::text IS NOT NULL'

export type LedgerStatements = ReturnType<typeof ledgerStatements>

export function ledgerStatements(table: string) {
  const update = `UPDATE ${table} AS held SET`
  const before = `LEAST(${instant('$1')}, clock_timestamp())`
  return {
    timeline: `SELECT ${TIMELINE} AS found`,

    /** `$1` timeline. Records the timeline and the present time, unless the table already has this timeline. */
    begin: `INSERT INTO ${table} AS held (key, namespace, token, is_ended, ends_at, marks, senders, key_id, hash)
      VALUES ('', '', '', true, clock_timestamp(), '{}', '{}', '', $1)
      ON CONFLICT (key, namespace) DO UPDATE SET ends_at = clock_timestamp(), hash = excluded.hash
      WHERE held.hash <> excluded.hash RETURNING 1`,

    /**
     * `$4` lease, `$5` key id, `$6` hash, `$7` mark, `$8` since. Returns no row if another statement changed the entry
     * at the same time. The caller repeats the statement, which then sees the change.
     *
     * `vouch` decides whether the ledger has every order since `$8`, or since 24 hours ago if `$8` is NULL. `vouch`
     * first locks the row with the empty key and the empty namespace. So `prune` cannot delete the entry before the
     * statement reads the entry.
     *
     * `begun` records the time of the namespace's first claim. The ledger does not have earlier orders of this
     * namespace, such as orders from before a change of the ledger's `namespace` or of the client ID.
     */
    claim: `WITH begun AS (
        INSERT INTO ${table} (key, namespace, token, is_ended, ends_at, marks, senders, key_id, hash)
        SELECT '', $1, '', true, clock_timestamp(), '{}', '{}', '', '' FROM ${table} WHERE key = '' AND namespace = ''
        ON CONFLICT (key, namespace) DO NOTHING
      ), vouch AS MATERIALIZED (
        SELECT greatest(ends_at, coalesce((SELECT own.ends_at FROM ${table} AS own WHERE own.key = '' AND own.namespace = $1),
              'infinity')) <= coalesce(${instant('$8')}, clock_timestamp() - interval '24 hours')
          AND CASE WHEN hash = '' THEN true ELSE hash = ${TIMELINE} END AS is_vouched
        FROM ${table} WHERE key = '' AND namespace = '' FOR SHARE
      ), seen AS MATERIALIZED (
        SELECT *, referrals IS NULL AND CASE WHEN token = $3 THEN NOT is_ended ELSE ${IS_OPEN} END AS is_free
        FROM ${table} AS held WHERE ${ENTRY}
      ), taken AS (
        INSERT INTO ${table} AS held (namespace, key, token, is_ended, ends_at, marks, senders, key_id, hash)
        SELECT $1, $2, $3, false, ${leaseEnd('$4')}, CASE WHEN is_marked
            THEN jsonb_build_object($7::text, jsonb_build_object('token', $3::text, 'at', ${NOW_MS})) ELSE '{}' END,
          CASE WHEN is_marked THEN jsonb_build_object($3::text, true) ELSE '{}' END, $5, $6
        FROM (SELECT $7::text IS NOT NULL AND ${IS_VOUCHED} AS is_marked) AS given
        WHERE NOT EXISTS (SELECT FROM seen WHERE NOT is_free) AND ${IS_DURABLE}
        ON CONFLICT (key, namespace) DO UPDATE SET token = excluded.token, is_ended = false, ends_at = excluded.ends_at,
          marks = CASE WHEN held.marks = '{}' AND held.token <> $3 THEN excluded.marks ELSE held.marks END,
          senders = CASE WHEN held.marks = '{}' AND held.token <> $3 THEN held.senders || excluded.senders
            ELSE held.senders END,
          key_id = CASE WHEN held.marks = '{}' THEN excluded.key_id ELSE held.key_id END,
          hash = CASE WHEN held.marks = '{}' THEN excluded.hash ELSE held.hash END
        WHERE held.referrals IS NULL AND CASE WHEN held.token = $3 THEN NOT held.is_ended
          ELSE held.is_ended OR held.ends_at <= clock_timestamp() END
        RETURNING *
      )
      SELECT jsonb_build_object('isTaken', is_taken, 'token', token, 'marks', marks, 'referrals', referrals,
        'keyId', key_id, 'hash', hash, 'isVouched', CASE WHEN is_taken THEN ${IS_VOUCHED} ELSE false END, 'nowMs', ${NOW_MS}
      )::text AS found
      FROM (
        SELECT true AS is_taken, token, marks, referrals, key_id, hash FROM taken
        UNION ALL SELECT false, token, marks, referrals, key_id, hash FROM seen WHERE NOT is_free
      ) AS entry`,

    /** `$4` mark, `$5` replaced mark, `$6` lease. A mark that exists keeps its time. */
    mark: `${update} ends_at = ${leaseEnd('$6')}, senders = held.senders || jsonb_build_object($3::text, true),
      marks = jsonb_build_object($4::text, jsonb_build_object('token', $3::text, 'at', ${NOW_MS}))
        || CASE WHEN held.marks -> $5::text ->> 'token' = $3 THEN held.marks - $5::text ELSE held.marks END
      WHERE ${HELD} RETURNING 1`,

    /** `$4` mark. A token that no longer holds the entry can still remove its own marks. */
    unmark: `${update} marks = CASE WHEN held.marks -> $4::text ->> 'token' = $3
        THEN held.marks - $4::text ELSE held.marks END
      WHERE ${ENTRY} AND held.referrals IS NULL AND ((held.token = $3 AND NOT held.is_ended) OR ${HAS_SENT})
        AND ${IS_DURABLE} RETURNING 1`,

    /** `$4` lease. */
    renew: `${update} ends_at = ${leaseEnd('$4')} WHERE ${HELD} RETURNING 1`,

    /** `$4` referrals as JSON. Does not replace referrals that are already recorded. */
    recordPlaced: `${update} referrals = coalesce(held.referrals, $4::text::jsonb), is_ended = true,
        ends_at = CASE WHEN held.referrals IS NULL THEN clock_timestamp() ELSE held.ends_at END
      WHERE ${ENTRY} AND (held.token = $3 OR ${HAS_SENT}) AND ${IS_DURABLE} RETURNING 1`,

    /** Does not end the claim of another token. */
    recordNotPlaced: `${update} is_ended = held.is_ended OR held.token = $3,
        ends_at = CASE WHEN held.token = $3 THEN clock_timestamp() ELSE held.ends_at END,
        marks = ${MARKS_OF_OTHERS}, senders = held.senders - $3::text
      WHERE ${ENTRY} AND (held.token = $3 OR ${HAS_SENT}) AND held.referrals IS NULL AND ${IS_DURABLE} RETURNING 1`,

    recordUnknown: `${update} is_ended = true, ends_at = clock_timestamp()
      WHERE ${ENTRY} AND held.token = $3 AND held.referrals IS NULL AND ${IS_DURABLE} RETURNING 1`,

    /** `$3` referrals as JSON. Adds the referrals that the entry does not have. */
    resolvePlaced: `${update} is_ended = true, ends_at = clock_timestamp(),
        referrals = coalesce(held.referrals, '[]') || (
          SELECT coalesce(jsonb_agg(given.uuid ORDER BY given.position), '[]')
          FROM jsonb_array_elements($3::text::jsonb) WITH ORDINALITY AS given(uuid, position)
          WHERE NOT coalesce(held.referrals, '[]') @> given.uuid)
      WHERE ${ENTRY} AND ${IS_DURABLE} RETURNING 1`,

    resolveNotPlaced: `${update} is_ended = true, ends_at = clock_timestamp(), marks = '{}'
      WHERE ${ENTRY} AND held.referrals IS NULL AND ${IS_DURABLE} RETURNING 1`,

    /** `$1` key, `$2` namespace, `$3` time, `$4` limit; each of the first three can be NULL. */
    list(state: LedgerEntryState | undefined): string {
      const time = state === 'unknown' ? LAST_SENT : 'ends_at'
      return `SELECT jsonb_build_object('namespace', namespace, 'key', key, 'referrals', referrals, 'isEnded', is_ended,
          'endsMs', ${milliseconds('ends_at')}, 'sentMs', ${SENT_MS}, 'nowMs', ${NOW_MS}
        )::text AS found
        FROM ${table} AS held WHERE ${state === undefined ? 'true' : STATES[state]} AND key <> ''
          AND key = coalesce($1, key) AND namespace = coalesce($2, namespace)
          AND ($3::double precision IS NULL OR ${time} < ${instant('$3')})
        ORDER BY ${time} DESC LIMIT $4`
    },

    /** `$1` key. */
    namespaces: `SELECT namespace AS found FROM ${table} WHERE key = $1 AND key <> '' LIMIT 2`,

    /**
     * `$1` time. The ledger now has every order only since this time, or since a later time that is already stored.
     * Entries of earlier orders can then be deleted.
     */
    forget: `${update} ends_at = GREATEST(held.ends_at, ${before})
      WHERE held.key = '' AND held.namespace = '' AND ${IS_DURABLE} RETURNING 1`,

    /** `$1` time. */
    prune: `DELETE FROM ${table} WHERE ${isDeletable(before)} AND (key, namespace) IN (
        SELECT key, namespace FROM ${table} WHERE ${isDeletable(before)} LIMIT ${PRUNE_BATCH}) RETURNING 1`,
  }
}
