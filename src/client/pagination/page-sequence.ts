import type { PageSizes } from '../../contract/endpoint.js'
import type { ListPage } from '../call/response-shape.js'
import { timeOf } from '../core/caller-input.js'

/** Facts about a list before its first page. */
export interface SequenceStart {
  /** Documented page sizes; `false` for a list of one page without a cursor. */
  readonly sizes: PageSizes | false
  /** Requested page size. */
  readonly requestedSize: number | undefined
  /** Cursor of the first page; `undefined` when the list is read from its start. */
  readonly cursor: string | undefined
}

/** Selects records of a page. */
export type PageSelection = (items: readonly unknown[]) => {
  readonly items: readonly unknown[]
  /** `true` when no later page contains a record to select. */
  readonly isLast: boolean
}

/** Rules of an iteration that depend on the calling method. */
export interface IterationRules {
  /**
   * `true` when the caller needs the complete list, for example to conclude that a record does not exist. The iteration
   * then throws in every validation mode if records may be missing, for example after a full last page without a
   * cursor.
   */
  readonly mustBeComplete: boolean
  /**
   * Creates the selection of one iteration: the records of each page to return, and whether later pages are needed.
   * Called before the first request: an error rejects the iteration.
   */
  readonly select: (() => PageSelection) | undefined
}

/**
 * Decides for each page if the list ends there, and if the end is certain. A cursor that repeats is found elsewhere, by
 * `CursorGuard` in cursor-iterator.ts.
 */
export class PageSequence {
  readonly #start: SequenceStart
  /** Smallest page size that the service reported. */
  #smallest: number | undefined
  #records = 0

  constructor(start: SequenceStart) {
    this.#start = start
  }

  /**
   * Records the next page. `next` is the cursor of the page after it; `undefined` at the end of the list. `doubt` is
   * the reason why records may be missing at the end; `undefined` before the end, and at an end that is certain.
   */
  take(page: ListPage): { next: string | undefined; doubt: string | undefined } {
    const { items, pageInfo } = page
    const count = this.#appliedSize(page)
    if (count !== undefined) this.#smallest = Math.min(count, this.#smallest ?? count)
    this.#records += items.length
    const isLast = pageInfo === undefined || items.length === 0 || !isFull(page, count)
    return isLast
      ? { next: undefined, doubt: this.#doubt(page) }
      : { next: pageInfo.cursor, doubt: undefined }
  }

  /**
   * Returns the reason why records may be missing at the end. With a usable total: the list has fewer records than this
   * total. Without a usable total: the last page is full and has no cursor. A total is usable if the list was read from
   * its start and does not have more records than the total.
   */
  #doubt({ items, pageInfo, totalResults }: ListPage): string | undefined {
    const { sizes } = this.#start
    if (sizes === false) return undefined
    if (this.#start.cursor === undefined && totalResults !== undefined) {
      if (this.#records === totalResults) return undefined
      if (this.#records < totalResults) return 'the list has fewer records than its total'
    }
    const isUnmarked = pageInfo === undefined && items.length >= this.#limit(sizes)
    return isUnmarked ? 'a full page has no cursor' : undefined
  }

  #limit(sizes: PageSizes): number {
    const { requestedSize = sizes.byDefault } = this.#start
    return Math.max(1, this.#smallest ?? Math.min(sizes.byDefault, requestedSize))
  }

  /** Returns the page size that the service reports, but at most the documented maximum. */
  #appliedSize({ count }: ListPage): number | undefined {
    const { sizes } = this.#start
    if (count === undefined || count < 1) return undefined
    return sizes === false ? count : Math.min(count, sizes.atMost)
  }
}

/**
 * Returns `true` when a page is full, or the page size is unknown. Uses the larger of `resultCount` and the number of
 * records: an additional request is better than a lost record.
 */
function isFull({ items, resultCount }: ListPage, count: number | undefined): boolean {
  return count === undefined || Math.max(resultCount ?? 0, items.length) >= count
}

/** Maximum time by which records of an ordered list can be out of order, in milliseconds. */
const MAX_DISORDER_MS = 60_000

/** Resolution of `createdAt` in milliseconds: the service may omit parts of a second. */
const CREATION_TIME_RESOLUTION_MS = 1_000

/** Minimum number of records that prove the order of a list whose times go back by {@link MAX_DISORDER_MS} or less. */
const ENOUGH_RECORDS = 20

/**
 * Determines from `createdAt` how far an ordered list was read. The times of an oldest-first list are negated, so that
 * the times of every list fall: 9:00, 9:05 in an oldest-first list are −9:00, −9:05.
 */
export class ReadBack {
  /** `false` when a record is more than a minute out of order. */
  isOrdered = true
  readonly #sign: 1 | -1
  #first = Number.NaN
  #last = Number.NaN
  #oldest = Number.POSITIVE_INFINITY
  #count = 0

  constructor(direction: 'newest-first' | 'oldest-first' = 'newest-first') {
    this.#sign = direction === 'newest-first' ? 1 : -1
  }

  /** Records the next records of the list. Ignores a `createdAt` that is not readable. */
  take(records: readonly { readonly createdAt?: unknown }[]): void {
    for (const { createdAt } of records) {
      const time = this.#sign * timeOf(createdAt)
      if (Number.isNaN(time)) continue
      if (Number.isNaN(this.#first)) this.#first = time
      if (time > this.#oldest + MAX_DISORDER_MS) this.isOrdered = false
      this.#oldest = Math.min(this.#oldest, time)
      this.#last = time
      this.#count += 1
    }
  }

  /**
   * Returns `true` when the list was certainly read up to a time. Both conditions must hold:
   * - The last record is beyond the time by more than the maximum disorder.
   * - The list is known to be in order.
   *
   * A list is known to be in order if no record is more than a minute out of order, and in one of two cases:
   * - From the first record to the last, the time went back by more than the maximum disorder.
   * - There are at least {@link ENOUGH_RECORDS} records, and the last is at most a second later than the first.
   */
  hasPassed(end: number): boolean {
    const wentBackMs = this.#first - this.#last
    const isInOrder =
      wentBackMs > MAX_DISORDER_MS ||
      (this.#count >= ENOUGH_RECORDS && wentBackMs >= -CREATION_TIME_RESOLUTION_MS)
    return this.isOrdered && isInOrder && this.#last < this.#sign * end - MAX_DISORDER_MS
  }
}
