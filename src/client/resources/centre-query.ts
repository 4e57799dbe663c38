import type { AustralianState, KnownTestingType } from '../../contract/enums.js'
import type { PaginationOptions } from '../pagination/list.js'

/** A point to search around: both coordinates, and a radius if you like (§4.5). */
export interface PointFilter {
  /** Latitude in degrees, -90 to 90. */
  readonly lat: number
  /** Longitude in degrees, -180 to 180. */
  readonly lng: number
  /** Kilometres from the point in a straight line, up to 5,000; kept to exactly. */
  readonly radiusKm?: number | undefined
}

/** A box to search in: all four edges, which belong to it (§4.5). */
export interface BoxFilter {
  /** Northern edge in degrees, -90 to 90, itself included. */
  readonly north: number
  /** Southern edge in degrees, -90 to 90, itself included. */
  readonly south: number
  /** Eastern edge in degrees, -180 to 180, itself included; not west of `west`, so no box crosses the antimeridian. */
  readonly east: number
  /** Western edge in degrees, -180 to 180, itself included. */
  readonly west: number
}

type None<T> = { readonly [Key in keyof T]?: undefined }

/** The filters of the centre list that do not come in groups (§4.5). An empty list is refused: leave the filter out. */
export interface PlainCentreFilters {
  /** Only these centres, whatever their status; up to 100. */
  readonly uuids?: readonly string[] | undefined
  /** Ids of brands on the door. */
  readonly pathologyProviders?: readonly string[] | undefined
  /** Ids of laboratory companies: see `client.vendors`. */
  readonly vendors?: readonly string[] | undefined
  /** Kinds of testing. Every centre is PATHOLOGY, and IMAGING finds none. */
  readonly testingTypes?: readonly KnownTestingType[] | undefined
  /** States and territories, abbreviated. */
  readonly states?: readonly AustralianState[] | undefined
  /** Postcodes of exactly four digits each: `'0810'`, not `'810'`. */
  readonly postcodes?: readonly string[] | undefined
  /** Part of the name, venue, street address or suburb, in either case; up to 100 characters. */
  readonly search?: string | undefined
  /** Centres created, changed, missing, back or retired at or after this time. */
  readonly changedSince?: Date | string | undefined
  /**
   * Centres a page, up to 10,000.
   * @defaultValue 50, by the service
   */
  readonly count?: number | undefined
}

/**
 * A search for collection centres (§4.5). Different filters must all hold; of a list's values any will do. A point or a
 * box is given whole or not at all.
 */
export type CentreFilters = PlainCentreFilters &
  PaginationOptions &
  (PointFilter | None<PointFilter>) &
  (BoxFilter | None<BoxFilter>)
