import { appendChanges, type NewChange } from '../changes/append.js'
import type { RecordKind } from '../copy/record-kinds.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { recordLocks } from '../core/locks.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { OBJECT } from '../work/kinds.js'

/** Options of `mirror.erase`. */
export interface EraseOptions {
  /** UUID of a referral or a result. The complete group is erased: the referral and its results. */
  readonly uuid: string
  /**
   * Name of the only organisation in which the group is erased.
   * @defaultValue all organisations of the mirror
   */
  readonly organisation?: string | undefined
}

/** Numbers of erased rows. */
export interface EraseReport {
  /** Number of erased referrals. */
  readonly referrals: number
  /** Number of erased results. */
  readonly results: number
  /** Number of erased PDFs. */
  readonly documents: number
  /** Number of changes and events whose data was removed. */
  readonly cleared: number
}

interface Group {
  readonly key: string
  /** UUIDs of all records of the group in any table, the key, and the UUID that the caller has passed. */
  readonly uuids: readonly string[]
}

const GROUP_KEY = `
SELECT group_key AS key FROM (
  SELECT group_key, 1 AS place FROM {schema}.referral WHERE organisation = $1 AND uuid = $2
  UNION ALL SELECT COALESCE(referral_uuid, group_key), 2 FROM {schema}.result WHERE organisation = $1 AND uuid = $2
  UNION ALL SELECT group_key, 3 FROM {schema}.change WHERE organisation = $1 AND uuid = $2 AND kind IN ('referral', 'result')
  UNION ALL SELECT group_key, 4 FROM {schema}.referral WHERE organisation = $1 AND lower(results_uuid) = $2
  UNION ALL SELECT lower(body #>> '{data,referralUuid}'), 5 FROM {schema}.event
    WHERE organisation = $1 AND kind = 'result' AND key = $2 AND body #>> '{data,referralUuid}' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  UNION ALL SELECT group_key, 6 FROM {schema}.erased WHERE organisation = $1 AND uuid = $2
) AS found ORDER BY place LIMIT 1`

const GROUP_UUIDS = `
SELECT uuid FROM {schema}.referral WHERE organisation = $1 AND group_key = $2
UNION SELECT lower(results_uuid) FROM {schema}.referral
  WHERE organisation = $1 AND group_key = $2 AND results_uuid IS NOT NULL
UNION SELECT uuid FROM {schema}.result WHERE organisation = $1 AND (group_key = $2 OR referral_uuid = $2)
UNION SELECT uuid FROM {schema}.change WHERE organisation = $1 AND group_key = $2 AND kind IN ('referral', 'result')
UNION SELECT key FROM {schema}.event WHERE organisation = $1 AND kind IN ('referral', 'result')
  AND lower(body #>> '{data,referralUuid}') = $2`

const FORGET = `
INSERT INTO {schema}.erased (organisation, kind, uuid, group_key)
SELECT $1, kind, uuid, $2 FROM unnest($3::text[]) AS uuid CROSS JOIN unnest(ARRAY['referral', 'result']) AS kind
ORDER BY 2, 3 ON CONFLICT DO NOTHING`

/** An erased record. Its group differs from the erased one if the record was stored before its referral was known. */
interface ErasedRecord {
  readonly uuid: string
  readonly group: string
}

const DELETE_BIOMARKERS =
  'DELETE FROM {schema}.biomarker WHERE organisation = $1 AND result_uuid = ANY($2::text[])'

const DELETE_RECORDS = (kind: RecordKind): string => `
DELETE FROM {schema}.${kind} WHERE organisation = $1 AND uuid = ANY($2::text[])
RETURNING uuid, group_key AS "group"`

/** Deletes the work on records. A read in progress loses its lease, so it cannot store the record again. */
const DELETE_WORK = `
DELETE FROM {schema}.work WHERE organisation = $1 AND key = ANY($2::text[])
  AND kind IN ('referral', 'result', 'document:referral', 'document:result')`

/** Deletes PDFs, and returns their hashes. */
const DELETE_DOCUMENTS = `
DELETE FROM {schema}.document WHERE organisation = $1 AND uuid = ANY($2::text[])
RETURNING sha256, content IS NULL AS "isStoredElsewhere"`

