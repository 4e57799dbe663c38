import { isRecord, without } from '../../common/known-options.js'
import type { ListEndpoint } from '../../contract/endpoint.js'
import type { ApiClient } from '../call/api-client.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf, timeOfSince } from '../core/option-values.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { CursorIterator, PageSelection } from './cursor-iterator.js'
import { listOf } from './list.js'
import { NewestFirst } from './page-sequence.js'

/** Times of creation to select from a list. The service has no such filter: the client reads the pages and selects. */
export interface TimeRange {
  /**
   * Earliest time of creation, inclusive: a `Date` or ISO 8601. With `sort: 'desc'` the list ends one page after it.
   * @defaultValue no limit
   */
  readonly since?: Date | string | undefined
  /**
   * Latest time of creation, exclusive: a `Date` or ISO 8601. With `sort: 'asc'` the list ends one page after it.
   * @defaultValue no limit
   */
  readonly until?: Date | string | undefined
}

interface Bounds {
  readonly from: number
  readonly to: number
}

/**
 * Returns a list without the records outside a time range. It ends after one page whose records are all beyond the range. A
 * list that is not in the order of `createdAt` is read to its end, with a warning. A record without a readable `createdAt`
 * is in every range.
 */
export function listInRange<T>(
  api: ApiClient,
  endpoint: ListEndpoint,
  query: TimeRange & { readonly sort?: unknown },
  options: RequestOptions | undefined,
): CursorIterator<T> {
  // Only own fields are read, because `Object.prototype` may be polluted.
  const own = (name: 'since' | 'until'): Date | string | undefined =>
    isRecord(query) && Object.hasOwn(query, name) ? query[name] : undefined
  const [since, until] = [own('since'), own('until')]
  if (since === undefined && until === undefined) return listOf(api, endpoint, query, options)
  const { sort } = query
  const bounds = (): Bounds => ({
    from: timeIn(endpoint, 'since', since, Number.NEGATIVE_INFINITY),
    to: timeIn(endpoint, 'until', until, Number.POSITIVE_INFINITY),
  })
  const warn = (): void =>
    api.context.logger.warn(
      `pathology-sdk: ${endpoint.id} is not in the order of createdAt; it is read to its end, so that no record is missed`,
    )
  return listOf<T>(api, endpoint, without(query, 'since', 'until'), options, {
    check: () => void bounds(),
    select: () => selection(bounds(), sort === 'desc', warn),
  })
}

function selection({ from, to }: Bounds, isDescending: boolean, warn: () => void): PageSelection {
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
    return {
      items: items.filter((_, index) => !isOutside(times[index] ?? Number.NaN, from, to)),
      isLast: isBeyond && order.hasPassed(end),
    }
  }
}

/** Whether a time is outside a range. A time that is not readable counts as inside. */
function isOutside(time: number, from: number, to: number): boolean {
  return time < from || time >= to
}

function timeIn(
  { id }: ListEndpoint,
  field: 'since' | 'until',
  given: Date | string | undefined,
  none: number,
): number {
  const errorOf = (): Error =>
    new InvalidRequestError(
      id,
      [{ message: `${field} must be a Date or an ISO 8601 time`, field }],
      'INVALID_PARAMETER',
    )
  return timeOfSince(given, none, errorOf)
}
