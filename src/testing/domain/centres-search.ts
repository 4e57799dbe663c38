import type { CursorPosition } from '../server/lists.js'
import type { CentreIndex, IndexedCentre } from '../state/centres.js'
import type { CentreFilters, SearchBox, SearchPoint } from './centres-query.js'

export interface FoundCentre extends Pick<IndexedCentre, 'record' | 'view'> {
  /** Kilometres from the point of the search; `undefined` without a point or usable coordinates. */
  readonly distanceKm?: number | undefined
}

/** Returns every centre that matches the filters, sorted by name. Adds the distance in a search around a point. */
export function searchCentres(index: CentreIndex, filters: CentreFilters): readonly FoundCentre[] {
  const found = candidates(index, filters).filter((centre) => passes(centre, filters))
  const { point } = filters
  if (point === undefined) return found
  return found
    .map((centre) => ({ record: centre.record, view: centre.view, distanceKm: distanceTo(point, centre) }))
    .filter(
      ({ distanceKm = Number.POSITIVE_INFINITY }) =>
        distanceKm <= (point.radiusKm ?? Number.POSITIVE_INFINITY),
    )
}

/**
 * Returns the position of a found centre for a cursor: distance and uuid in a search around a point, otherwise name and
 * uuid.
 */
export function positionOf(found: FoundCentre, filters: CentreFilters): CursorPosition {
  const { uuid, name } = found.record
  return filters.point === undefined ? [name, uuid] : [sortDistance(found), uuid]
}

/** Returns at most `count` found centres after a cursor's position, in the list's order (§4.5). */
export function pageOf(
  found: readonly FoundCentre[],
  filters: CentreFilters,
  { after, count }: { readonly after: CursorPosition | undefined; readonly count: number },
): readonly FoundCentre[] {
  if (filters.point === undefined) {
    const start = countUpTo(found, filters, after)
    return found.slice(start, start + count)
  }
  const rest =
    after === undefined ? found : found.filter((entry) => isBeyond(positionOf(entry, filters), after))
  return nearest(rest, count)
}

/** Sorts only the centres that can be on the page, because a search around a point can find the entire directory. */
function nearest(found: readonly FoundCentre[], count: number): readonly FoundCentre[] {
  const farthest = Float64Array.from(found, sortDistance).sort()[count - 1] ?? Number.POSITIVE_INFINITY
  return found
    .filter((entry) => sortDistance(entry) <= farthest)
    .sort(compareByDistance)
    .slice(0, count)
}

/** Returns the number of sorted centres up to and including a cursor's position. */
function countUpTo(
  found: readonly FoundCentre[],
  filters: CentreFilters,
  after: CursorPosition | undefined,
): number {
  if (after === undefined) return 0
  let low = 0
  let high = found.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const entry = found[middle]
    if (entry !== undefined && isBeyond(positionOf(entry, filters), after)) high = middle
    else low = middle + 1
  }
  return low
}

function isBeyond(position: CursorPosition, after: CursorPosition): boolean {
  const [key = '', uuid = ''] = position
  const [afterKey = '', afterUuid = ''] = after
  return key === afterKey ? uuid > afterUuid : key > afterKey
}

/**
 * Returns the centres that the filters can select. Only `uuids` finds centres without usable coordinates. Only `uuids`
 * and `changedSince` find RETIRED centres (§4.5).
 */
function candidates(index: CentreIndex, filters: CentreFilters): readonly IndexedCentre[] {
  if (filters.uuids !== undefined) {
    const wanted = new Set(filters.uuids)
    return index.byName.filter((centre) => wanted.has(centre.record.uuid))
  }
  if (filters.changedSince === undefined) return index.listed
  return index.byName.filter((centre) => centre.mappable)
}

function passes(centre: IndexedCentre, filters: CentreFilters): boolean {
  const { record } = centre
  return (
    has(filters.pathologyProviders, record.providerId) &&
    has(filters.vendors, centre.vendorId) &&
    has(filters.states, record.state) &&
    has(filters.postcodes, record.postcode) &&
    has(filters.testingTypes, 'PATHOLOGY') &&
    (filters.search === undefined || centre.text.includes(filters.search)) &&
    (filters.changedSince === undefined || record.changedAt >= filters.changedSince) &&
    (filters.box === undefined || isInside(centre, filters.box))
  )
}

function has(wanted: readonly string[] | undefined, value: string): boolean {
  return wanted === undefined || wanted.includes(value)
}

function isInside({ mappable, record }: IndexedCentre, box: SearchBox): boolean {
  const { lat, lng } = record
  return mappable && lat <= box.north && lat >= box.south && lng <= box.east && lng >= box.west
}

/**
 * Returns the distance to sort by. It is maximal for a centre without usable coordinates, so that such centres come
 * last.
 */
function sortDistance({ distanceKm }: FoundCentre): number {
  return distanceKm ?? Number.MAX_VALUE
}

function compareByDistance(one: FoundCentre, other: FoundCentre): number {
  const difference = sortDistance(one) - sortDistance(other)
  if (difference !== 0) return difference
  return one.record.uuid < other.record.uuid ? -1 : 1
}

const EARTH_RADIUS_KM = 6_371

function distanceTo(point: SearchPoint, centre: IndexedCentre): number | undefined {
  return centre.mappable ? distanceBetween(point, centre.record) : undefined
}

interface Place {
  readonly lat: number
  readonly lng: number
}

/** Returns the great-circle distance in kilometres, by the haversine formula. */
export function distanceBetween(one: Place, other: Place): number {
  const half = (degrees: number): number => Math.sin((degrees * Math.PI) / 360) ** 2
  const chord = half(other.lat - one.lat) + cosine(one.lat) * cosine(other.lat) * half(other.lng - one.lng)
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180)
}