const CLEAR_CHANGES = `
UPDATE {schema}.change SET body = NULL
WHERE organisation = $1 AND (group_key = $3 OR uuid = ANY($2::text[])) AND body IS NOT NULL`

// An event without a kind can still name a record, for example an event with a name that the service has added.
const CLEAR_EVENTS = `
UPDATE {schema}.event SET body = NULL
WHERE organisation = $1 AND body IS NOT NULL AND (kind IN ('referral', 'result') AND key = ANY($2::text[])
  OR kind IS NULL AND ARRAY[lower(body #>> '{data,uuid}'), lower(body #>> '{data,referralUuid}')] && $2::text[])`

/** Removes a group permanently. Rows of `erased` remain, so that no event, sweep or backfill restores the group. */
export async function erase(context: MirrorContext, options: EraseOptions): Promise<EraseReport> {
  const { organisation } = options
  const uuid = options.uuid.toLowerCase()
  const reports: EraseReport[] = []
  for (const name of namesOf(context, organisation)) reports.push(await eraseIn(context, name, uuid))
  context.wake()
  const sum = (name: keyof EraseReport): number => reports.reduce((total, report) => total + report[name], 0)
  return {
    referrals: sum('referrals'),
    results: sum('results'),
    documents: sum('documents'),
    cleared: sum('cleared'),
  }
}

async function eraseIn(context: MirrorContext, organisation: string, uuid: string): Promise<EraseReport> {
  const { database } = context
  for (;;) {
    const group = await groupOf(database, organisation, uuid)
    const records = group.uuids.map((record) => ({ organisation, uuid: record, group: group.key }))
    const report = await database.transaction(
      async (tx) => {
        // A record can join or leave the group before the locks are acquired. The next attempt locks the new group.
        const now = await groupOf(tx, organisation, uuid)
        const isSame = now.key === group.key && now.uuids.join() === group.uuids.join()
        return isSame ? eraseGroup(context, tx, organisation, group) : undefined
      },
      { first: recordLocks(database.schema, records) },
    )
    if (report !== undefined) return report
  }
}

async function groupOf(
  database: Pick<MirrorTransaction, 'query'>,
  organisation: string,
  uuid: string,
): Promise<Group> {
  const found = await database.query<{ key: string }>(GROUP_KEY, [organisation, uuid])
  const key = found.rows[0]?.key ?? uuid
  const { rows } = await database.query<{ uuid: string }>(GROUP_UUIDS, [organisation, key])
  return { key, uuids: [...new Set([uuid, key, ...rows.map((row) => row.uuid)])].sort() }
}

async function eraseGroup(
  { table, changeLock }: MirrorContext,
  tx: MirrorTransaction,
  organisation: string,
  { key, uuids }: Group,
): Promise<EraseReport> {
  const values = [organisation, uuids]
  await tx.query(FORGET, [organisation, key, uuids])
  const documents = await tx.query<{ sha256: string; isStoredElsewhere: boolean }>(DELETE_DOCUMENTS, values)
  await tx.query(DELETE_BIOMARKERS, values)
  const referrals = (await tx.query<ErasedRecord>(DELETE_RECORDS('referral'), values)).rows
  const results = (await tx.query<ErasedRecord>(DELETE_RECORDS('result'), values)).rows
  const changes = await tx.query(CLEAR_CHANGES, [...values, key])
  const events = await tx.query(CLEAR_EVENTS, values)
  await tx.query(DELETE_WORK, values)
  const objects = documents.rows.filter(({ isStoredElsewhere }) => isStoredElsewhere)
  await table.want(
    tx,
    objects.map(({ sha256 }) => ({ organisation, kind: OBJECT, key: sha256, source: 'manual' })),
  )
  await appendChanges(tx, changeLock, [
    ...referrals.map((record) => erasedChange(organisation, 'referral', record)),
    ...results.map((record) => erasedChange(organisation, 'result', record)),
  ])
  return {
    referrals: referrals.length,
    results: results.length,
    documents: documents.rows.length,
    cleared: changes.rowCount + events.rowCount,
  }
}

function erasedChange(organisation: string, kind: RecordKind, record: ErasedRecord): NewChange {
  const states = { recovered: false, statusBefore: null, statusAfter: null, updatedAt: null }
  return { organisation, kind, ...record, action: 'erased', source: 'manual', ...states }
}
