import type { NearbyCentre } from '../../client/resources/centres.js'
import { ConfigurationError } from '../../common/errors.js'
import { ownOptions } from '../../common/known-options.js'
import type { MirrorContext } from '../core/context.js'
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

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof NearestCentresOptions>([
  'lat',
  'lng',
  'withinKm',
  'limit',
])

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
   * @throws {@link ConfigurationError} if a number is out of range, or an option is unknown.
   */
  async nearest(options: NearestCentresOptions): Promise<readonly NearbyCentre[]> {
    const { lat, lng, withinKm, limit = 100 } = ownOptions('mirror.centres.nearest', options, OPTION_NAMES)
    demand(isNumber(lat) && Math.abs(lat) <= 90, 'lat must be a number from -90 to 90')
    demand(isNumber(lng) && Math.abs(lng) <= 180, 'lng must be a number from -180 to 180')
    demand(
      isNumber(withinKm) && withinKm > 0 && withinKm <= 20_100,
      'withinKm must be a number above 0 and up to 20100',
    )
    demand(Number.isSafeInteger(limit) && limit > 0, 'limit must be an integer of at least 1')
    const { database } = await this.#ready()
    const rows = await nearestCentres(database, { lat, lng, withinKm, limit })
    return rows.map(({ body, distance }) => ({ ...body, distanceKm: distance }))
  }
}

/** A caller without types can pass `null` or a text, which `Math.abs` would convert to a number. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function demand(holds: boolean, rule: string): void {
  if (!holds) throw new ConfigurationError(`mirror.centres.nearest: ${rule}. Nothing was read`)
}
