import type { MirrorTransaction } from '../schema/mirror-database.js'
import type { Source } from '../work/work-table.js'
import type { ChangeAction } from './change.js'

/** A change before it has a position. */
export interface NewChange {
  readonly organisation: string
  readonly kind: string
  readonly uuid: string
  readonly group: string
  readonly action: ChangeAction
  readonly source: Source
  readonly recovered: boolean
  readonly statusBefore: string | null
  readonly statusAfter: string | null
  /** ISO 8601. */
  readonly updatedAt: string | null
}

/**
 * Appends changes ($1), and makes their delivery to each consumer due. $2 is the number of the lock of all changes.
 *
 * - Deliveries are made due before the lock is acquired, because this step can wait for a delivery in progress. A new
 *   change does not shorten the back-off of a failing handler, and does not revive a dead delivery: the handler would
 *   otherwise run again with every change.
 * - The lock is acquired before the positions are assigned, and held until the commit. The order of positions is then the
 *   order of commits: a reader that sees a position also sees all earlier positions.
 * - Bodies are copied from the records that the transaction has just stored, so that they are not sent twice.
 */
const APPEND = `/* prepared */
WITH row AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS row (
    place integer, organisation text, kind text, uuid text, "group" text, action text, source text, recovered boolean,
    "statusBefore" text, "statusAfter" text, "updatedAt" timestamptz)
), wanted AS (
  INSERT INTO {schema}.work AS work (organisation, kind, key)
  SELECT consumer.organisation, 'deliver:' || consumer.name, changed."group"
  FROM (SELECT DISTINCT organisation, "group" FROM row) AS changed
  JOIN {schema}.consumer AS consumer ON consumer.organisation = changed.organisation
  ORDER BY 1, 2, 3
  ON CONFLICT (organisation, kind, key) DO UPDATE SET
    wanted = work.wanted + 1,
    run_at = CASE WHEN work.lease IS NULL AND NOT work.dead AND work.attempts = 0
      THEN LEAST(work.run_at, EXCLUDED.run_at) ELSE work.run_at END
  RETURNING 1
), locked AS MATERIALIZED (
  SELECT pg_advisory_xact_lock($2::bigint) AS held FROM (SELECT count(*) FROM wanted) AS waited
)
INSERT INTO {schema}.change
  (organisation, kind, uuid, group_key, action, source, recovered, status_before, status_after, updated_at, body)
SELECT row.organisation, row.kind, row.uuid, row."group", row.action, row.source, row.recovered, row."statusBefore",
  row."statusAfter", row."updatedAt", CASE
    WHEN row.action = 'erased' THEN NULL
    WHEN row.kind = 'referral' THEN (
      SELECT body FROM {schema}.referral AS record WHERE record.organisation = row.organisation AND record.uuid = row.uuid)
    WHEN row.kind = 'result' THEN (
      SELECT body FROM {schema}.result AS record WHERE record.organisation = row.organisation AND record.uuid = row.uuid)
  END
FROM locked CROSS JOIN row
ORDER BY row.place`

/**
 * Appends changes and makes their delivery due. Call `appendChanges` last in a transaction, after the records are
 * stored, because it copies the bodies of the records. The transaction then holds the lock of all changes until the
 * commit.
 *
 * @param lock - The `changeLock` of the mirror's context.
 */
export async function appendChanges(
  tx: MirrorTransaction,
  lock: bigint,
  changes: readonly NewChange[],
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map((change, place) => ({ place, ...change }))
  await tx.query(APPEND, [JSON.stringify(rows), String(lock)])
}
