import { ConfigurationError, PathologyError } from '../../common/errors.js'
import { isoTime } from '../../database/values.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { SWEEP } from '../inbox/event-target.js'
import type { Schedule } from '../work/schedules.js'
import type { ResolvedSweepOptions } from './options.js'
import { progressOf } from './progress.js'
import {
  ITERATION_COLUMNS,
  type IterationName,
  type IterationRow,
  reportOf,
  type SweepName,
  type SweepReport,
} from './report.js'

/** Options of `mirror.sweep`. */
export interface SweepRunOptions {
  /**
   * Name of the only organisation whose records are read.
   * @defaultValue all organisations of the mirror
   */
  readonly organisation?: string | undefined
  /**
   * Marks missing records as gone, even if they are more than 20 and more than 2 % of the organisation's records.
   * @defaultValue `false`: if so many records are missing, the sweep fails and marks none of them as gone
   */
  readonly acceptGone?: boolean | undefined
  /** Ends the wait: `sweep` rejects. The sweep continues in the processes whose mirror is started. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `mirror.backfill`. */
export interface BackfillOptions {
  /**
   * Called at the start, and again when the number of `requests` in the report has changed. Not called if all
   * organisations have a finished backfill and `restart` is not `true`. If the function throws, `backfill` rejects with
   * its error.
   */
  readonly onProgress?: ((progress: SweepReport) => void) | undefined
  /**
   * Name of the only organisation whose records are read.
   * @defaultValue all organisations of the mirror
   */
  readonly organisation?: string | undefined
  /**
   * Reads everything again after a backfill that has finished.
   * @defaultValue `false`
   */
  readonly restart?: boolean | undefined
  /** Ends the wait: `backfill` rejects. The backfill continues in the processes whose mirror is started. */
  readonly signal?: AbortSignal | undefined
}

const SWEEP_NAMES: readonly SweepName[] = ['recent', 'open', 'everything']

/** Function that runs due work until a condition holds. */
export type WorkUntil = (
  isDone: () => Promise<boolean>,
  /** Called from time to time while this process works. */
  onProgress: () => Promise<void>,
  signal: AbortSignal | undefined,
) => Promise<void>

// A run in progress continues. A run that has failed is tried again at once.
const WANT_RUN = `
INSERT INTO {schema}.work AS work (organisation, kind, key, source) VALUES ($1, '${SWEEP}', $2, 'manual')
ON CONFLICT (organisation, kind, key) DO UPDATE SET dead = false, attempts = 0, error = NULL,
  run_at = CASE WHEN work.lease IS NULL THEN LEAST(work.run_at, now()) ELSE work.run_at END`

const ACCEPT = `
INSERT INTO {schema}.iteration AS iteration (organisation, name, state, detail)
VALUES ($1, $2, 'new', '{"acceptGone": true}')
ON CONFLICT (organisation, name) DO UPDATE SET detail = iteration.detail || EXCLUDED.detail`

const NOW = `SELECT ${isoTime('clock_timestamp()')} AS at`

const ROWS = `
SELECT ${ITERATION_COLUMNS} FROM {schema}.iteration WHERE name = $1 AND organisation = ANY($2::text[])`

const UNFINISHED = `
SELECT (detail->>'notMarked') IS NOT NULL AS "hasTooMany",
  finished_at >= $3::timestamptz AND (state = 'finished' OR detail->>'notMarked' IS NOT NULL) AS "isOver"
FROM {schema}.iteration WHERE name = $1 AND organisation = ANY($2::text[])`

const DEAD = `
SELECT organisation, error FROM {schema}.work
WHERE kind = '${SWEEP}' AND key = $1 AND organisation = ANY($2::text[]) AND dead`

const REJECTED = `
SELECT organisation, error FROM {schema}.contact
WHERE is_rejected AND failed_at >= $2::timestamptz AND organisation = ANY($1::text[])`

const FIRST_BACKFILL = `
WITH begun AS (
  INSERT INTO {schema}.iteration (organisation, name, state) SELECT unnest($1::text[]), 'backfill', 'new'
  ON CONFLICT DO NOTHING RETURNING organisation
)
INSERT INTO {schema}.work (organisation, kind, key, source)
SELECT organisation, '${SWEEP}', 'backfill', 'backfill' FROM begun ORDER BY 1 ON CONFLICT DO NOTHING`

/** SQL condition: the row `backfill` of the table `work` is a backfill whose last attempt did not fail. */
export const IS_BACKFILLING = `backfill.kind = '${SWEEP}' AND backfill.key = 'backfill' AND NOT backfill.dead
  AND backfill.attempts = 0`

const RETRY_BACKFILL = `
UPDATE {schema}.work SET dead = false, attempts = 0, error = NULL, run_at = now()
WHERE kind = '${SWEEP}' AND key = 'backfill' AND dead AND organisation = ANY($1::text[])`

// Leaves out a sweep that waits for a backfill: the sweep has no step until the backfill ends.
const PACED = `
SELECT EXTRACT(EPOCH FROM min(run_at) - now()) * 1000 AS "delayMs" FROM {schema}.work
WHERE kind = '${SWEEP}' AND NOT dead AND lease IS NULL AND attempts = 0 AND error IS NULL
  AND organisation = ANY($1::text[])
  AND NOT EXISTS (SELECT 1 FROM {schema}.contact AS contact
    WHERE contact.organisation = work.organisation AND contact.failing_since IS NOT NULL)
  AND (key = 'backfill' OR NOT EXISTS (SELECT 1 FROM {schema}.work AS backfill
    WHERE backfill.organisation = work.organisation AND ${IS_BACKFILLING}))`

/** Backfills and sweeps on demand. */
export class Sweeps {
  readonly #ready: () => Promise<MirrorContext>
  readonly #workUntil: WorkUntil

