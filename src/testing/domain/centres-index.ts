import type { CollectionCentre } from '../../contract/types.js'
import { brandSeed, vendorSeed } from '../seed/brands.js'
import { generateCentres, readCentreParts } from '../seed/centres.js'
import { createRandom, seedRandom } from '../server/random.js'
import {
  type CentreIndex,
  type CentreRecord,
  type CentresState,
  DERIVED,
  type IndexedCentre,
} from '../state/centres.js'
import type { FakeContext } from '../state/context.js'

/** Returns the search index of the directory. Generates the directory on first use. */
export function centreIndex(context: FakeContext): CentreIndex {
  const state = context.state.centres
  const index = state[DERIVED] ?? buildIndex(state, generate(state))
  state[DERIVED] = index
  return index
}

/** Stores changed or new records, and updates the index. */
export function putCentres(context: FakeContext, records: readonly CentreRecord[]): void {
  const state = context.state.centres
  const { generated } = centreIndex(context)
  for (const record of records) state.changed.set(record.uuid, record)
  state[DERIVED] = buildIndex(state, generated)
}

function generate(state: CentresState): CentreRecord[] {
  const words = seedRandom(state.seed, 'centres')
  const random = createRandom(() => words)
  return generateCentres(random, readCentreParts(), { count: state.count, refreshedAt: state.seededAt })
}

function buildIndex(state: CentresState, generated: readonly CentreRecord[]): CentreIndex {
  const current = new Map(generated.map((record) => [record.uuid, record]))
  for (const [uuid, record] of state.changed) current.set(uuid, record)
  const byName = Array.from(current.values(), (record) => toIndexed(record, state)).sort(compareByName)
  return {
    generated,
    byName,
    byUuid: new Map(byName.map((centre) => [centre.record.uuid, centre])),
    listed: byName.filter((centre) => centre.mappable && centre.record.status !== 'RETIRED'),
  }
}

function toIndexed(record: CentreRecord, state: CentresState): IndexedCentre {
  return {
    record,
    vendorId: brandSeed(record.providerId)?.vendorId ?? '',
    mappable: isMappable(record),
    text: `${record.name}\n${record.venueName ?? ''}\n${record.address}\n${record.city}`.toLowerCase(),
    view: centreView(record, state.refreshedAt),
  }
}

/** Compares centres by name, then by uuid, so that centres with the same name have a stable order (§4.5). */
function compareByName(one: IndexedCentre, other: IndexedCentre): number {
  const first = one.record
  const second = other.record
  if (first.name !== second.name) return first.name < second.name ? -1 : 1
  return first.uuid < second.uuid ? -1 : 1
}

/** Edges of a box around Australia and its islands, in degrees. */
const AUSTRALIA = { north: -8, south: -56, west: 95, east: 170 } as const

/** Returns `true` when a centre's coordinates are in Australia. */
function isMappable({ lat, lng }: CentreRecord): boolean {
  return lat <= AUSTRALIA.north && lat >= AUSTRALIA.south && lng >= AUSTRALIA.west && lng <= AUSTRALIA.east
}

/**
 * Converts a centre to the service's response. The entries of a list have the same fields. A search around a point adds
 * `distanceKm` (§2.11, §4.5).
 */
function centreView(record: CentreRecord, refreshedAt: number): CollectionCentre {
  const brand = brandSeed(record.providerId)
  const vendorId = brand?.vendorId ?? ''
  return {
    object: 'collectionCentre',
    uuid: record.uuid,
    pathologyProviderId: record.providerId,
    pathologyProviderName: brand?.name ?? record.providerId,
    vendorId,
    vendorName: vendorSeed(vendorId)?.name ?? vendorId,
    name: record.name,
    venueName: record.venueName,
    address: record.address,
    city: record.city,
    state: record.state,
    country: 'AU',
    postcode: record.postcode,
    lat: record.lat,
    lng: record.lng,
    phone: record.phone,
    notes: record.notes,
    bookingUrl: record.bookingUrl,
    services: [...record.services],
    openingHours: record.openingHours === null ? null : [...record.openingHours],
    testingTypes: ['PATHOLOGY'],
    status: record.status,
    lastSeenAt: new Date(record.status === 'ACTIVE' ? refreshedAt : record.lastSeenAt).toISOString(),
  }
}
