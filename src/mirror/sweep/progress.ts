import type { Queryable } from '../../database/database.js'
import type { RecordKind } from '../copy/record-kinds.js'
import type { MirrorContext } from '../core/context.js'
import { type Claim, LeaseLostError } from '../work/work-table.js'
import type { ListState } from './list-state.js'
import type { IterationName } from './report.js'

/**
 * Steps of an iteration, in order: read both lists, request reads of single records (`rest`), wait for these reads
 * (`wait`), mark missing records as gone (`gone`). The last phase is stored, so that sweeps that end together know of
 * each other.
 */
export type Phase = RecordKind | 'rest' | 'wait' | 'gone'

/** State of an iteration. The state is stored, so another process can continue the iteration. */
export interface Progress {
  readonly phase: Phase
  /** Cursor of the next page; `null` for the first page. */
  readonly cursor: string | null
  /**
   * Start of the window, ISO 8601, by the service's clock. The sweep `open` reads each list until all further records
   * are probably older.
   */
  readonly until?: string | undefined
  readonly lists: Readonly<Partial<Record<RecordKind, ListState>>>
  readonly requestsByUuid: number
  /** Number of missing records that the iteration did not mark as gone, because they are too many. */
  readonly notMarked?: number | undefined
}

/** Numbers that one step adds to the report of its iteration. */
export interface Counts {
  readonly requests: number
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly recovered: number
}

export const NO_COUNTS: Counts = { requests: 0, read: 0, added: 0, changed: 0, recovered: 0 }

/** Whether the present run of an iteration ($1, $2) may mark any number of records as gone. */
const ACCEPTS = `
SELECT (detail->>'acceptGone')::boolean AS accepts FROM {schema}.iteration WHERE organisation = $1 AND name = $2`

/**
 * Begins a run of an iteration ($1, $2) with the detail $3, if the claim of its work still holds its lease ($4). A call
 * of `mirror.sweep` can set `acceptGone` in the stored detail at any time, and only the end of a run resets it.
 */
const BEGIN = `
WITH held AS (
  SELECT 1 FROM {schema}.work
  WHERE organisation = $1 AND kind = 'sweep' AND key = $2 AND lease = $4::uuid FOR UPDATE
), begun AS (
  INSERT INTO {schema}.iteration AS iteration (organisation, name, detail) SELECT $1, $2, $3::jsonb FROM held
  ON CONFLICT (organisation, name) DO UPDATE SET state = 'running', cursor = NULL,
    detail = EXCLUDED.detail
      || jsonb_build_object('acceptGone', COALESCE((iteration.detail->>'acceptGone')::boolean, false)),
    requests = 0, read = 0, added = 0, changed = 0, recovered = 0, started_at = now(), finished_at = NULL
  WHERE iteration.state <> 'running'
)
SELECT 1 FROM held`

/** Reads an iteration ($1, $2). */
const LOAD = `SELECT state, cursor, detail FROM {schema}.iteration WHERE organisation = $1 AND name = $2`

/**
 * Stores the progress of an iteration ($1, $2), and adds to its counts, if the claim of its work still holds its lease
 * ($3). A step that succeeds ends the failed attempts of the work.
 */
const SAVE = `
WITH held AS (
  UPDATE {schema}.work SET attempts = 0, error = NULL, since = now()
  WHERE organisation = $1 AND kind = 'sweep' AND key = $2 AND lease = $3::uuid RETURNING 1
)
UPDATE {schema}.iteration SET state = $4, cursor = $5,
  detail = $6::jsonb - 'acceptGone' || CASE WHEN $4 <> 'running' THEN '{}' ELSE
    jsonb_build_object('acceptGone', COALESCE((iteration.detail->>'acceptGone')::boolean, false)) END,
  requests = requests + $7::bigint, read = read + $8::bigint, added = added + $9::bigint,
  changed = changed + $10::bigint, recovered = recovered + $11::bigint,
  finished_at = CASE WHEN $4 = 'running' THEN NULL ELSE clock_timestamp() END
FROM held WHERE organisation = $1 AND name = $2
RETURNING recovered`

/**
 * Returns the progress of an iteration. Begins the iteration if it is not running.
 *
 * @throws {@link LeaseLostError} if the claim no longer holds its lease.
 */
export async function resume({ database }: MirrorContext, claim: Claim): Promise<Progress> {
  const { organisation, key, lease } = claim
  const row = await database.first<StoredProgress>(LOAD, [organisation, key])
  const known = progressOf(row)
  if (row?.state === 'running') return { ...known, cursor: row.cursor }
  const begun = firstProgress(key, known, row?.state === 'finished')
  const held = await database.first(BEGIN, [organisation, key, JSON.stringify(begun), lease])
  if (held === undefined) throw new LeaseLostError()
  return begun
}

/**
 * Stores the progress of an iteration. Progress that includes new records is stored in their transaction.
 *
 * @returns The number of recovered changes of the run.
 * @throws {@link LeaseLostError} if the claim no longer holds its lease.
 */
export async function save(
  tx: Queryable,
  { organisation, key, lease }: Claim,
  { cursor, ...detail }: Progress,
  { requests, read, added, changed, recovered }: Counts,
  state: 'running' | 'finished' | 'stopped' = 'running',
): Promise<number> {
  const counts = [requests, read, added, changed, recovered]
  const values = [organisation, key, lease, state, cursor, JSON.stringify(detail), ...counts]
  const [row] = (await tx.query<{ recovered: number }>(SAVE, values)).rows
  if (row === undefined) throw new LeaseLostError()
  return row.recovered
}

/** Returns `true` when a run may mark any number of records as gone. */
export async function acceptsGone(
  { database }: Pick<MirrorContext, 'database'>,
  { organisation, key }: Claim,
): Promise<boolean> {
  const row = await database.first<{ accepts: boolean | null }>(ACCEPTS, [organisation, key])
  return row?.accepts === true
}

interface StoredProgress {
  readonly state: string
  readonly cursor: string | null
  readonly detail: unknown
}

/** Returns the progress that a row contains, with defaults for missing fields. */
function progressOf(row: StoredProgress | undefined): Progress {
  const first: Progress = { phase: 'referral', cursor: null, lists: {}, requestsByUuid: 0 }
  // The cast is safe: in rows of backfills and sweeps, other files add and remove only `acceptGone`.
  return { ...first, ...(row?.detail as Partial<Progress> | undefined) }
}

/**
 * Returns the progress of a new run. For each list, the sweep `recent` keeps the latest `createdAt` of the last
 * finished run, and the last comparison with reads by UUID. Other runs keep neither.
 */
function firstProgress(name: string, { lists }: Progress, isFinished: boolean): Progress {
  const isRecent = name === ('recent' satisfies IterationName)
  return {
    phase: 'referral',
    cursor: null,
    requestsByUuid: 0,
    lists: isRecent
      ? { referral: marked(lists.referral, isFinished), result: marked(lists.result, isFinished) }
      : {},
  }
}

/**
 * Returns the state of a list at the start of a run. The latest `createdAt` of a finished run becomes the mark. A
 * stopped run has not read all records that are older than its newest record, so the earlier mark is kept.
 */
function marked({ isComplete, comparedAt, mark, newest }: ListState = {}, isFinished: boolean): ListState {
  return { isComplete, comparedAt, mark: isFinished ? (newest ?? mark) : mark }
}
