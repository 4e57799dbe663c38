import { endpoints } from '../../contract/endpoints.js'
import type { CollectionCentre } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOfSince } from '../core/option-values.js'
import { optionsSnapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import { CentreChanges } from '../pagination/centre-changes.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import type { CentreFilters, PlainCentreFilters, PointFilter } from './centre-query.js'

const rows = endpoints.centres

const CHANGES = 'centres.changes'

/** Centre with its distance from a point. */
export interface NearbyCentre extends CollectionCentre {
  /** Distance from the point in a straight line, in kilometres. */
  distanceKm: number
}

/** Directory of collection centres, as `client.centres`. */
export class Centres {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Searches the directory: by distance around a point, otherwise by name. Without filters it returns all
   * centres. It omits retired centres and centres without usable coordinates, except with `uuids` and
   * `changedSince`.
   *
   * @throws {@link InvalidRequestError} with all problems, before anything is sent.
   */
  list(filters: CentreFilters = {}, options?: RequestOptions): CursorIterator<CollectionCentre> {
    return listOf(this.#api, rows.list, filters, options)
  }

  /** Returns the centres around a point, nearest first, each with its distance in kilometres. */
  nearest(
    point: PointFilter & PlainCentreFilters & PaginationOptions,
    options?: RequestOptions,
  ): CursorIterator<NearbyCentre> {
    return listOf(this.#api, rows.list, point, options, { operation: 'centres.nearest' })
  }

  /**
   * Returns one centre, in any state.
   *
   * @throws {@link InvalidRequestError} when `uuid` is not a UUID, {@link NotFoundError} when the centre never
   * existed.
   */
  retrieve(uuid: string, options?: RequestOptions): ApiPromise<CollectionCentre> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /**
   * Returns the changes of the directory since a time, as operations on a copy, in pages of 10,000. Pass the
   * `nextSince` of the last iteration: then a missed event has no effect. Without `since` it returns the
   * complete directory, for the first copy. With the `ranAt` of a `collection_centres.updated` event it returns
   * the changes of that refresh, but not those of an event that you missed.
   *
   * @throws {@link InvalidRequestError} at once when `since` is neither a `Date` nor an ISO 8601 time.
   *
   * ```ts
   * const changes = client.centres.changes({ since })
   * for await (const change of changes) …
   * await save(changes.nextSince)
   * ```
   */
  changes(
    query: { readonly since?: Date | string | undefined } = {},
    options: RequestOptions = {},
  ): CentreChanges {
    const { since } = optionsSnapshot(CHANGES, query, new Set(['since']))
    const call = optionsSnapshot(CHANGES, options)
    const changedSince = since === undefined ? undefined : isoTime(since)
    const { serverClock } = this.#api.context
    const use = { operation: CHANGES, mustBeComplete: true }
    return new CentreChanges({
      list: ({ count }) => listOf(this.#api, rows.list, { count, changedSince }, call, use),
      serviceNow: () => serverClock.now(),
    })
  }
}

function isoTime(since: Date | string): string {
  const errorOf = (message: string): Error => new InvalidRequestError(CHANGES, [{ message, field: 'since' }])
  return new Date(timeOfSince(since, 0, errorOf)).toISOString()
}
