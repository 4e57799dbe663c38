import { endpoints } from '../../contract/endpoints.js'
import type { CollectionCentre } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOfSince } from '../core/since.js'
import { optionsSnapshot } from '../core/snapshot.js'
import { InvalidRequestError } from '../errors/errors.js'
import { CentreChanges } from '../pagination/centre-changes.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'
import type { CentreFilters, PlainCentreFilters, PointFilter } from './centre-query.js'

const rows = endpoints.centres

const CHANGES = 'centres.changes'

/** A centre found around a point. */
export interface NearbyCentre extends CollectionCentre {
  /** Kilometres from the point, in a straight line. */
  distanceKm: number
}

/** The directory of collection centres (§4.5). Reached as `client.centres`. */
export class Centres {
  readonly #api: ApiClient

  constructor(api: ApiClient) {
    this.#api = api
  }

  /**
   * Searches the directory (§4.5): nearest first around a point, by name otherwise. Without filters, every centre.
   * Retired centres and those without usable coordinates are left out, except as `uuids` and `changedSince` say.
   *
   * @throws {@link InvalidRequestError} with every problem, before anything is sent.
   */
  list(filters: CentreFilters = {}, options: RequestOptions = {}): CursorIterator<CollectionCentre> {
    return listOf(this.#api, rows.list, filters, options)
  }

  /** The centres around a point, nearest first, each with its distance in kilometres (§4.5). */
  nearest(
    point: PointFilter & PlainCentreFilters & PaginationOptions,
    options: RequestOptions = {},
  ): CursorIterator<NearbyCentre> {
    return listOf(this.#api, rows.list, point, options, { operation: 'centres.nearest' })
  }

  /**
   * One centre, whatever its state (§4.5).
   *
   * @throws {@link InvalidRequestError} when `uuid` is no UUID, {@link NotFoundError} when there never was such a centre.
   */
  retrieve(uuid: string, options: RequestOptions = {}): ApiPromise<CollectionCentre> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /**
   * What to do to a copy of the directory to bring it up to date (§4.5): pages of 10,000, upserts and removals. Pass the
   * `nextSince` of the walk before: a missed event then costs nothing. Without `since` it is the whole directory, for the
   * first copy. From the `ranAt` of a `collection_centres.updated` event it is what that refresh changed, and nothing
   * that an event brought which never arrived.
   *
   * @throws {@link InvalidRequestError} at once when `since` is neither a `Date` nor an ISO 8601 time.
   *
   * ```ts
   * const changes = client.centres.changes({ since })
   * for await (const change of changes) …
   * await keep(changes.nextSince)
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
  const refusal = (message: string): Error => new InvalidRequestError(CHANGES, [{ message, field: 'since' }])
  return new Date(timeOfSince(since, 0, refusal)).toISOString()
}
