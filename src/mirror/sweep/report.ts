import { isoTime } from '../../database/values.js'

/** Name of a sweep. */
export type SweepName = 'recent' | 'open' | 'everything'

/** Name of an iteration over the lists of the service. */
export type IterationName = SweepName | 'backfill'

/** Result of a backfill or a sweep: the sums of the organisations that were read, except for `durationMs`. */
export interface SweepReport {
  /** Number of records in the pages that were read. */
  readonly read: number
  /** Number of requests for pages and records. Repeated requests and downloads of PDFs do not count. */
  readonly requests: number
  /** Number of `requests` that read one record by UUID. */
  readonly requestsByUuid: number
  /** Number of records that the copy did not have. */
  readonly new: number
  /** Number of other changes of the copy. */
  readonly changed: number
  /**
   * Number of changes whose events had not arrived when the sweep found the changes. More than 0 usually means that
   * deliveries fail.
   */
  readonly recovered: number
  /** Longest time that one organisation took from the start to the end, including pauses, in milliseconds. */
  readonly durationMs: number
}

/** A row of the table of iterations. */
export interface IterationRow {
  readonly organisation: string
  readonly state: string
  readonly cursor: string | null
  readonly detail: unknown
  readonly requests: number
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly recovered: number
  readonly durationMs: number
  /** Time of the end, by the database's clock; `null` while the iteration runs. */
  readonly finishedAt: string | null
}

/** Columns of {@link IterationRow}. */
export const ITERATION_COLUMNS = `organisation, state, cursor, detail, requests, read, added, changed, recovered,
  EXTRACT(EPOCH FROM COALESCE(finished_at, clock_timestamp()) - started_at) * 1000 AS "durationMs",
  ${isoTime('finished_at')} AS "finishedAt"`

const NOTHING: SweepReport = {
  read: 0,
  requests: 0,
  requestsByUuid: 0,
  new: 0,
  changed: 0,
  recovered: 0,
  durationMs: 0,
}

/** Converts the rows of an iteration, one for each organisation, to one report. */
export function reportOf(rows: readonly IterationRow[], byUuid: (row: IterationRow) => number): SweepReport {
  return rows.reduce(
    (sum, row) => ({
      read: sum.read + row.read,
      requests: sum.requests + row.requests,
      requestsByUuid: sum.requestsByUuid + byUuid(row),
      new: sum.new + row.added,
      changed: sum.changed + row.changed,
      recovered: sum.recovered + row.recovered,
      durationMs: Math.max(sum.durationMs, Math.round(row.durationMs)),
    }),
    NOTHING,
  )
}
