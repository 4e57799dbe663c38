import type { NearbyCentre } from '../../client/resources/centres.js'
import type { MirrorContext } from '../core/context.js'
import { methodOptions } from '../method-options.js'
import { nearestCentres } from './centre-table.js'

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
    const { limit = 100, ...place } = methodOptions('centres.nearest', options)
    const { database } = await this.#ready()
    const rows = await nearestCentres(database, { ...place, limit })
    return rows.map(({ body, distance }) => ({ ...body, distanceKm: distance }))
  }
}
