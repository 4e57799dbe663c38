import { NewestFirst } from '../../client/pagination/page-sequence.js'
import { type Terminal, UsageError } from './terminal.js'
import { parseDay, parseTime, type TimeSpan, timeZone } from './times.js'

/** Filters of the lists of referrals and results, as given. */
export interface Filters {
  readonly status?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly olderThan?: string | undefined
  readonly released?: string | undefined
  readonly tz?: string | undefined
  readonly limit?: string | undefined
}

/** Filters with their times. Milliseconds since the epoch. */
export interface ReadFilters {
  readonly statuses: ReadonlySet<string> | undefined
  readonly from: number | undefined
  readonly until: number
  readonly released: TimeSpan | undefined
  readonly limit: number
}

/** Record with the fields that filters read. */
interface FilteredRecord {
  readonly createdAt: string
  readonly status: string
}

/** Checks the filters. */
export function readFilters(terminal: Pick<Terminal, 'now'>, given: Filters): ReadFilters {
  const context = { now: terminal.now(), zone: timeZone(given.tz) }
  const time = (option: string, text: string | undefined): number | undefined =>
    text === undefined ? undefined : parseTime(option, text, context)
  const bounds = [time('--until', given.until), time('--older-than', given.olderThan)]
  return {
    statuses:
      given.status === undefined ? undefined : new Set(given.status.split(',').map((each) => each.trim())),
    from: time('--since', given.since),
    until: Math.min(...bounds.map((bound) => bound ?? Number.POSITIVE_INFINITY)),
    released: given.released === undefined ? undefined : parseDay('--released', given.released, context),
    limit: readLimit(given.limit),
  }
}

/** Reads a limit of rows; no limit without the option. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--limit must be an integer of at least 1')
  return Number(text)
}

/**
 * Selects records of a list that is read newest first. Reading stops one page after the earliest time, if the list is in
 * the order of creation.
 */
export async function* newestRecords<T extends FilteredRecord>(
  pages: AsyncIterable<{ readonly items: readonly T[] }>,
  filters: ReadFilters,
  isSelected: (record: T) => boolean = () => true,
): AsyncGenerator<T> {
  const order = new NewestFirst()
  let count = 0
  for await (const { items } of pages) {
    const isLast = filters.from !== undefined && order.hasPassed(filters.from)
    order.take(items)
    for (const record of items) {
      if (!matches(record, filters) || !isSelected(record)) continue
      yield record
      count += 1
      if (count >= filters.limit) return
    }
    if (isLast) return
  }
}

/** A record without a readable time is shown rather than lost. */
function matches({ createdAt, status }: FilteredRecord, { statuses, from, until }: ReadFilters): boolean {
  const created = Date.parse(createdAt)
  const isOutside = (from !== undefined && created < from) || created >= until
  return !isOutside && (statuses === undefined || statuses.has(status))
}
