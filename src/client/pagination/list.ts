import { isRecord, without } from '../../common/known-options.js'
import type { ListEndpoint } from '../../contract/endpoint.js'
import { isDate } from '../../contract/realms.js'
import { parseTime } from '../../contract/times.js'
import type { ApiClient } from '../call/api-client.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { boolean, givenTime, optionsCopy, queryCopy, timeOf } from '../core/caller-input.js'
import { checkedSignal } from '../core/deadline.js'
import { InvalidRequestError } from '../errors/errors.js'
import {
  CursorIterator,
  type IterationRules,
  type ListRequest,
  type PageSelection,
} from './cursor-iterator.js'

/** Options of the iteration, in addition to the filters. */
export interface PaginationOptions {
  /** Cursor of a page or of an error, to continue there with the same filters. */
  readonly cursor?: string | undefined
  /**
   * Reads the next page while you work on the current one.
   * @defaultValue false
   */
  readonly prefetch?: boolean | undefined
  /**
   * Omits records that the same iteration has already returned. A record moves to the next page when others are added
   * before it. The iterator stores the IDs of the last 10,000 records.
   * @defaultValue false
   */
  readonly skipDuplicates?: boolean | undefined
}

/** Settings of {@link listOf} that depend on the calling method. */
export interface ListUse extends Partial<IterationRules> {
  /** Name of the method in errors about the input. Default: the name of the endpoint. */
  readonly operation?: string
}

/**
 * Returns the list of an endpoint as an iterator. Each page is one call.
 *
 * @param query - The endpoint's filters and the pagination options.
 */
export function listOf<T>(
  api: ApiClient,
  endpoint: ListEndpoint,
  query: object,
  options: RequestOptions = {},
  use: ListUse = {},
): CursorIterator<T> {
  const { operation = endpoint.id, mustBeComplete = false, select } = use
  const requestOptions = optionsCopy(operation, options, CALL_OPTIONS)
  const own = copyOf(operation, query)
  return new CursorIterator<T>({
    ...{ api, endpoint, operation, mustBeComplete, select },
    ...startOf(operation, endpoint, own),
    query: filtersOf(operation, endpoint, own),
    options: requestOptions,
    signal: checkedSignal(requestOptions.signal),
  })
}

/** Copies a query, because the pages are read later. */
function copyOf<T extends object>(operation: string, query: T): T & Query {
  if (!isRecord(query)) throw invalidQuery(operation, 'the query must be an object')
  refuseMisplaced(operation, query)
  return queryCopy(query as T & Query)
}

/** Throws for an option in the query that belongs to another argument or method. */
function refuseMisplaced(operation: string, query: object): void {
  const names = Object.keys(query)
  const option = names.find((name) => CALL_OPTIONS.has(name))
  if (option !== undefined)
    throw invalidQuery(operation, `${option} is an option: pass it in the second argument`, option)
  if (names.includes('limit'))
    throw invalidQuery(operation, 'limit is an option of toArray, such as toArray({ limit: 100 })', 'limit')
}

type Query = Readonly<Record<string, unknown>>

/** Returns the filters of a query, with times as ISO 8601. The check of the call rejects an invalid date. */
function filtersOf(operation: string, endpoint: ListEndpoint, query: Query): Query | undefined {
  const filters: Record<string, unknown> = without(query, 'cursor', 'prefetch', 'skipDuplicates')
  const [filter] = Object.keys(filters)
  if (filter === undefined) return undefined
  if (endpoint.query === undefined)
    throw invalidQuery(operation, `${operation} has no filters; ${filter} is unknown`, filter)
  for (const [name, value] of Object.entries(filters))
    if (isDate(value) && !Number.isNaN(value.getTime())) filters[name] = value.toISOString()
  return filters
}

type Start = Pick<ListRequest, 'cursor' | 'requestedSize' | 'prefetch' | 'identity'>

/** Reads the pagination options of a query. */
function startOf(operation: string, { response }: ListEndpoint, query: Query): Start {
  const { cursor, count, prefetch, skipDuplicates } = query
  if (cursor !== undefined && (typeof cursor !== 'string' || cursor === ''))
    throw invalidQuery(operation, 'cursor must be the cursor of a page or of an error', 'cursor')
  return {
    cursor,
    requestedSize: typeof count === 'number' ? count : undefined,
    prefetch: boolean('prefetch', prefetch, false),
    identity: boolean('skipDuplicates', skipDuplicates, false) ? response.identity : undefined,
  }
}

function invalidQuery(operation: string, message: string, field?: string): InvalidRequestError {
  return new InvalidRequestError(operation, [{ message, field }], 'INVALID_PARAMETER')
}

/**
 * Times of creation to select from a list. The service has no filter by time: the client reads the pages and selects
 * the records. An iteration ends early only once the records have shown that the list is in the order of `createdAt`. A
 * record whose `createdAt` cannot be read is included. ISO 8601 without an offset is in UTC, here and in the service's
 * times.
 */
export interface TimeRange {
  /**
   * Earliest time of creation, inclusive: a `Date` or ISO 8601. With `sort: 'desc'`, the iteration ends with a page
   * whose records were all created and last changed more than a minute earlier.
   * @defaultValue no limit
   */
  readonly since?: Date | string | undefined
  /**
   * Latest time of creation, exclusive: a `Date` or ISO 8601. Without `sort: 'desc'`, the iteration ends with a page
   * whose records were all created more than a minute later, but only if `updatedAt` has shown that the list is not in
   * the order of changes. Otherwise it reads the list to its end.
   * @defaultValue no limit
   */
  readonly until?: Date | string | undefined
}

/**
 * Returns a list without the records outside a time range. A list that is not in the order of `createdAt` is read to
 * its end. The client logs a warning if `since` or `until` could have ended the list earlier.
 */
export function listInRange<T>(
  api: ApiClient,
  endpoint: ListEndpoint,
  query: TimeRange & { readonly sort?: unknown },
  options: RequestOptions | undefined,
): CursorIterator<T> {
  const own = copyOf(endpoint.id, query)
  const { since, until, sort } = own
  const warn = (): void =>
    api.context.logger.warn(
      `pathology-sdk: ${endpoint.id} is not in the order of createdAt, so the client reads it to its end`,
    )
  const invalid = (message: string, field: string): Error => invalidQuery(endpoint.id, message, field)
  const select = (): PageSelection => {
    const from = givenTime('since', since, Number.NEGATIVE_INFINITY, invalid)
    const to = givenTime('until', until, Number.POSITIVE_INFINITY, invalid)
    return selection(from, to, sort === 'desc', warn)
  }
  const hasRange = since !== undefined || until !== undefined
  const use = { select: hasRange ? select : undefined }
  return listOf(api, endpoint, without(own, 'since', 'until'), options, use)
}

function selection(from: number, to: number, isDescending: boolean, warn: () => void): PageSelection {
  const end = isDescending ? from : to
  let order = isDescending ? NEWEST_FIRST : OLDEST_FIRST
  return (items) => {
    // The cast is safe, because a list contains only objects.
    const records = items as readonly { readonly createdAt?: unknown }[]
    const wasOrdered = !order.created.hasRisen
    order = orderAfter(order, records)
    if (wasOrdered && order.created.hasRisen && Number.isFinite(end)) warn()
    // A time that is not readable counts as inside the range.
    const isOutside = (time: number): boolean => time < from || time >= to
    return {
      items: records.filter(({ createdAt }) => !isOutside(timeOf(createdAt))),
      isLast: hasPassed(order, end),
    }
  }
}

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
