import type { AustralianState, KnownTestingType } from '../../contract/enums.js'
import type { PaginationOptions } from '../pagination/list.js'

/** Point to search around: both coordinates, and optionally a radius. */
export interface PointFilter {
  /** Latitude in degrees, -90 to 90. */
  readonly lat: number
  /** Longitude in degrees, -180 to 180. */
  readonly lng: number
  /** Maximum distance from the point in a straight line, in kilometres, up to 5,000. */
  readonly radiusKm?: number | undefined
}

/** Box to search in. All four edges are required, and they belong to the box. */
export interface BoxFilter {
  /** Northern edge in degrees, -90 to 90, inclusive. */
  readonly north: number
  /** Southern edge in degrees, -90 to 90, inclusive. */
  readonly south: number
  /**
   * Eastern edge in degrees, -180 to 180, inclusive. It must not be west of `west`: a box cannot cross the
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
  /** Centres that were created, changed, missing, found again or retired at or after this time. */
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
