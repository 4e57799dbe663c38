import { checkRequest } from '../../contract/check-request.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { DEFAULT_CENTRE_PAGE_SIZE, MAX_CENTRE_PAGE_SIZE } from '../../contract/limits.js'
import { parseTime } from '../../contract/times.js'
import { BRANDS, VENDORS } from '../seed/brands.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall } from '../server/context.js'
import { type CursorPosition, readCursor, single, unknownParameters } from '../server/lists.js'

/** A point around which to search, with an optional radius. Centres are sorted by their distance from the point. */
export interface SearchPoint {
  readonly lat: number
  readonly lng: number
  readonly radiusKm: number | undefined
}

/** A box, including its edges. */
export interface SearchBox {
  readonly north: number
  readonly south: number
  readonly east: number
  readonly west: number
}

/**
 * Checked filters with normalised ids. A filter that is `undefined` is not applied. Only `uuids` and `changedSince`
 * find RETIRED centres, and only `uuids` finds centres without usable coordinates (§4.5).
 */
export interface CentreFilters {
  readonly uuids: readonly string[] | undefined
  readonly pathologyProviders: readonly string[] | undefined
  readonly vendors: readonly string[] | undefined
  readonly testingTypes: readonly string[] | undefined
  readonly states: readonly string[] | undefined
  readonly postcodes: readonly string[] | undefined
  /** Searched text, in lower case. */
  readonly search: string | undefined
  /** Earliest time of a change, in milliseconds since the epoch. */
  readonly changedSince: number | undefined
  readonly point: SearchPoint | undefined
  readonly box: SearchBox | undefined
}

/** A checked request for a page of centres. */
export interface CentreRequest {
  readonly filters: CentreFilters
  readonly count: number
  /** Key of the page's cursor. A cursor is valid only for requests with the same key. */
  readonly cursorKey: string
  /** Position of the previous page's last centre; `undefined` for the first page. */
  readonly after: CursorPosition | undefined
}

const LISTS = ['uuids', 'pathologyProviders', 'vendors', 'testingTypes', 'states', 'postcodes'] as const
const NUMBERS = ['lat', 'lng', 'radiusKm', 'north', 'south', 'east', 'west'] as const
const TEXTS = ['search', 'changedSince', 'cursor'] as const
const PARAMETERS: readonly string[] = [...LISTS, ...NUMBERS, ...TEXTS, 'count']

/**
 * Reads and checks the query of the centre list (§4.5).
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem of the query.
 */
export function readCentreQuery(call: FakeCall): CentreRequest {
  const issues = unknownParameters(call.query, PARAMETERS)
  const query = readValues(call.query, issues)
  issues.push(...checkRequest('CentreQuery', query, call.version), ...unknownIds(query))
  const filters = toFilters(query)
  const cursorKey = `centres.list|${JSON.stringify(filters)}`
  const cursor = textOf(query, 'cursor')
  const after = cursor === undefined ? undefined : readCursor(cursor, cursorKey)
  if (cursor !== undefined && cursor !== '' && after === undefined) {
    issues.push(fieldIssue(['cursor'], 'must be a cursor of this list, with the same filters'))
  }
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
  return { filters, count: numberOf(query, 'count') ?? DEFAULT_CENTRE_PAGE_SIZE, cursorKey, after }
}

type Values = Readonly<Record<string, unknown>>

function readValues(query: URLSearchParams, issues: IssueDraft[]): Values {
  const values: Record<string, unknown> = Object.create(null)
  for (const name of LISTS) {
    if (query.has(name)) values[name] = query.getAll(name).flatMap((value) => value.split(','))
  }
  for (const name of TEXTS) set(values, name, single(query, name, issues))
  for (const name of NUMBERS) set(values, name, toNumber(single(query, name, issues)))
  const count = toNumber(single(query, 'count', issues))
  const isInteger = Number.isInteger(count) || count === Number.POSITIVE_INFINITY
  // A count that is not an integer stays as it is, because the check rejects it. A count above 1.8e308 is Infinity.
  set(values, 'count', isInteger ? Math.min(Number(count), MAX_CENTRE_PAGE_SIZE) : count)
  return values
}

function set(values: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) values[name] = value
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Converts decimal text to a number. Any other text becomes NaN, which no rule accepts. */
function toNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return DECIMAL.test(text) ? Number(text) : Number.NaN
}

const PROVIDER_IDS: ReadonlySet<string> = new Set(BRANDS.map((brand) => brand.id))
const VENDOR_IDS: ReadonlySet<string> = new Set(VENDORS.map((vendor) => vendor.id))

function unknownIds(query: Values): IssueDraft[] {
  const check = (name: string, known: ReadonlySet<string>, spelling: (id: string) => string) =>
    (listOf(query, name) ?? []).flatMap((id, place) =>
      id.trim() === '' || known.has(spelling(id)) ? [] : [fieldIssue([name, place], 'is not a known id')],
    )
  return [
    ...check('pathologyProviders', PROVIDER_IDS, hyphenated),
    ...check('vendors', VENDOR_IDS, (id) => id),
  ]
}

/** Replaces underscores by hyphens, because provider ids are accepted in both forms (§4.5). */
function hyphenated(id: string): string {
  return id.replaceAll('_', '-')
}

function toFilters(query: Values): CentreFilters {
  const changedSince = textOf(query, 'changedSince')
  const [lat, lng] = [numberOf(query, 'lat'), numberOf(query, 'lng')]
  const point =
    lat === undefined || lng === undefined ? undefined : { lat, lng, radiusKm: numberOf(query, 'radiusKm') }
  return {
    uuids: sorted(listOf(query, 'uuids')?.map((uuid) => uuid.toLowerCase())),
    pathologyProviders: sorted(listOf(query, 'pathologyProviders')?.map(hyphenated)),
    vendors: sorted(listOf(query, 'vendors')),
    testingTypes: sorted(listOf(query, 'testingTypes')),
    states: sorted(listOf(query, 'states')),
    postcodes: sorted(listOf(query, 'postcodes')),
    search: textOf(query, 'search')?.toLowerCase(),
    changedSince: changedSince === undefined ? undefined : parseTime(changedSince),
    point,
    box: toBox(query),
  }
}

function toBox(query: Values): SearchBox | undefined {
  const [north, south, east, west] = ['north', 'south', 'east', 'west'].map((name) => numberOf(query, name))
  if (north === undefined || south === undefined || east === undefined || west === undefined) return undefined
  return { north, south, east, west }
}

/** Sorts values and removes repetitions, so that a cursor is valid for the same values in any order. */
function sorted(list: readonly string[] | undefined): string[] | undefined {
  return list === undefined ? undefined : [...new Set(list)].sort()
}

function listOf(query: Values, name: string): string[] | undefined {
  const value = query[name]
  return Array.isArray(value) ? value.map(String) : undefined
}

function textOf(query: Values, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' ? value : undefined
}

function numberOf(query: Values, name: string): number | undefined {
  const value = query[name]
  return typeof value === 'number' ? value : undefined
}
