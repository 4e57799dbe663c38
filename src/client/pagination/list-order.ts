import { parseTime } from '../../contract/times.js'

/** Times of one kind in the part of a list that was read, in milliseconds; negated in an oldest-first list. */
interface Times {
  readonly first: number | null
  readonly lowest: number | null
  /** `true` once a time was more than {@link TOLERANCE_MS} above an earlier one. */
  readonly hasRisen: boolean
  /** Highest time of the last page; `null` if that page has a time that cannot be read. */
  readonly highestOfPage: number | null
}

/** What the pages so far have shown about the order of a list. Plain JSON, so that it can be stored between two pages. */
export interface ListOrder {
  readonly sign: 1 | -1
  readonly created: Times
  readonly changed: Times
}

const NO_TIMES: Times = { first: null, lowest: null, hasRisen: false, highestOfPage: null }

/** Order of a list before its first page. */
export const NEWEST_FIRST: ListOrder = { sign: 1, created: NO_TIMES, changed: NO_TIMES }
export const OLDEST_FIRST: ListOrder = { sign: -1, created: NO_TIMES, changed: NO_TIMES }

/** Time by which records of an ordered list can be out of order, in milliseconds. */
const TOLERANCE_MS = 60_000

/** Adds the next page. */
export function orderAfter(
  { sign, created, changed }: ListOrder,
  page: readonly { readonly createdAt?: unknown; readonly updatedAt?: unknown }[],
): ListOrder {
  const times = (values: readonly unknown[]): number[] =>
    values.map((value) => sign * (typeof value === 'string' ? parseTime(value) : Number.NaN))
  return {
    sign,
    created: timesAfter(created, times(page.map(({ createdAt }) => createdAt))),
    changed: timesAfter(changed, times(page.map(({ updatedAt }) => updatedAt))),
  }
}

/**
 * Returns `true` if no page after the last one can have a record that was created since `end`; in an oldest-first list,
 * before `end`. The rule:
 *
 * - A list is newest first once its creation times have fallen by more than a minute in all, and never risen by more
 * than a minute. Until it has shown that, it is read on.
 * - The reading ends with a page whose records were all created over a minute before `end`, and not changed since: a
 * service that sorts by change shows old, just changed records first. Once times of change have risen by more than a
 * minute, the list is not sorted by change, and they no longer matter.
 * - An oldest-first reading ends early only if the list is certainly not sorted by change, because times of change have
 * fallen by more than a minute.
 * - A time that cannot be read never ends a reading.
 */
export function hasPassed({ sign, created, changed }: ListOrder, end: number): boolean {
  const isBeyond = ({ highestOfPage }: Times): boolean =>
    highestOfPage !== null && highestOfPage < sign * end - TOLERANCE_MS
  const isByChange = !changed.hasRisen && !(sign === 1 && isBeyond(changed))
  return isInOrder(created) && isBeyond(created) && !isByChange
}

function isInOrder({ first, lowest, hasRisen }: Times): boolean {
  return !hasRisen && first !== null && lowest !== null && first - lowest > TOLERANCE_MS
}

function timesAfter({ first, lowest, hasRisen }: Times, page: readonly number[]): Times {
  let [start, low, rose] = [first, lowest, hasRisen]
  for (const time of page) {
    if (Number.isNaN(time)) continue
    start ??= time
    low ??= time
    rose ||= time > low + TOLERANCE_MS
    low = Math.min(low, time)
  }
  const highest = page.length === 0 ? Number.NaN : Math.max(...page)
  return {
    first: start,
    lowest: low,
    hasRisen: rose,
    highestOfPage: Number.isNaN(highest) ? null : highest,
  }
}
