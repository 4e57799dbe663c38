import type { Queryable } from '../../database/database.js'
import { isoTime } from '../../database/values.js'
import type { NewChange } from '../changes/append.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { booleanField, type PreparedRecord, textField, timeField, uuidField } from './digest.js'
import type { RecordKind, RecordRead } from './record-kinds.js'

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

/**
 * Loads the stored copies of records ($2) of an organisation ($1), and whether they were erased. With a limit, each is
 * found by its key, however large Postgres thinks the table is.
 */
const LOAD = (kind: RecordKind): string => `/* prepared */
SELECT wanted.uuid, row.group_key AS "group", row.status, ${isoTime('row.updated_at')} AS "updatedAt",
  ${isoTime('row.deleted_at')} AS "deletedAt", row.gone_at IS NOT NULL AS "isGone",
  row.missing_at IS NOT NULL AS "isMissing", row.digest, row.read_by AS "readBy",
  COALESCE(row.read_at < wanted.read_at, true) AS "isStartedLater",
  EXISTS (SELECT 1 FROM {schema}.erased AS erased WHERE erased.organisation = $1
    AND (erased.uuid = wanted.uuid OR erased.group_key = wanted.group_key)) AS "isErased"
FROM json_to_recordset($2::json) AS wanted (uuid text, group_key text, read_at timestamptz)
LEFT JOIN LATERAL (
  SELECT * FROM {schema}.${kind} AS record WHERE record.organisation = $1 AND record.uuid = wanted.uuid LIMIT 1
) AS row ON true`

/**
 * Inserts or replaces referrals ($2) of an organisation ($1). A stored group never changes. A new read clears `gone_at`.
 * Postgres parses `jsonb` once; with `json`, it would parse each body again.
 */
const UPSERT_REFERRALS = `/* prepared */
INSERT INTO {schema}.referral (organisation, uuid, group_key, status, has_attachment, created_at, updated_at, deleted_at,
  body, digest, read_at, read_by, reference, reference_number, results_uuid, bundle_id, product_id, referral_type,
  origin, medicare, tests)
SELECT $1, uuid, group_key, status, has_attachment, created_at, updated_at, deleted_at,
  body, digest, read_at, read_by, reference, reference_number, results_uuid, bundle_id, product_id, referral_type,
  origin, medicare, tests
FROM jsonb_populate_recordset(NULL::{schema}.referral, $2::jsonb) ORDER BY uuid
ON CONFLICT (organisation, uuid) DO UPDATE SET status = EXCLUDED.status, has_attachment = EXCLUDED.has_attachment,
  created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at, deleted_at = EXCLUDED.deleted_at,
  body = EXCLUDED.body, digest = EXCLUDED.digest, read_at = EXCLUDED.read_at, read_by = EXCLUDED.read_by,
  reference = EXCLUDED.reference, reference_number = EXCLUDED.reference_number, results_uuid = EXCLUDED.results_uuid,
  bundle_id = EXCLUDED.bundle_id, product_id = EXCLUDED.product_id, referral_type = EXCLUDED.referral_type,
  origin = EXCLUDED.origin, medicare = EXCLUDED.medicare, tests = EXCLUDED.tests,
  gone_at = NULL, missing_at = NULL, stored_at = now()`

/** Inserts or replaces results, like {@link UPSERT_REFERRALS}. */
const UPSERT_RESULTS = `/* prepared */
INSERT INTO {schema}.result (organisation, uuid, group_key, status, has_attachment, created_at, updated_at, deleted_at,
  body, digest, read_at, read_by, reference, reference_number, product_id, referral_uuid, provenance, result_date)
SELECT $1, uuid, group_key, status, has_attachment, created_at, updated_at, deleted_at,
  body, digest, read_at, read_by, reference, reference_number, product_id, referral_uuid, provenance, result_date
FROM jsonb_populate_recordset(NULL::{schema}.result, $2::jsonb) ORDER BY uuid
ON CONFLICT (organisation, uuid) DO UPDATE SET status = EXCLUDED.status, has_attachment = EXCLUDED.has_attachment,
  created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at, deleted_at = EXCLUDED.deleted_at,
  body = EXCLUDED.body, digest = EXCLUDED.digest, read_at = EXCLUDED.read_at, read_by = EXCLUDED.read_by,
  reference = EXCLUDED.reference, reference_number = EXCLUDED.reference_number, product_id = EXCLUDED.product_id,
  referral_uuid = EXCLUDED.referral_uuid, provenance = EXCLUDED.provenance, result_date = EXCLUDED.result_date,
  gone_at = NULL, missing_at = NULL, stored_at = now()`

const UPSERT = { referral: UPSERT_REFERRALS, result: UPSERT_RESULTS } as const

/** Reads the stored copies of records by UUID. To store the records afterwards, `tx` must hold their locks. */
export async function loadRecords(
  tx: Queryable,
  organisation: string,
  kind: RecordKind,
  reads: readonly RecordRead[],
): Promise<ReadonlyMap<string, StoredRow>> {
  const wanted = reads.map(({ uuid, group, readAt }) => ({ uuid, group_key: group, read_at: readAt }))
  const { rows } = await tx.query<StoredRow>(LOAD(kind), [organisation, JSON.stringify(wanted)])
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
    reference: textField(body, 'reference'),
    reference_number: textField(body, 'referenceNumber'),
    product_id: textField(body, 'productId'),
    ...(kind === 'referral' ? referralColumns(body) : resultColumns(body)),
  }
  return `${JSON.stringify(columns).slice(0, -1)},"body":${json}}`
}

function referralColumns(body: PreparedRecord['body']) {
  const { tests } = body
  return {
    results_uuid: uuidField(body, 'resultsUuid'),
    bundle_id: textField(body, 'bundleId'),
    referral_type: textField(body, 'referralType'),
    origin: textField(body, 'origin'),
    // An older description of the service calls this field `bulkBilled`.
    medicare: booleanField(body, 'medicare') ?? booleanField(body, 'bulkBilled'),
    tests: Array.isArray(tests) ? tests.filter((entry) => typeof entry === 'string') : [],
  }
}

function resultColumns(body: PreparedRecord['body']) {
  return {
    referral_uuid: uuidField(body, 'referralUuid'),
    provenance: textField(body, 'provenance'),
    result_date: timeField(body, 'resultDate'),
  }
}

/**
 * Marks a record ($1, $2) as gone if the copy has it from a read before $3 and has not marked it. With $4, it must still
 * be marked as missing since then.
 */
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
