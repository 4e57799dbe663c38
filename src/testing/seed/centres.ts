import type { OpeningDay } from '../../contract/types.js'
import type { Random } from '../server/random.js'
import type { CentreRecord } from '../state/centres.js'
import { BRANDS, type BrandSeed } from './brands.js'
import { NOTES, readOpeningHours, SERVICES, STREETS, VENUE_PREFIXES, VENUES } from './centre-words.js'
import { readTowns, type Town } from './towns.js'

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000

/** Share of the centres that have each optional field, from 0 to 1. */
const SHARES = { venueName: 0.45, phone: 0.92, notes: 0.3, bookingUrl: 0.35, openingHours: 0.96 } as const

interface Weighted<T> {
  readonly entries: readonly T[]
  /** Cumulative weight of each entry. */
  readonly sums: readonly number[]
}

/** Tables from which new centres are generated. */
export interface CentreParts {
  readonly towns: Weighted<Town>
  readonly brands: ReadonlyMap<string, Weighted<BrandSeed>>
  readonly openingHours: readonly (readonly OpeningDay[])[]
}

export function readCentreParts(): CentreParts {
  const towns = readTowns()
  const states = [...new Set(towns.map((town) => town.state))]
  const brandsOf = (state: string) => weighted(BRANDS.filter((brand) => brand.states.includes(state)))
  return {
    towns: weighted(towns),
    brands: new Map(states.map((state) => [state, brandsOf(state)])),
    openingHours: readOpeningHours(),
  }
}

function weighted<T extends { readonly weight: number }>(entries: readonly T[]): Weighted<T> {
  let sum = 0
  const sums = entries.map((entry) => {
    sum += entry.weight
    return sum
  })
  return { entries, sums }
}

function pickWeighted<T>(random: Random, list: Weighted<T>): T {
  const at = random.fraction() * (list.sums.at(-1) ?? 0)
  let low = 0
  let high = list.sums.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list.sums[middle] ?? 0) > at) high = middle
    else low = middle + 1
  }
  const picked = list.entries[low]
  if (picked === undefined) throw new RangeError('cannot pick from an empty list')
  return picked
}

/** Creates an ACTIVE centre in a town, with a brand of the town's state. */
export function makeCentre(random: Random, parts: CentreParts, changedAt: number): CentreRecord {
  const town = pickWeighted(random, parts.towns)
  const brand = pickWeighted(random, brandsIn(parts, town))
  const street = random.pick(STREETS)
  const venue = `${random.pick(VENUE_PREFIXES)} ${random.pick(VENUES)}`
  const venueName = random.fraction() < SHARES.venueName ? venue : null
  const uuid = random.uuid()
  return {
    uuid,
    providerId: brand.id,
    name: centreName(random, town, street, venue),
    venueName,
    address: streetAddress(random, street),
    city: town.name,
    state: town.state,
    postcode: town.postcode,
    lat: near(random, town.lat),
    lng: near(random, town.lng),
    phone: random.fraction() < SHARES.phone ? phoneNumber(random, town.state) : null,
    notes: random.fraction() < SHARES.notes ? random.pick(NOTES) : null,
    bookingUrl: random.fraction() < SHARES.bookingUrl ? bookingUrl(brand, uuid) : null,
    services: pickServices(random),
    openingHours: random.fraction() < SHARES.openingHours ? random.pick(parts.openingHours) : null,
    status: 'ACTIVE',
    missingWeeks: 0,
    lastSeenAt: changedAt,
    changedAt,
  }
}

function brandsIn(parts: CentreParts, town: Town): Weighted<BrandSeed> {
  const brands = parts.brands.get(town.state)
  if (brands === undefined) throw new RangeError(`no brand works in ${town.state}`)
  return brands
}

/** Returns a centre's name. Half of the names are only the town, so that names are not unique in a town (§2.11). */
function centreName(random: Random, town: Town, street: string, venue: string): string {
  const draw = random.fraction()
  if (draw < 0.5) return town.name
  return draw < 0.8 ? `${town.name} ${street}` : `${town.name} ${venue}`
}