  constructor(ready: () => Promise<MirrorContext>, workUntil: WorkUntil) {
    this.#ready = ready
    this.#workUntil = workUntil
  }

  /** Runs one sweep, or waits for the run in progress, and returns the report. */
  async sweep(name: SweepName, options: SweepRunOptions = {}): Promise<SweepReport> {
    if (!SWEEP_NAMES.includes(name)) {
      throw new ConfigurationError(
        `mirror.sweep: the sweep must be one of ${SWEEP_NAMES.join(', ')}; nothing was read`,
      )
    }
    const context = await this.#ready()
    const organisations = namesOf(context, options.organisation)
    if (options.acceptGone === true) {
      for (const organisation of organisations) await context.database.query(ACCEPT, [organisation, name])
    }
    return this.#run(context, name, organisations, undefined, options.signal)
  }

  /** Runs the backfill of each organisation without a finished backfill; with `restart`, of each organisation. */
  async backfill(options: BackfillOptions = {}): Promise<SweepReport> {
    const context = await this.#ready()
    const organisations = namesOf(context, options.organisation)
    const rows = await rowsOf(context, 'backfill', organisations)
    const finished = new Set(rows.filter(({ state }) => state === 'finished').map((row) => row.organisation))
    const missing = organisations.filter((name) => options.restart === true || !finished.has(name))
    if (missing.length === 0) return reportOf(rows, byUuid)
    return this.#run(context, 'backfill', missing, options.onProgress, options.signal)
  }

  async #run(
    context: MirrorContext,
    name: IterationName,
    organisations: readonly string[],
    onProgress: BackfillOptions['onProgress'],
    signal: AbortSignal | undefined,
  ): Promise<SweepReport> {
    const { database, contact, wake } = context
    const rows = await rowsOf(context, name, organisations)
    const earlierEnds = new Map(rows.map((row) => [row.organisation, row.finishedAt]))
    const startedAt = await database.first<{ at: string }>(NOW)
    for (const organisation of organisations) await database.query(WANT_RUN, [organisation, name])
    await contact.probeNow(organisations)
    wake()
    let shown = -1
    const show = async (): Promise<void> => {
      // Until a process claims the run, its row has the numbers of an earlier run.
      const isOfThisRun = (row: IterationRow): boolean =>
        row.finishedAt === null || row.finishedAt !== earlierEnds.get(row.organisation)
      const present = await rowsOf(context, name, organisations)
      const report = reportOf(present.filter(isOfThisRun), byUuid)
      if (report.requests !== shown) onProgress?.(report)
      shown = report.requests
    }
    const isOver = async (): Promise<boolean> => {
      await show()
      return this.#isOver(context, name, organisations, startedAt?.at ?? '')
    }
    await this.#workUntil(isOver, show, signal)
    return this.#report(context, name, organisations)
  }

