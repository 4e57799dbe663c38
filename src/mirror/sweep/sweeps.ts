import { ConfigurationError, PathologyError } from '../../common/errors.js'
import { isoTime } from '../../database/values.js'
import { type MirrorContext, namesOf } from '../core/context.js'
import { type IterationName, type SweepName, type SweepReport, sumOf } from './report.js'

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
  onProgress: () => Promise<unknown>,
  signal: AbortSignal | undefined,
) => Promise<void>

/** Makes a run ($2) of organisations ($1) due, and returns the time. A run in progress continues. A failed one is tried again at once. */
const WANT_RUN = `
INSERT INTO {schema}.work AS work (organisation, kind, key, source)
SELECT unnest($1::text[]), 'sweep', $2, 'manual' ORDER BY 1
ON CONFLICT (organisation, kind, key) DO UPDATE SET dead = false, attempts = 0, error = NULL,
  run_at = CASE WHEN work.lease IS NULL THEN LEAST(work.run_at, now()) ELSE work.run_at END
RETURNING ${isoTime('now()')} AS at`

/** Permits the present or next run ($2) of organisations ($1) to mark any number of records as gone. */
const ACCEPT = `
INSERT INTO {schema}.iteration AS iteration (organisation, name, state, detail)
SELECT unnest($1::text[]), $2, 'new', '{"acceptGone": true}' ORDER BY 1
ON CONFLICT (organisation, name) DO UPDATE SET detail = iteration.detail || EXCLUDED.detail`

/** The last runs ($1) of organisations ($2), and whether they are present and over for a call that began at $3. */
const RUNS = `
SELECT organisation, state, requests, read, added AS "new", changed, recovered,
  COALESCE((detail->>'requestsByUuid')::bigint, 0) AS "requestsByUuid",
  EXTRACT(EPOCH FROM COALESCE(finished_at, clock_timestamp()) - started_at) * 1000 AS "durationMs",
  COALESCE(finished_at >= $3::timestamptz, true) AS "isPresent",
  COALESCE(finished_at >= $3::timestamptz AND (state = 'finished' OR detail->>'notMarked' IS NOT NULL), false) AS "isOver",
  detail->>'notMarked' IS NOT NULL AS "hasTooMany"
FROM {schema}.iteration WHERE name = $1 AND organisation = ANY($2::text[])`

/** A run ($1) of organisations ($2) that cannot finish: it is dead, or its credentials were rejected since $3. */
const FAILED = `
SELECT organisation, error FROM {schema}.work
WHERE kind = 'sweep' AND key = $1 AND organisation = ANY($2::text[]) AND dead
UNION ALL
SELECT organisation, error FROM {schema}.contact
WHERE is_rejected AND failed_at >= $3::timestamptz AND organisation = ANY($2::text[])
ORDER BY 1, 2 LIMIT 1`

/** Makes the backfill of each new organisation ($1) due. */
const FIRST_BACKFILL = `
WITH begun AS (
  INSERT INTO {schema}.iteration (organisation, name, state) SELECT unnest($1::text[]), 'backfill', 'new'
  ON CONFLICT DO NOTHING RETURNING organisation
)
INSERT INTO {schema}.work (organisation, kind, key, source)
SELECT organisation, 'sweep', 'backfill', 'backfill' FROM begun ORDER BY 1 ON CONFLICT DO NOTHING`

/** Makes the backfills of organisations ($1) due that have failed too often. */
const RETRY_BACKFILL = `
UPDATE {schema}.work SET dead = false, attempts = 0, error = NULL, run_at = now()
WHERE kind = 'sweep' AND key = 'backfill' AND dead AND organisation = ANY($1::text[])`

/**
 * Makes the sweep `recent` of organisations ($1) due if its last run is older than its period. A sweep that has never
 * run is not late: the backfill reads the newest records.
 */
const LATE_RECENT = `
UPDATE {schema}.schedule AS schedule SET due_at = now()
WHERE kind = 'sweep' AND key = 'recent' AND organisation = ANY($1::text[]) AND due_at > now()
  AND NOT EXISTS (SELECT 1 FROM {schema}.iteration AS iteration
    WHERE iteration.organisation = schedule.organisation AND iteration.name IN ('recent', 'backfill')
      AND iteration.started_at > now() - schedule.every_ms * interval '1 millisecond')`

/**
 * Time until the next delayed step of a sweep of organisations ($1). Leaves out a sweep that waits for a backfill: the
 * sweep has no step until the backfill ends.
 */