function streetAddress(random: Random, street: string): string {
  const number = `${random.integer(1, 480)} ${street}`
  const draw = random.fraction()
  if (draw < 0.2) return `Shop ${random.integer(1, 40)}, ${number}`
  return draw < 0.4 ? `Suite ${random.integer(1, 30)}, ${number}` : number
}

/** Returns a coordinate within about three kilometres of `degrees`, with five decimals (about one metre). */
function near(random: Random, degrees: number): number {
  const offset = (random.fraction() + random.fraction() - 1) * 0.03
  return Math.round((degrees + offset) * 100_000) / 100_000
}

const AREA_CODES: Readonly<Record<string, string>> = {
  NSW: '02',
  ACT: '02',
  VIC: '03',
  TAS: '03',
  QLD: '07',
  SA: '08',
  WA: '08',
  NT: '08',
}

/** Returns a phone number from the ranges that are reserved for fiction. */
function phoneNumber(random: Random, state: string): string {
  const block = random.pick(['5550', '7010'])
  return `(${AREA_CODES[state] ?? '02'}) ${block} ${random.integer(1_000, 9_999)}`
}

function bookingUrl(brand: BrandSeed, uuid: string): string {
  return `https://bookings.${brand.id}.example/centres/${uuid.slice(0, 8)}`
}

function pickServices(random: Random): string[] {
  const [always = '', ...others] = SERVICES
  const share = random.fraction() * 0.5
  return [always, ...others.filter(() => random.fraction() < share)]
}

/** Input of the generated directory. */
export interface DirectorySeed {
  /** Number of centres that lists show. RETIRED centres and centres without usable coordinates are additional. */
  readonly count: number
  /** Time of the latest listing, in milliseconds since the epoch. */
  readonly refreshedAt: number
}

/** Returns the initial directory: most centres are ACTIVE; some are MISSING, RETIRED or without usable coordinates. */
export function generateCentres(random: Random, parts: CentreParts, seed: DirectorySeed): CentreRecord[] {
  const { count, refreshedAt } = seed
  const weeksAgo = (weeks: number): number => refreshedAt - weeks * WEEK_MS
  const missing = Math.ceil((count - 1) / 100)
  const make = (): CentreRecord => makeCentre(random, parts, weeksAgo(changedWeeksAgo(random)))
  const listed = Array.from({ length: count }, (_, place) =>
    place < missing ? goneMissing(make(), seed) : make(),
  )
  const retired = Array.from({ length: Math.ceil(count / 65) }, () =>
    retire(make(), weeksAgo(random.integer(0, 60))),
  )
  const unmappable = Array.from({ length: Math.ceil(count / 200) }, (_, place) => misplace(make(), place))
  return [...listed, ...retired, ...unmappable]
}

/** Returns the age of a centre's last change in weeks. Few centres changed recently. */
function changedWeeksAgo(random: Random): number {
  const draw = random.fraction()
  if (draw < 0.1) return random.integer(0, 8)
  return random.integer(9, 150)
}

/** Marks a generated centre as MISSING since the latest listing. */
function goneMissing(centre: CentreRecord, seed: DirectorySeed): CentreRecord {
  const lastSeenAt = seed.refreshedAt - WEEK_MS
  return { ...centre, status: 'MISSING', missingWeeks: 1, changedAt: seed.refreshedAt, lastSeenAt }
}

function retire(centre: CentreRecord, changedAt: number): CentreRecord {
  return { ...centre, status: 'RETIRED', missingWeeks: 3, changedAt, lastSeenAt: changedAt - 3 * WEEK_MS }
}

/** Gives a centre coordinates with a typical error: zero, swapped, or in the northern hemisphere. */
function misplace(centre: CentreRecord, place: number): CentreRecord {
  const { lat, lng } = centre
  if (place % 3 === 0) return { ...centre, lat: 0, lng: 0 }
  return place % 3 === 1 ? { ...centre, lat: lng, lng: lat } : { ...centre, lat: -lat }
}
