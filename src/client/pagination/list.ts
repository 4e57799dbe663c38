import { isRecord, ownFields, without, withSet } from '../../common/known-options.js'
import type { ListEndpoint } from '../../contract/endpoint.js'
import type { ApiClient } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { boolean, optionsSnapshot, querySnapshot, timeOf, timeOfSince } from '../core/caller-input.js'
import type { CallerSignal } from '../core/deadline.js'
import { responseError } from '../errors/error-texts.js'
import { InvalidRequestError, type InvalidResponseReason } from '../errors/errors.js'
import { CursorIterator, type IterationRules, type PageSelection } from './cursor-iterator.js'
import { NewestFirst } from './page-sequence.js'

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
   * Omits records that an earlier page of the same iteration contained: a record moves to the next page when others are
   * added before it. The iterator stores the IDs of the last 10,000 records.
   * @defaultValue false
   */
  readonly skipDuplicates?: boolean | undefined
}

/** Settings of {@link listOf} that depend on the calling method. */
export interface ListUse extends Partial<IterationRules> {
  /** Name of the method in errors. Default: the name of the endpoint. */
  readonly operation?: string
  /** Signal of the client that ends the requests, in place of the caller's. */
  readonly signal?: CallerSignal
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
  // Only own fields are read, because `Object.prototype` may be polluted.
  const { operation = endpoint.id, mustBeComplete = false, select, signal } = ownFields(use)
  if (!isRecord(query)) throw invalidQuery(operation, 'the query must be an object')
  const call = optionsSnapshot(operation, options)
  const given = querySnapshot(operation, query as Readonly<Record<string, unknown>>)
  const { cursor: first, prefetch, skipDuplicates, ...others } = given
  const filters = timesAsText(others)
  const [filter] = Object.keys(filters)
  if (endpoint.query === undefined && filter !== undefined)
    throw invalidQuery(operation, `${operation} has no filters; ${filter} is unknown`, filter)
  const { count } = filters
  if (first !== undefined && (typeof first !== 'string' || first === ''))
    throw invalidQuery(operation, 'cursor must be the cursor of a page', 'cursor')
  const failure = (reason: InvalidResponseReason, pages: number, detail: string): Error =>
    responseError(reason, {
      what: `${endpoint.method} ${endpoint.path}`,
      origin: api.context.options.base.origin,
      attempts: pages,
      outcome: 'failed',
      detail,
    })
  return new CursorIterator<T>({
    cursor: first,
    sizes: endpoint.response.paged,
    requestedSize: typeof count === 'number' ? count : undefined,
    prefetch: boolean('prefetch', prefetch, false),
    identity: boolean('skipDuplicates', skipDuplicates, false) ? endpoint.response.identity : undefined,
    select,
    signal: signal ?? api.context.signals.of(call.signal),
    fetchPage: (page, ownSignal = signal) => {
      // The filters and the options are checked with the first page.
      const isChecked = page !== first
      const input = { operation, query: filters, cursor: page, signal: ownSignal, isChecked }
      return api.call(endpoint, input, call).withResponse()
    },
    mustBeComplete,
    loopError: (pages) => failure('cursor-loop', pages, `after ${pages} pages`),
    incompleteError: (detail, pages) =>
      mustBeComplete || api.context.reader.reportIncomplete(endpoint, detail)
        ? failure('incomplete-list', pages, detail)
        : undefined,
  })
}

/** Writes dates as ISO 8601. An invalid date becomes `null` as text, which the check rejects. */
function timesAsText(filters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const dates = Object.entries(filters).filter((entry): entry is [string, Date] => entry[1] instanceof Date)
  const texts = dates.map(([name, time]) => [name, String(time.toJSON())])
  return withSet(filters, Object.fromEntries(texts))
}

function invalidQuery(operation: string, message: string, field?: string): InvalidRequestError {
  return new InvalidRequestError(operation, [{ message, field }], 'INVALID_PARAMETER')
}

/**
 * Times of creation to select from a list. The service has no filter by time: the client reads the pages and selects
 * the records. A record whose `createdAt` cannot be read is included.
 */
export interface TimeRange {
  /**
   * Earliest time of creation, inclusive: a `Date` or ISO 8601. With `sort: 'desc'`, the iteration ends with a page
   * on which all records are older.
   * @defaultValue no limit
   */
  readonly since?: Date | string | undefined
  /**
   * Latest time of creation, exclusive: a `Date` or ISO 8601. With `sort: 'asc'`, the default, the iteration ends with
   * a page on which all records are later.
   * @defaultValue no limit
   */
  readonly until?: Date | string | undefined
}

/**
 * Returns a list without the records outside a time range. The list ends after a page whose records are all beyond
 * the range, if the order of the list is known by then. A list that is not in the order of `createdAt` is read to its
 * end, with a warning. A record without a readable `createdAt` is in every range.
 */
export function listInRange<T>(
  api: ApiClient,
  endpoint: ListEndpoint,
  query: TimeRange & { readonly sort?: unknown },
  options: RequestOptions | undefined,
): CursorIterator<T> {
  // A copy, because the pages are read later. Its prototype cannot be polluted.
  const own = isRecord(query) ? querySnapshot(endpoint.id, query) : undefined
  if (own === undefined || (own.since === undefined && own.until === undefined))
    return listOf(api, endpoint, query, options)
  const { since, until, sort } = own
  const warn = (): void =>
    api.context.logger.warn(
      `pathology-sdk: ${endpoint.id} is not in the order of createdAt; it is read to its end, so that no record is missed`,
    )
  return listOf<T>(api, endpoint, without(own, 'since', 'until'), options, {
    select: () => {
      const from = timeIn(endpoint, 'since', since, Number.NEGATIVE_INFINITY)
      const to = timeIn(endpoint, 'until', until, Number.POSITIVE_INFINITY)
      return selection(from, to, sort === 'desc', warn)
    },
  })
}

function selection(from: number, to: number, isDescending: boolean, warn: () => void): PageSelection {
  // The times of an ascending list are negated, so that they descend.
  const sign = isDescending ? 1 : -1
  const end = isDescending ? from : -to
  const order = new NewestFirst(sign)
  let hasWarned = false
  return (items) => {
    // The cast is safe, because a list contains only objects.
    const records = items as readonly { readonly createdAt?: unknown }[]
    const times = records.map(({ createdAt }) => timeOf(createdAt))
    order.take(records)
    if (!order.isOrdered && !hasWarned && Number.isFinite(end)) {
      hasWarned = true
      warn()
    }
    const isBeyond = times.length > 0 && times.every((time) => sign * time < end)
    // A time that is not readable counts as inside the range.
    const isOutside = (time = Number.NaN): boolean => time < from || time >= to
    return {
      items: items.filter((_, index) => !isOutside(times[index])),
      isLast: isBeyond && order.hasPassed(end),
    }
  }
}

function timeIn(
  { id }: ListEndpoint,
  field: 'since' | 'until',
  given: Date | string | undefined,
  none: number,
): number {
  const errorOf = (): Error => invalidQuery(id, `${field} must be a Date or an ISO 8601 time`, field)
  return timeOfSince(given, none, errorOf)
}
