import type { AustralianState, KnownTestingType } from '../../contract/enums.js'
import type { WalkOptions } from '../lists/lists.js'

/** A point to search around: both coordinates, and a radius if you like (§4.5). */
export interface PointFilter {
  /** Degrees, -90 to 90. */
  readonly lat: number
  /** Degrees, -180 to 180. */
  readonly lng: number
  /** Kilometres, up to 5,000; kept to exactly. */
  readonly radiusKm?: number | undefined
}

/** A box to search in: all four edges, which belong to it (§4.5). */
export interface BoxFilter {
  readonly north: number
  readonly south: number
  readonly east: number
  readonly west: number
}

type None<T> = { readonly [Key in keyof T]?: undefined }

/** The filters of the centre list that do not come in groups (§4.5). */
export interface PlainCentreFilters {
  /** Up to 100; whatever their state. */
  readonly uuids?: readonly string[] | undefined
  /** Brands' ids. */
  readonly pathologyProviders?: readonly string[] | undefined
  /** Parent companies' ids: see `client.vendors`. */
  readonly vendors?: readonly string[] | undefined
  readonly testingTypes?: readonly KnownTestingType[] | undefined
  readonly states?: readonly AustralianState[] | undefined
  /** Exactly four digits each: `'0810'`, not `'810'`. */
  readonly postcodes?: readonly string[] | undefined
  /** Part of a name, venue, street address or suburb; up to 100 characters. */
  readonly search?: string | undefined
  /** Changed at or after this time, retired centres included. */
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
  WalkOptions &
  (PointFilter | None<PointFilter>) &
  (BoxFilter | None<BoxFilter>)

/** The query as it is sent: times as ISO 8601, everything else as given. */
export function centreQuery(filters: PlainCentreFilters & WalkOptions): object {
  const changedSince = filters?.changedSince
  return changedSince === undefined ? filters : { ...filters, changedSince: isoTime(changedSince) }
}

/** A time as ISO 8601; what is no time stays recognisable, for the check to name. */
function isoTime(time: Date | string): string {
  if (!(time instanceof Date)) return time
  return Number.isNaN(time.getTime()) ? 'Invalid Date' : time.toISOString()
}
