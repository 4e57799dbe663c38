import { hasPassed } from '../../client/pagination/list.js'
import type { Queryable } from '../../database/database.js'
import { RECORD_KINDS, type RecordKind, type RecordRead } from '../copy/record-kinds.js'
import { FINAL_LIST } from '../schema/final-statuses.js'
import type { Source } from '../work/work-table.js'
import type { ListState } from './list-state.js'
import type { ResolvedSweepOptions } from './options.js'
import type { Progress } from './progress.js'

/** A record of a page, compared with the copy. */
export interface SeenRecord {
  readonly read: RecordRead
  /** `createdAt` in milliseconds; NaN if it has none. */
  readonly createdAt: number
  /**
   * `true` when the list shows nothing newer than the copy, or the record was erased; `false` when the copy lacks the
   * record or has marked it as gone. Compares only `updatedAt` and `deletedAt`, because a list may omit other fields.
   * Without `updatedAt`, compares all fields.
   */
  readonly isKnown: boolean
  /** `true` when the copy has exactly these fields, and has not marked the record as gone. */
  readonly isEqual: boolean
}

/** A record that an iteration reads by UUID, after it has read the lists. */
export interface Rest {
  readonly kind: RecordKind
  readonly uuid: string
}

/** Plan of a backfill or a sweep: the records to read, and the way to read and store them. */
export interface SweepPlan {
  readonly source: Extract<Source, 'backfill' | 'sweep'>
  readonly sort: 'asc' | 'desc'
  /** Number of pages that are read and stored together: 1 if the list can end early or is paced. */
  readonly pagesAtOnce: number
  /** `true` when `requestsPerSecond` applies, and the run stores which records the lists contain. */
  readonly isPaced: boolean
  /** `true` when the run marks a record as gone if a read by UUID does not find it. */
  readonly marksGone: boolean
  /** Returns `true` when no later page of the list is needed. */
  readonly isLast: (page: readonly SeenRecord[], list: ListState, progress: Progress) => boolean
  /** Returns the records to read by UUID after both lists. */
  readonly rest: (query: RestQuery) => Promise<readonly Rest[]>
}

/** Input of {@link SweepPlan.rest}. */
export interface RestQuery {
  readonly database: Queryable
  readonly organisation: string
  /** Name of the iteration. */
  readonly name: string
  readonly sweep: ResolvedSweepOptions
  readonly progress: Progress
}

const DAY_MS = 86_400_000

/** Time by which records of a list that is newest first can be out of order, in milliseconds. */
const MARGIN_MS = 3_600_000

/**
 * Finds new records. Reads both lists, newest first, until a page has old records, and the copy knows all of them. A
 * record is old if it is more than an hour older than the newest record of the last finished run. If these times are
 * unknown, reads until the copy knows all records of a page. All times are by the service's clock.
 */
export const RECENT: SweepPlan = {
  source: 'sweep',
  sort: 'desc',
  pagesAtOnce: 1,
  isPaced: false,
  marksGone: false,
  isLast: (page, { mark }) => {
    const limit = mark === undefined ? Number.NaN : Date.parse(mark) - MARGIN_MS
    const older = page.filter(({ createdAt }) => createdAt < limit)
    const isDated = !Number.isNaN(limit) && page.some(({ createdAt }) => !Number.isNaN(createdAt))
    return isDated
      ? older.length > 0 && older.every(({ isKnown }) => isKnown)
      : page.every(({ isKnown }) => isKnown)
  },
  rest: async () => [],
}

/** Reads all records once, oldest first. New records are added to the end of the lists, so that none is left out. */
export const BACKFILL: SweepPlan = {
  source: 'backfill',
  sort: 'asc',
  pagesAtOnce: 5,
  isPaced: false,
  marksGone: false,
  isLast: () => false,
  rest: async () => [],
}

/**
 * Records of an organisation ($1) without a final status that were created from $3 to $2. The last part finds results
 * that were released late: they are not in the part of the list that was read, but their referral names them. No record
 * is updated before it is created, and there is an index of `updated_at`.
 */
