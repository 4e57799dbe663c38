import type { NearbyCentre } from '../../client/resources/centres.js'
import type { CollectionCentre } from '../../contract/types.js'
import type { MirrorContext } from '../core/context.js'
import { methodOptions } from '../method-options.js'

/** Options of `mirror.centres.nearest`: the point, the maximum distance and the maximum number of centres. */
export interface NearestCentresOptions {
  /** Latitude in degrees, -90 to 90. */
  readonly lat: number
  /** Longitude in degrees, -180 to 180. */
  readonly lng: number
  /** Maximum distance in a straight line, in kilometres: above 0 and up to 20,100. */
  readonly withinKm: number
  /**
   * Maximum number of centres, at least 1.
   * @defaultValue 100
   */
  readonly limit?: number | undefined
}

/**
 * Centres around a point ($1, $2), nearest first. The condition on the latitude can use an index. The distance on a
 * sphere is then calculated in plain SQL, without an extension.
 */
const NEAREST = `
SELECT body, distance::numeric AS distance FROM (
  SELECT body, 12742.0176 * asin(LEAST(1, sqrt(power(sin(radians(lat - $1::double precision) / 2), 2)
    + cos(radians($1::double precision)) * cos(radians(lat))
    * power(sin(radians(lng - $2::double precision) / 2), 2)))) AS distance
  FROM {schema}.centre
  WHERE retired_at IS NULL AND lat BETWEEN $1::double precision - $4::double precision
    AND $1::double precision + $4::double precision
) AS centre WHERE distance <= $3::double precision ORDER BY distance, body->>'uuid' LIMIT $5::bigint`

/** Kilometres of one degree of latitude, rounded down so that the range of latitudes is never too small. */
const DEGREE_KM = 110

interface CentreRow {
  readonly body: CollectionCentre
  readonly distance: number
}

/** The copy of the collection centre directory. Available as `mirror.centres`. */
export class CentreDirectory {
  readonly #ready: () => Promise<MirrorContext>

  /** @param ready - Opens the database. */
  constructor(ready: () => Promise<MirrorContext>) {
    this.#ready = ready
  }

  /**
   * Returns the centres around a point from the copy, nearest first, each with its distance in kilometres. Sends no
   * request. Retired centres and centres without usable coordinates are left out.
   *
   * @throws `ConfigurationError` if a number is out of range, or an option is unknown.
   */
  async nearest(options: NearestCentresOptions): Promise<readonly NearbyCentre[]> {
    const { lat, lng, withinKm, limit = 100 } = methodOptions('centres.nearest', options)
    const { database } = await this.#ready()
    const values = [lat, lng, withinKm, withinKm / DEGREE_KM, limit]
    const { rows } = await database.query<CentreRow>(NEAREST, values)
    return rows.map(({ body, distance }) => ({ ...body, distanceKm: distance }))
  }
}
