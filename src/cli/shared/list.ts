import type { TimeRange } from '../../client/index.js'
import { similarName } from '../../contract/similar.js'
import { type Terminal, UsageError } from './terminal.js'
import { parseDay, parseTime, type TimeSpan, timeZone } from './times.js'

/** Filters of the lists of referrals and results, as the user gives them. */
export interface FilterOptions {
  readonly status?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly olderThan?: string | undefined
  readonly released?: string | undefined
  readonly tz?: string | undefined
  readonly limit?: string | undefined
}

/** Checked filters. Times are in milliseconds since the epoch. */
export interface ResolvedFilters {
  readonly statuses: ReadonlySet<string> | undefined
  readonly from: number | undefined
  readonly until: number
  readonly released: TimeSpan | undefined
  readonly limit: number
}

/**
 * Checks the filters. Throws for a probable spelling mistake in a status. Any other unknown status can be new, so it
 * only causes a warning.
 *
 * @param known - Known statuses of these records.
 */
export function resolveFilters(
  terminal: Pick<Terminal, 'now' | 'stderr'>,
  given: FilterOptions,
  known: readonly string[],
): ResolvedFilters {
  const context = { now: terminal.now(), zone: timeZone(given.tz) }
  const time = (option: string, text: string | undefined): number | undefined =>
    text === undefined ? undefined : parseTime(option, text, context)
  const bounds = [time('--until', given.until), time('--older-than', given.olderThan)]
  const from = time('--since', given.since)
  const until = Math.min(...bounds.map((bound) => bound ?? Number.POSITIVE_INFINITY))
  if (from !== undefined && from >= until)
    throw new UsageError('no record can match: --since is not before the time of --until or --older-than')
  const statuses = given.status?.split(',').map((each) => each.trim())
  for (const status of statuses ?? []) checkStatus(terminal, status, known)
  return {
    statuses: statuses === undefined ? undefined : new Set(statuses),
    from,
    until,
    released: given.released === undefined ? undefined : parseDay('--released', given.released, context),
    limit: readLimit('--limit', given.limit),
  }
}

function checkStatus({ stderr }: Pick<Terminal, 'stderr'>, status: string, known: readonly string[]): void {
  const meant = similarName(status, known)
  if (meant !== undefined) throw new UsageError(`--status: ${status} is not a status; did you mean ${meant}?`)
  if (!known.includes(status))
    stderr.write(
      `The status ${status} is unknown to this version of pathology-sdk. Known statuses: ${known.join(', ')}\n`,
    )
}

/** Returns the time range of the filters as options of the client. */
export function rangeOf({ from, until }: ResolvedFilters): TimeRange {
  return {
    ...(from !== undefined && { since: new Date(from) }),
    ...(Number.isFinite(until) && { until: new Date(until) }),
  }
}

/** Reads an integer of at least 1. Without the option, there is no limit. */
export function readLimit(option: string, text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} must be an integer from 1 to 999999999`)
  return Number(text)
}

/** Selects records of a list by their status and by `isSelected`, up to the limit. */
export async function* selectedRecords<T extends { readonly status: string }>(
  records: AsyncIterable<T>,
  { statuses, limit }: ResolvedFilters,
  isSelected: (record: T) => boolean = () => true,
): AsyncGenerator<T> {
  let count = 0
  for await (const record of records) {
    if (statuses?.has(record.status) === false || !isSelected(record)) continue
    yield record
    count += 1
    if (count >= limit) return
  }
}