const OPEN = `
SELECT 'referral' AS kind, uuid FROM {schema}.referral
WHERE organisation = $1 AND NOT COALESCE(status, '') IN (${FINAL_LIST}) AND deleted_at IS NULL AND gone_at IS NULL
  AND created_at < $2::timestamptz AND created_at >= $3::timestamptz
UNION ALL
SELECT 'result', uuid FROM {schema}.result
WHERE organisation = $1 AND NOT COALESCE(status, '') IN (${FINAL_LIST}) AND deleted_at IS NULL AND gone_at IS NULL
  AND created_at < $2::timestamptz AND created_at >= $3::timestamptz
UNION ALL
SELECT 'result', lower(referral.results_uuid) FROM {schema}.referral AS referral
WHERE referral.organisation = $1 AND referral.results_uuid IS NOT NULL AND referral.deleted_at IS NULL
  AND referral.created_at >= $3::timestamptz
  AND (referral.updated_at >= $3::timestamptz OR referral.updated_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM {schema}.result AS result
    WHERE result.organisation = $1 AND result.uuid = lower(referral.results_uuid))
  AND NOT EXISTS (SELECT 1 FROM {schema}.erased AS erased
    WHERE erased.organisation = $1 AND (erased.uuid = lower(referral.results_uuid) OR erased.group_key = referral.group_key))`

/**
 * Finds progress, corrections and late releases. Reads the part of both lists that is in the window. Then reads by UUID
 * each older record without a final status, up to the age `openDays`, and each result that only its referral names.
 */
export const OPEN_SWEEP: SweepPlan = {
  source: 'sweep',
  sort: 'desc',
  pagesAtOnce: 1,
  isPaced: false,
  marksGone: true,
  isLast: (_, { order }, { until }) =>
    order !== undefined && until !== undefined && hasPassed(order, Date.parse(until)),
  rest: async ({ database, organisation, sweep, progress: { until } }) => {
    if (until === undefined) return []
    const oldest = new Date(Date.parse(until) + sweep.window - sweep.openDays * DAY_MS).toISOString()
    const { rows } = await database.query<Rest>(OPEN, [organisation, until, oldest])
    return rows
  },
}

/**
 * Of the next 5,000 records after the UUID $3: the last UUID, and those that the lists of the run ($1, $2) did not
 * contain. A record that was read since the start of the run exists. If it is absent from the list, it was usually
 * created after the list was read.
 */
const NOT_LISTED = (kind: RecordKind): string => `
WITH started AS (SELECT started_at FROM {schema}.iteration WHERE organisation = $1 AND name = $2), step AS (
  SELECT uuid, deleted_at, gone_at, read_at, listed_at FROM {schema}.${kind}
  WHERE organisation = $1 AND uuid > $3 ORDER BY uuid LIMIT 5000
)
SELECT max(uuid) AS last, json_agg(uuid) FILTER (WHERE deleted_at IS NULL AND gone_at IS NULL
  AND read_at < started_at AND (listed_at IS NULL OR listed_at < started_at)) AS uuids
FROM step CROSS JOIN started`

async function notListed({ database, organisation, name }: RestQuery): Promise<readonly Rest[]> {
  const rest: Rest[] = []
  for (const kind of RECORD_KINDS) {
    for (let after: string | null = ''; after !== null; ) {
      const values: readonly unknown[] = [organisation, name, after]
      const step: Step | undefined = (await database.query<Step>(NOT_LISTED(kind), values)).rows[0]
      for (const uuid of step?.uuids ?? []) rest.push({ kind, uuid })
      after = step?.last ?? null
    }
  }
  return rest
}

interface Step {
  readonly last: string | null
  readonly uuids: readonly string[] | null
}

/**
 * Finds differences in records of any age. Reads both lists, oldest first. Then reads by UUID each record of the copy
 * that the lists do not contain, except deleted records.
 */
export const EVERYTHING: SweepPlan = {
  source: 'sweep',
  sort: 'asc',
  pagesAtOnce: 1,
  isPaced: true,
  marksGone: true,
  isLast: () => false,
  rest: notListed,
}
