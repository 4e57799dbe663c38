import type { CollectionCentre } from '../../contract/types.js'
import { brandSeed } from '../seed/brands.js'
import { type CentreParts, generateCentres, readCentreParts } from '../seed/centres.js'
import type { FakeContext } from '../server/context.js'
import { createRandom, seedRandom } from '../server/random.js'
import { type CentreRecord, type CentresState, DERIVED } from '../state/centres.js'
import { centreView } from './centres-view.js'

/** A centre as searches read it. */
export interface IndexedCentre {
  readonly record: CentreRecord
  readonly vendorId: string
  /** Whether its coordinates are usable; listings leave the others out (§4.5). */
  readonly mappable: boolean
  /** What `search` looks in, in lower case: name, venue, street address, suburb. */
  readonly text: string
  /** As the service shows it, without a distance. */
  readonly view: CollectionCentre
}

/** The directory as requests read it, derived from the state. */
export interface CentreIndex {
  readonly parts: CentreParts
  /** The generated records, as they were at the start. */
  readonly generated: readonly CentreRecord[]
  /** By name, then uuid. */
  readonly byName: readonly IndexedCentre[]
  readonly byUuid: ReadonlyMap<string, IndexedCentre>
  /** What a list without filters shows, by name. */
  readonly listed: readonly IndexedCentre[]
}

/** The directory, generated when first asked for and indexed anew after each change. */
export function centreIndex(context: FakeContext): CentreIndex {
  const state = context.state.centres
  const index = state[DERIVED] ?? buildIndex(state, generate(state))
  state[DERIVED] = index
  return index
}

/** Puts changed or new records into the state, and the index after them. */
export function putCentres(context: FakeContext, records: readonly CentreRecord[]): void {
  const state = context.state.centres
  const { parts, generated } = centreIndex(context)
  for (const record of records) state.changed.set(record.uuid, record)
  state[DERIVED] = buildIndex(state, { parts, generated })
}

type Source = Pick<CentreIndex, 'parts' | 'generated'>

function generate(state: CentresState): Source {
  const words = seedRandom(state.seed, 'centres')
  const random = createRandom(() => words)
  const parts = readCentreParts()
  return {
    parts,
    generated: generateCentres(random, parts, { count: state.count, refreshedAt: state.seededAt }),
  }
}

function buildIndex(state: CentresState, source: Source): CentreIndex {
  const current = new Map(source.generated.map((record) => [record.uuid, record]))
  for (const [uuid, record] of state.changed) current.set(uuid, record)
  const byName = Array.from(current.values(), (record) => toIndexed(record, state)).sort(compareByName)
  return {
    ...source,
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

/** The order of lists: by name, and centres of one name in an order of their own that stays (§4.5). */
function compareByName(one: IndexedCentre, other: IndexedCentre): number {
  const first = one.record
  const second = other.record
  if (first.name !== second.name) return first.name < second.name ? -1 : 1
  return first.uuid < second.uuid ? -1 : 1
}

/** Australia with its islands, in degrees. */
const AUSTRALIA = { north: -8, south: -56, west: 95, east: 170 } as const

/** Whether a centre's coordinates can be those of a place in Australia. */
function isMappable({ lat, lng }: CentreRecord): boolean {
  return lat <= AUSTRALIA.north && lat >= AUSTRALIA.south && lng >= AUSTRALIA.west && lng <= AUSTRALIA.east
}
