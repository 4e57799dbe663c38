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

/** Adds the reports of several organisations. */
export function sumOf(reports: readonly SweepReport[]): SweepReport {
  const sum = (name: keyof SweepReport): number => reports.reduce((total, report) => total + report[name], 0)
  return {
    read: sum('read'),
    requests: sum('requests'),
    requestsByUuid: sum('requestsByUuid'),
    new: sum('new'),
    changed: sum('changed'),
    recovered: sum('recovered'),
    durationMs: Math.max(0, ...reports.map(({ durationMs }) => Math.round(durationMs))),
  }
}
