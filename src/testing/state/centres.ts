import type { KnownCentreStatus } from '../../contract/enums.js'
import type { CentreChangeKinds } from '../../contract/events.js'
import type { OpeningDay } from '../../contract/types.js'
import type { CentreIndex } from '../domain/centres-index.js'
import type { SeedContext } from '../server/context.js'

/** One collection centre as the fake keeps it (§2.11). Records are replaced, never changed. */
export interface CentreRecord {
  readonly uuid: string
  /** The brand on the door; its vendor follows from it. */
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
  /** Weekly listings in a row that left it out (§3.4). */
  readonly missingWeeks: number
  /** When a listing last had it, in milliseconds since the epoch; an ACTIVE one was in the latest. */
  readonly lastSeenAt: number
  /** When it was created, changed, went missing, was revived or retired, in milliseconds since the epoch. */
  readonly changedAt: number
}

/** What one weekly refresh did (§6). */
export interface CentreRun {
  /** The refresh's id, a UUID. */
  readonly runUuid: string
  /** When the refresh began, ISO 8601 on the fake's clock. */
  readonly ranAt: string
  /** The ids (UUIDs) of the changed centres, by kind. */
  readonly changed: CentreChangeKinds<readonly string[]>
}

/** Where the derived index hangs. A structured clone and JSON leave symbol keys out, so no snapshot holds it. */
export const DERIVED: unique symbol = Symbol('derived')

/**
 * The collection centres: how to generate the directory, and what happened to it since. The directory itself is
 * derived from these when first asked for, so that a fake that never needs it pays nothing, and snapshots stay small.
 */
export interface CentresState {
  readonly seed: number
  /** Centres that listings show at the start. */
  readonly count: number
  /** When the listing that the directory begins with was read, in milliseconds since the epoch. */
  readonly seededAt: number
  /** When the latest listing was read, in milliseconds since the epoch. */
  refreshedAt: number
  /** Records that differ from the generated ones or came later, by uuid. */
  readonly changed: Map<string, CentreRecord>
  /** The latest refreshes, oldest first. */
  readonly runs: CentreRun[]
  [DERIVED]?: CentreIndex | undefined
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** A directory that has not been generated yet, last refreshed two days ago. */
export function createCentresState(seed: SeedContext): CentresState {
  const seededAt = seed.clock.now() - 2 * DAY_MS
  return {
    seed: seed.options.seed,
    count: seed.options.centreCount,
    seededAt,
    refreshedAt: seededAt,
    changed: new Map(),
    runs: [],
  }
}
