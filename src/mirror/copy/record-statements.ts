import type { Queryable } from '../../database/database.js'
import { isoTime } from '../../database/values.js'
import type { NewChange } from '../changes/append.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { textField, timeField } from './digest.js'
import { RECORD_TABLES, type RecordKind, type RecordRead } from './record-kinds.js'

/** The stored copy of a record. If the copy does not have the record, each field that can be `null` is `null`. */
export interface StoredRow {
  readonly uuid: string
  readonly group: string | null
  readonly status: string | null
  readonly updatedAt: string | null
  readonly deletedAt: string | null
  readonly isGone: boolean
  /** `true` when a sweep looked up the record after the stored read and did not find it. */
  readonly isMissing: boolean
  readonly digest: string | null
  readonly readBy: string | null
  readonly isStartedLater: boolean
  readonly isErased: boolean
}

// With a limit, the copy of each record is found by its key, however large Postgres thinks the table is.
const load = (kind: RecordKind): string => `/* prepared */
SELECT wanted.uuid, row.group_key AS "group", row.status, ${isoTime('row.updated_at')} AS "updatedAt",
  ${isoTime('row.deleted_at')} AS "deletedAt", row.gone_at IS NOT NULL AS "isGone", row.missing_at IS NOT NULL AS "isMissing", row.digest, row.read_by AS "readBy",
  COALESCE(row.read_at < wanted.read_at, true) AS "isStartedLater",
  EXISTS (SELECT 1 FROM {schema}.erased AS erased WHERE erased.organisation = $1
    AND (erased.uuid = wanted.uuid OR erased.group_key = wanted.group_key)) AS "isErased"
FROM json_to_recordset($2::json) AS wanted (uuid text, group_key text, read_at timestamptz)
LEFT JOIN LATERAL (
  SELECT * FROM {schema}.${kind} AS record WHERE record.organisation = $1 AND record.uuid = wanted.uuid LIMIT 1
) AS row ON true`

const LOAD = { referral: load('referral'), result: load('result') } as const

/** Columns of every record. A stored group never changes. A new read clears `gone_at`. */
const COMMON = {
  uuid: 'text',
  group_key: 'text',
  status: 'text',
  has_attachment: 'boolean',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  deleted_at: 'timestamptz',
  body: 'jsonb',
  digest: 'text',
  read_at: 'timestamptz',
  read_by: 'text',
} as const

/**
 * Returns the statement that stores records. Postgres parses `jsonb` once; with `json`, it would parse each body
 * again.
 */
function upsert(kind: RecordKind): string {
  const columns = { ...COMMON, ...RECORD_TABLES[kind].columns }
  const names = Object.keys(columns)
  const updated = names.filter((name) => name !== 'uuid' && name !== 'group_key')
  return `/* prepared */
INSERT INTO {schema}.${kind} (organisation, ${names.join(', ')})
SELECT $1, ${names.map((name) => `row.${name}`).join(', ')}
FROM jsonb_to_recordset($2::jsonb) AS row (${Object.entries(columns)
    .map((column) => column.join(' '))
    .join(', ')})
ORDER BY row.uuid
ON CONFLICT (organisation, uuid) DO UPDATE SET
  ${updated.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}, gone_at = NULL,
  missing_at = NULL, stored_at = now()`
}

const UPSERT = { referral: upsert('referral'), result: upsert('result') } as const

/** Reads the stored copies of records by UUID. To store the records afterwards, `tx` must hold their locks. */
export async function loadRecords(
  tx: Queryable,
  organisation: string,
  kind: RecordKind,
  reads: readonly RecordRead[],
): Promise<ReadonlyMap<string, StoredRow>> {
  const wanted = reads.map(({ uuid, group, readAt }) => ({ uuid, group_key: group, read_at: readAt }))
  const { rows } = await tx.query<StoredRow>(LOAD[kind], [organisation, JSON.stringify(wanted)])
  return new Map(rows.map((row) => [row.uuid, row]))
}

/** Inserts or replaces records, in the order of their UUIDs. */
export async function upsertRecords(
  tx: MirrorTransaction,
  organisation: string,
  kind: RecordKind,
  reads: readonly RecordRead[],
): Promise<void> {
  if (reads.length === 0) return
  await tx.query(UPSERT[kind], [organisation, `[${reads.map(rowOf).join(',')}]`])
}

