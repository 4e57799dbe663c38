import type { ServerClock } from '../../common/clock.js'
import { endpoints } from '../../contract/endpoints.js'
import type { AustralianState, KnownTestingType } from '../../contract/enums.js'
import { MAX_CENTRE_PAGE_SIZE } from '../../contract/limits.js'
import type { CollectionCentre } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import type { ApiPromise } from '../call/api-promise.js'
import { CALL_OPTIONS, type RequestOptions } from '../call/request-options.js'
import { givenTime, optionsCopy } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { CursorIterator } from '../pagination/cursor-iterator.js'
import { listOf, type PaginationOptions } from '../pagination/list.js'

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
   * Searches the directory. With a point, the centres are sorted by their distance from it, otherwise by name. Without
   * filters, returns all centres, except two kinds. Retired centres are returned only with `uuids` or `changedSince`.
   * Centres without usable coordinates are returned only with `uuids`.
   *
   * @throws {@link InvalidRequestError} with all problems, before anything is sent.
   *
   * @example
   * ```ts
   * const found = await client.centres.list({ search: 'Fremantle', states: ['WA'] }).toArray({ limit: 10 })
   * ```
   */
  list(filters: CentreFilters = {}, options?: RequestOptions): CursorIterator<CollectionCentre> {
    return listOf(this.#api, rows.list, filters, options)
  }

  /**
   * Returns the centres around a point, nearest first, each with its distance in kilometres.
   *
   * @example
   * ```ts
   * const { items } = await client.centres.nearest({ lat: -31.95, lng: 115.86, radiusKm: 10, count: 5 }).firstPage()
   * ```
   */
  nearest(
    point: PointFilter & PlainCentreFilters & PaginationOptions,
    options?: RequestOptions,
  ): CursorIterator<NearbyCentre> {
    return listOf(this.#api, rows.list, point, options, { operation: 'centres.nearest' })
  }

  /**
   * Returns one centre, with any status.
   *
   * @throws {@link InvalidRequestError} when `uuid` is not a UUID, {@link NotFoundError} when the centre never
   * existed.
   *
   * @example
   * ```ts
   * const { name, openingHours } = await client.centres.retrieve(uuid)
   * ```
   */
  retrieve(uuid: string, options?: RequestOptions): ApiPromise<CollectionCentre> {
    return this.#api.call(rows.retrieve, { path: { uuid } }, options)
  }

  /**
   * Returns the changes of the directory since a time, as operations on your copy, in pages of 10,000. Without `since`,
   * returns all centres that are not retired, for the first copy. Never returns centres without usable coordinates.
   * Later, pass the `nextSince` of the last iteration as `since`. No change is then lost, even if you missed a
   * `collection_centres.updated` event. Do not pass the `ranAt` of such an event instead: after a missed event, the
   * changes of that event would be lost.
   *
   * @throws {@link InvalidRequestError} at once when `since` is neither a `Date` nor an ISO 8601 time.
   * @throws {@link InvalidResponseError} with reason `incomplete-list` in the iteration, when the list may lack
   * records. This does not depend on `responseValidation`.
   *
   * @example
   * ```ts
   * const changes = client.centres.changes({ since: '2026-03-01T00:00:00Z' })
   * for await (const { type } of changes) console.log(type)
   * const since = changes.nextSince // store it with the copy
   * ```
   */
  changes(
    query: { readonly since?: Date | string | undefined } = {},
    options: RequestOptions = {},
  ): CentreChanges {
    const { since } = optionsCopy(CHANGES, query, new Set(['since']))
    const requestOptions = optionsCopy(CHANGES, options, CALL_OPTIONS)
    const invalid = (message: string, field: string): Error =>
      new InvalidRequestError(CHANGES, [{ message, field }])
    const changedSince = since === undefined ? undefined : new Date(givenTime('since', since, 0, invalid))
    const { serverClock } = this.#api.context
    const filters = { count: MAX_CENTRE_PAGE_SIZE, changedSince }
    const use = { operation: CHANGES, mustBeComplete: true }
    const list = (): CursorIterator<CollectionCentre> =>
      listOf(this.#api, rows.list, filters, requestOptions, use)
    return new CentreChanges(list, serverClock)
  }
}

/** Operation on a copy of the directory. */
export type CentreChange =
  | {
      /** Inserts `centre`, or replaces the centre with this `uuid`. */
      readonly type: 'upsert'
      /** ID of the centre, a UUID. */
      readonly uuid: string
      /** Present state of the centre. */
      readonly centre: CollectionCentre
    }
  | {
      /** Removes the centre from the copy. */
      readonly type: 'remove'
      /** ID of the centre, a UUID. */
      readonly uuid: string
      /** Present state of the centre, RETIRED. */
      readonly centre: CollectionCentre
    }

/**
 * Time by which `nextSince` is earlier than the start of the iteration, in milliseconds. Some changes are read twice,
 * without effect.
 */
const OVERLAP_MS = 60_000

/**
 * Changes of the directory since a time, as operations on a copy: remove retired centres, and insert or replace
 * all others. Iterate to the end, then save `nextSince` with your copy.
 */
export class CentreChanges implements AsyncIterable<CentreChange> {
  readonly #list: () => CursorIterator<CollectionCentre>
  readonly #serverClock: ServerClock
  #nextSince: string | undefined

  constructor(list: () => CursorIterator<CollectionCentre>, serverClock: ServerClock) {
    this.#list = list
    this.#serverClock = serverClock
  }

  /**
   * The `since` of the next call, ISO 8601; `undefined` until the iteration has reached its end. This time is a minute
   * before the start of the iteration by the service's clock, so no change is lost between two iterations.
   */
  get nextSince(): string | undefined {
    return this.#nextSince
  }

  /** Iterates over the changes. */
  async *[Symbol.asyncIterator](): AsyncGenerator<CentreChange, void, undefined> {
    for await (const page of this.pages()) yield* page
  }

  /** Iterates over arrays of up to 10,000 changes, for example to write each array in one transaction. */
  async *pages(): AsyncGenerator<readonly CentreChange[], void, undefined> {
    this.#nextSince = undefined
    const startedAt = this.#serverClock.now()
    let began: number | undefined
    for await (const page of this.#list().pages()) {
      // The first response corrects the server clock. The earlier of the times before and after the correction is used.
      began ??= Math.min(startedAt, this.#serverClock.now())
      yield page.items.map((centre) => {
        return { type: centre.status === 'RETIRED' ? 'remove' : 'upsert', uuid: centre.uuid, centre }
      })
    }
    this.#nextSince = new Date((began ?? startedAt) - OVERLAP_MS).toISOString()
  }
}

/** Point to search around: both coordinates, and optionally a radius. */
export interface PointFilter {
  /** Latitude in degrees, -90 to 90. */
  readonly lat: number
  /** Longitude in degrees, -180 to 180. */
  readonly lng: number
  /** Maximum distance from the point in a straight line, in kilometres, up to 5,000. */
  readonly radiusKm?: number | undefined
}

/** Box to search in. All four edges are required. A point on an edge is in the box. */
export interface BoxFilter {
  /** Northern edge in degrees, -90 to 90, inclusive. `north` must not be south of `south`. */
  readonly north: number
  /** Southern edge in degrees, -90 to 90, inclusive. */
  readonly south: number
  /**
   * Eastern edge in degrees, -180 to 180, inclusive. `east` must not be west of `west`: a box cannot cross the
   * antimeridian.
   */
  readonly east: number
  /** Western edge in degrees, -180 to 180, inclusive. */
  readonly west: number
}

type None<T> = { readonly [Key in keyof T]?: undefined }

/** Independent filters of the centre list. An empty list is rejected: omit the filter instead. */
export interface PlainCentreFilters {
  /** Only these centres, with any status; up to 100. */
  readonly uuids?: readonly string[] | undefined
  /** IDs of the brands under which the centres operate. */
  readonly pathologyProviders?: readonly string[] | undefined
  /** IDs of laboratory companies; see `client.vendors`. */
  readonly vendors?: readonly string[] | undefined
  /** Types of testing. All centres are PATHOLOGY; IMAGING matches none. */
  readonly testingTypes?: readonly KnownTestingType[] | undefined
  /** States and territories, abbreviated. */
  readonly states?: readonly AustralianState[] | undefined
  /** Postcodes of exactly four digits each: `'0810'`, not `'810'`. */
  readonly postcodes?: readonly string[] | undefined
  /** Part of the name, venue, street address or suburb, case-insensitive; up to 100 characters. */
  readonly search?: string | undefined
  /**
   * Only centres that were created, changed, reported missing, found again or retired at or after this time: a `Date`
   * or ISO 8601.
   */
  readonly changedSince?: Date | string | undefined
  /**
   * Number of centres per page, up to 10,000.
   * @defaultValue 50, set by the service
   */
  readonly count?: number | undefined
}

/**
 * Filters of a centre search. A centre must match all filters, and one value of each list. A point or a box
 * must be complete.
 */
export type CentreFilters = PlainCentreFilters &
  PaginationOptions &
  (PointFilter | None<PointFilter>) &
  (BoxFilter | None<BoxFilter>)