const PACED = `
SELECT EXTRACT(EPOCH FROM min(run_at) - now()) * 1000 AS "delayMs" FROM {schema}.work
WHERE kind = 'sweep' AND NOT dead AND lease IS NULL AND attempts = 0 AND error IS NULL
  AND organisation = ANY($1::text[])
  AND NOT EXISTS (SELECT 1 FROM {schema}.contact AS contact
    WHERE contact.organisation = work.organisation AND contact.failing_since IS NOT NULL)
  AND (key = 'backfill' OR NOT EXISTS (SELECT 1 FROM {schema}.work AS backfill
    WHERE backfill.organisation = work.organisation AND backfill.kind = 'sweep' AND backfill.key = 'backfill'
      AND NOT backfill.dead AND backfill.attempts = 0))`

interface Run extends SweepReport {
  readonly organisation: string
  readonly state: string
  /** `false` until a process begins the run that was requested: the row is that of an earlier run. */
  readonly isPresent: boolean
  readonly isOver: boolean
  readonly hasTooMany: boolean
}

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
    if (options.acceptGone === true) await context.database.query(ACCEPT, [organisations, name])
    return this.#run(context, name, organisations, undefined, options.signal)
  }

  /** Runs the backfill of each organisation without a finished backfill; with `restart`, of each organisation. */
  async backfill(options: BackfillOptions = {}): Promise<SweepReport> {
    const context = await this.#ready()
    const organisations = namesOf(context, options.organisation)
    const runs = await runsOf(context, 'backfill', organisations)
    const finished = new Set(runs.filter(({ state }) => state === 'finished').map((run) => run.organisation))
    const missing = organisations.filter((name) => options.restart === true || !finished.has(name))
    if (missing.length === 0) return sumOf(runs)
    return this.#run(context, 'backfill', missing, options.onProgress, options.signal)
  }

  /** @throws {@link PathologyError} if a run cannot finish. */
  async #run(
    context: MirrorContext,
    name: IterationName,
    organisations: readonly string[],
    onProgress: BackfillOptions['onProgress'],
    signal: AbortSignal | undefined,
  ): Promise<SweepReport> {
    const { database, contact, wake } = context
    const startedAt = (await database.first<{ at: string }>(WANT_RUN, [organisations, name]))?.at
    await contact.probeNow(organisations)
    wake()
    let shown = -1
    const show = async (): Promise<readonly Run[]> => {
      const runs = (await runsOf(context, name, organisations, startedAt)).filter(
        ({ isPresent }) => isPresent,
      )
      const report = sumOf(runs)
      if (report.requests !== shown) onProgress?.(report)
      shown = report.requests
      return runs
    }
    const isDone = async (): Promise<boolean> => {
      const over = (await show()).filter(({ isOver }) => isOver)
      const failed = await database.first<FailedRow>(FAILED, [name, organisations, startedAt])
      if (failed !== undefined) throw sweepFailed(name, failed)
      if (over.length < organisations.length) return false
      if (over.some(({ hasTooMany }) => hasTooMany)) throw tooManyGone(name)
      return true
    }
    await this.#workUntil(isDone, show, signal)
    return sumOf(await runsOf(context, name, organisations))
  }
}

interface FailedRow {
  readonly organisation: string
  readonly error: string | null
}

/**
 * Makes due the first backfill of each new organisation, each backfill that has failed too often, and the sweep `recent`
 * if its last run is older than its period.
 */
export async function wantMissedSweeps({ database, organisations }: MirrorContext): Promise<void> {
  const names = [...organisations.keys()]
  for (const text of [FIRST_BACKFILL, RETRY_BACKFILL, LATE_RECENT]) await database.query(text, [names])
}

/** Returns the milliseconds until the next delayed step of a sweep; `undefined` if there is none. */
export async function pacedMs({ database, organisations }: MirrorContext): Promise<number | undefined> {
  const values = [[...organisations.keys()]]
  const delayMs = (await database.first<{ delayMs: number | null }>(PACED, values))?.delayMs ?? null
  return delayMs === null ? undefined : Math.max(0, Math.ceil(delayMs))
}

async function runsOf(
  { database }: MirrorContext,
  name: IterationName,
  organisations: readonly string[],
  startedAt?: string,
): Promise<readonly Run[]> {
  return (await database.query<Run>(RUNS, [name, organisations, startedAt])).rows
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