  async #report(
    context: MirrorContext,
    name: IterationName,
    organisations: readonly string[],
  ): Promise<SweepReport> {
    return reportOf(await rowsOf(context, name, organisations), byUuid)
  }

  /**
   * Returns `true` when the run has ended in all organisations.
   *
   * @throws {@link PathologyError} if a run cannot finish.
   */
  async #isOver(
    { database }: MirrorContext,
    name: IterationName,
    organisations: readonly string[],
    startedAt: string,
  ): Promise<boolean> {
    const dead = await database.first<FailedRow>(DEAD, [name, organisations])
    const failed = dead ?? (await database.first<FailedRow>(REJECTED, [organisations, startedAt]))
    if (failed !== undefined) throw sweepFailed(name, failed)
    const { rows } = await database.query<{ hasTooMany: boolean; isOver: boolean | null }>(UNFINISHED, [
      name,
      organisations,
      startedAt,
    ])
    const over = rows.filter(({ isOver }) => isOver === true)
    if (over.length < organisations.length) return false
    if (over.some(({ hasTooMany }) => hasTooMany)) throw tooManyGone(name)
    return true
  }
}

interface FailedRow {
  readonly organisation: string
  readonly error: string | null
}

/** Makes due the first backfill of each new organisation, and each backfill that has failed too often. */
export async function wantFirstBackfill({ database, organisations }: MirrorContext): Promise<void> {
  const names = [...organisations.keys()]
  await database.query(FIRST_BACKFILL, [names])
  await database.query(RETRY_BACKFILL, [names])
}

// A sweep that has never run is not late: the backfill reads the newest records.
const LATE_RECENT = `
UPDATE {schema}.schedule AS schedule SET due_at = now()
WHERE kind = '${SWEEP}' AND key = 'recent' AND organisation = ANY($1::text[]) AND due_at > now()
  AND NOT EXISTS (SELECT 1 FROM {schema}.iteration AS iteration
    WHERE iteration.organisation = schedule.organisation AND iteration.name IN ('recent', 'backfill')
      AND iteration.started_at > now() - schedule.every_ms * interval '1 millisecond')`

/** Makes the sweep `recent` due if its last run is older than its period. */
export async function wantLateRecent({ database, organisations }: MirrorContext): Promise<void> {
  await database.query(LATE_RECENT, [[...organisations.keys()]])
}

/** Returns the schedules of the sweeps of all organisations. */
export function sweepSchedules(
  { organisations }: MirrorContext,
  options: ResolvedSweepOptions,
): readonly Schedule[] {
  return [...organisations.keys()].flatMap((organisation) =>
    SWEEP_NAMES.flatMap((key) => {
      const everyMs = options[key]
      if (everyMs === false) return []
      return [{ name: `${organisation}/${SWEEP}/${key}`, organisation, kind: SWEEP, key, everyMs }]
    }),
  )
}

/** Returns the milliseconds until the next delayed step of a sweep; `undefined` if there is none. */
export async function pacedMs({ database, organisations }: MirrorContext): Promise<number | undefined> {
  const values = [[...organisations.keys()]]
  const delayMs = (await database.first<{ delayMs: number | null }>(PACED, values))?.delayMs ?? null
  return delayMs === null ? undefined : Math.max(0, Math.ceil(delayMs))
}

async function rowsOf(
  { database }: MirrorContext,
  name: IterationName,
  organisations: readonly string[],
): Promise<readonly IterationRow[]> {
  return (await database.query<IterationRow>(ROWS, [name, organisations])).rows
}

function byUuid(row: IterationRow): number {
  return progressOf(row).requestsByUuid
}

function sweepFailed(name: IterationName, { organisation, error }: FailedRow): PathologyError {
  return new PathologyError(
    `The ${name === 'backfill' ? name : `sweep ${name}`} of organisation ${organisation} cannot continue (${error ?? 'unknown error'}). The records that were read are stored. Remove the cause, and run it again.`,
    { code: 'SWEEP_FAILED' },
  )
}

function tooManyGone(name: IterationName): PathologyError {
  return new PathologyError(
    `The sweep ${name} found that more than 20 records of an organisation, and more than 2 % of its records, are missing from the service. None of these records was marked as gone. Check the credentials. If the records are gone, sweep again with acceptGone.`,
    { code: 'TOO_MANY_GONE' },
  )
}
