import type { KnownCentreStatus } from '../../contract/enums.js'
import type { CentreChangeKinds } from '../../contract/events.js'
import type { CollectionCentre, OpeningDay } from '../../contract/types.js'

/** One collection centre (§2.11). Records are replaced, never changed. */
export interface CentreRecord {
  readonly uuid: string
  /** Id of the centre's brand, which also determines the vendor. */
  readonly providerId: string
  readonly name: string
  readonly venueName: string | null
  readonly address: string
  readonly city: string
  readonly state: string
  readonly postcode: string
  readonly lat: number
  readonly lng: number
  readonly phone: string | null
  readonly notes: string | null
  readonly bookingUrl: string | null
  readonly services: readonly string[]
  readonly openingHours: readonly OpeningDay[] | null
  readonly status: KnownCentreStatus
  /**
   * Number of consecutive weekly listings, up to the latest, that omit the centre (§3.4). For a RETIRED centre, the
   * count ends at the retirement.
   */
  readonly missingWeeks: number
  /**
   * Time of the last listing that contained the centre, in milliseconds since the epoch. Not updated for an ACTIVE
   * centre, because the API returns the time of the latest listing for ACTIVE centres.
   */
  readonly lastSeenAt: number
  /** Time of the centre's creation, or of the last change of its details or status, in milliseconds since the epoch. */
  readonly changedAt: number
}

/** One weekly refresh. */
export interface CentreRun {
  /** The refresh's id, a UUID. */
  readonly runUuid: string
  /** Time of the refresh, ISO 8601 on the fake's clock. */
  readonly ranAt: string
  /** UUIDs of the changed centres, by kind of change. */
  readonly changed: CentreChangeKinds<readonly string[]>
}

/**
 * Key of the derived index in the state. A structured clone omits symbol keys, so snapshots do not contain the index.
 */
export const DERIVED: unique symbol = Symbol('derived')

/** A centre with the values that searches use. */
export interface IndexedCentre {
  readonly record: CentreRecord
  readonly vendorId: string
  /** `true` when the centre's coordinates are usable. Lists without `uuids` omit all other centres (§4.5). */
  readonly mappable: boolean
  /** Text for `search`, in lower case: name, venue, street address, suburb. */
  readonly text: string
  /** The service's response, without a distance. */
  readonly view: CollectionCentre
}

/** Search index of the directory, derived from the state. */
export interface CentreIndex {
  /** The generated records, without later changes. */
  readonly generated: readonly CentreRecord[]
  /** All centres, by name, then by uuid. */
  readonly byName: readonly IndexedCentre[]
  readonly byUuid: ReadonlyMap<string, IndexedCentre>
  /** Centres that a list without filters shows, by name. */
  readonly listed: readonly IndexedCentre[]
}

/**
 * The collection centres: the input from which the directory is generated, and all later changes. The directory is
 * generated on first use. A fake that does not use the directory starts fast, and snapshots stay small.
 */
export interface CentresState {
  readonly seed: number
  /** Number of centres that lists show at the start. */
  readonly count: number
  /** Time of the initial listing, in milliseconds since the epoch. */
  readonly seededAt: number
  /** Time of the latest listing, in milliseconds since the epoch. */
  refreshedAt: number
  /** Changed and added records, by uuid. */
  readonly changed: Map<string, CentreRecord>
  /** The latest refreshes, oldest first. */
  readonly runs: CentreRun[]
  [DERIVED]?: CentreIndex | undefined
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** Returns the state of a directory that is not generated yet. The latest listing is two days before `now`. */
export function createCentresState(seed: number, count: number, now: number): CentresState {
  const seededAt = now - 2 * DAY_MS
  return { seed, count, seededAt, refreshedAt: seededAt, changed: new Map(), runs: [] }
}
