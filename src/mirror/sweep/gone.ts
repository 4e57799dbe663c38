import { isoTime } from '../../database/values.js'
import { appendChanges, type NewChange } from '../changes/append.js'
import type { RecordKind } from '../copy/record-kinds.js'
import { markGone } from '../copy/record-statements.js'
import type { MirrorContext } from '../core/context.js'
import { recordLocks } from '../core/locks.js'
import type { Claim } from '../work/work-table.js'

/** Share of all records that one run may mark as gone. Up to `GONE_NUMBER` records may always be marked. */
const GONE_SHARE = 0.02
const GONE_NUMBER = 20

/**
 * Returns the maximum number of records that one run may mark as gone or retired. If more records are missing, the
 * credentials or a list are probably invalid.
 */
export function goneLimit(total: number): number {
  return Math.max(GONE_NUMBER, Math.floor(total * GONE_SHARE))
}

/** Number of records in one transaction. */
const BATCH = 100

/** Number of records of an organisation ($1) that are not gone. */
const TOTAL = `
SELECT (SELECT count(*) FROM {schema}.referral WHERE organisation = $1 AND gone_at IS NULL)
  + (SELECT count(*) FROM {schema}.result WHERE organisation = $1 AND gone_at IS NULL) AS total`

/**
 * Whether another sweep than $2 runs, and can find more missing records. At its end, it marks all missing records. A
 * sweep in its last phase does not count. Otherwise two sweeps that end together would each leave the marking to the
 * other.
 */
const OTHERS = `
SELECT 1 FROM {schema}.iteration
WHERE organisation = $1 AND name <> $2 AND name IN ('open', 'everything') AND state = 'running'
  AND detail->>'phase' IS DISTINCT FROM 'gone' LIMIT 1`

/**
 * Records that are missing since the start of the earliest of these runs: the run $2, and the runs that ended during it
 * or are in their last phase. An earlier run can have missed records by mistake, for example with other credentials.
 */
const MISSING = `
WITH since AS (
  SELECT min(run.started_at) AS at FROM {schema}.iteration AS run, {schema}.iteration AS present
  WHERE present.organisation = $1 AND present.name = $2 AND run.organisation = $1 AND run.name IN ('open', 'everything')
    AND (run.name = $2 OR run.finished_at >= present.started_at
      OR (run.state = 'running' AND run.detail->>'phase' = 'gone'))
)
SELECT 'referral' AS kind, uuid, group_key AS "group", ${isoTime('missing_at')} AS "missingAt" FROM {schema}.referral
WHERE organisation = $1 AND missing_at >= (SELECT at FROM since) AND gone_at IS NULL
UNION ALL
SELECT 'result', uuid, group_key, ${isoTime('missing_at')} FROM {schema}.result
WHERE organisation = $1 AND missing_at >= (SELECT at FROM since) AND gone_at IS NULL`

interface MissingRow {
  readonly kind: RecordKind
  readonly uuid: string
  readonly group: string
  readonly missingAt: string
}

/** Returns whether a number of records may be marked as gone. If not, logs an error. */
export async function mayMarkGone(
  { database, logger }: MirrorContext,
  { organisation, key }: Claim,
  count: number,
): Promise<boolean> {
  if (count <= GONE_NUMBER) return true
  const total = (await database.first<{ total: number }>(TOTAL, [organisation]))?.total ?? 0
  if (count <= goneLimit(total)) return true
  logger.error(
    `mirror: the sweep ${key} of organisation ${organisation} did not find ${count} of ${total} records. None of them was marked as gone, because the credentials or a response of the service may be invalid. If the records are gone, sweep again with acceptGone`,
  )
  return false
}

/** Numbers of missing records at the end of a sweep. */
interface GoneCounts {
  /** Number of records that were marked as gone. */
  readonly marked: number
  /** Number of missing records if they are too many to be marked, otherwise 0. */
  readonly notMarked: number
}

const NONE_GONE: GoneCounts = { marked: 0, notMarked: 0 }

/**
 * Marks as gone the records that reads by UUID did not find. Marks none of these records if they are too many, or if
 * another running sweep will mark them. With `acceptGone`, marks them in any case. Before the call, store that the
 * sweep has reached the phase `gone`.
 */
export async function markMissingGone(
  context: MirrorContext,
  claim: Claim,
  acceptGone: boolean,
): Promise<GoneCounts> {
  const { organisation, key } = claim
  const others = acceptGone ? undefined : await context.database.first(OTHERS, [organisation, key])
  if (others !== undefined) return NONE_GONE
  const { rows } = await context.database.query<MissingRow>(MISSING, [organisation, key])
  if (rows.length === 0) return NONE_GONE
  if (!acceptGone && !(await mayMarkGone(context, claim, rows.length)))
    return { marked: 0, notMarked: rows.length }
  let marked = 0
  for (let start = 0; start < rows.length; start += BATCH) {
    marked += await markBatch(context, claim, rows.slice(start, start + BATCH))
  }
  return { marked, notMarked: 0 }
}

async function markBatch(
  context: MirrorContext,
  { organisation }: Claim,
  rows: readonly MissingRow[],
): Promise<number> {
  const { database, changeLock, wake } = context
  const records = rows.map(({ uuid, group }) => ({ organisation, uuid, group }))
  const marked = await database.transaction(
    async (tx) => {
      const changes: NewChange[] = []
      for (const { kind, uuid, missingAt } of rows) {
        const change = await markGone(tx, { organisation, kind, uuid, source: 'sweep' }, missingAt, missingAt)
        if (change !== undefined) changes.push(change)
      }
      await appendChanges(tx, changeLock, changes)
      return changes.length
    },
    { first: recordLocks(database.schema, records) },
  )
  wake()
  return marked
}