/** Converts a read to the JSON of a row. The body is inserted as text, because it is already JSON. */
function rowOf({ kind, uuid, group, prepared, updatedAt, readAt, by }: RecordRead): string {
  const { body, json, digest, hasAttachment } = prepared
  const columns = {
    ...RECORD_TABLES[kind].values(body),
    uuid,
    group_key: group,
    status: textField(body, 'status'),
    has_attachment: hasAttachment,
    created_at: timeField(body, 'createdAt'),
    updated_at: updatedAt,
    deleted_at: timeField(body, 'deletedAt'),
    digest,
    read_at: readAt,
    read_by: by,
  }
  return `${JSON.stringify(columns).slice(0, -1)},"body":${json}}`
}

const MARK_GONE = (kind: RecordKind): string => `
UPDATE {schema}.${kind} SET gone_at = now(), read_at = GREATEST(read_at, $3::timestamptz)
WHERE organisation = $1 AND uuid = $2 AND gone_at IS NULL AND read_at < $3::timestamptz
  AND (missing_at = $4::timestamptz OR $4::timestamptz IS NULL)
RETURNING group_key AS "group", status, ${isoTime('updated_at')} AS "updatedAt"`

/**
 * Marks a record as gone, and returns the change. Returns `undefined`, and changes nothing, in these cases:
 * - The copy does not have the record, or has already marked the record.
 * - The copy has the record from a later read.
 * - The mark `missing` is not from `missingAt`.
 *
 * @param readAt - Time of the read that did not find the record.
 * @param missingAt - Time of the mark `missing` that the record must still have. A sweep marks a record only if it was
 * not found again in the meantime.
 */
export async function markGone(
  tx: MirrorTransaction,
  { organisation, kind, uuid, source }: Pick<RecordRead, 'organisation' | 'kind' | 'uuid' | 'source'>,
  readAt: string,
  missingAt?: string,
): Promise<NewChange | undefined> {
  const values = [organisation, uuid, readAt, missingAt ?? null]
  const { rows } = await tx.query<Pick<NewChange, 'group' | 'updatedAt'> & { status: string | null }>(
    MARK_GONE(kind),
    values,
  )
  const [row] = rows
  if (row === undefined) return undefined
  const { group, status, updatedAt } = row
  const change = {
    organisation,
    kind,
    uuid,
    group,
    action: 'gone',
    source,
    recovered: false,
    updatedAt,
  } as const
  return { ...change, statusBefore: status, statusAfter: status }
}

const FOUND = (kind: RecordKind): string =>
  `UPDATE {schema}.${kind} SET missing_at = NULL WHERE organisation = $1 AND uuid = ANY($2::text[])`

const MISSING = (kind: RecordKind): string => `
UPDATE {schema}.${kind} SET missing_at = now()
WHERE organisation = $1 AND uuid = $2 AND gone_at IS NULL AND read_at < $3::timestamptz`

/** Removes the mark `missing` from records that an earlier sweep did not find. */
export async function markFound(
  tx: MirrorTransaction,
  organisation: string,
  kind: RecordKind,
  uuids: readonly string[],
): Promise<void> {
  if (uuids.length > 0) await tx.query(FOUND(kind), [organisation, uuids])
}

/**
 * Marks as missing a record that a sweep did not find. At its end, the sweep marks missing records as gone, unless they
 * are too many.
 */
export async function markMissing(
  tx: MirrorTransaction,
  organisation: string,
  kind: RecordKind,
  uuid: string,
  readAt: string,
): Promise<void> {
  await tx.query(MISSING(kind), [organisation, uuid, readAt])
}

/** Counts one case in which the service returned an old state of a record at every attempt. */
export async function countStale(
  tx: MirrorTransaction,
  { organisation, kind, uuid }: Pick<RecordRead, 'organisation' | 'kind' | 'uuid'>,
): Promise<void> {
  const text = `UPDATE {schema}.${kind} SET stale_reads = stale_reads + 1 WHERE organisation = $1 AND uuid = $2`
  await tx.query(text, [organisation, uuid])
}
