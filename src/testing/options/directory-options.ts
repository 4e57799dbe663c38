import type { KnownConnectionStatus, SortOrder } from '../../contract/enums.js'

/** Makes the weekly refresh of the collection centres run by itself (§6). */
export interface RefreshSchedule {
  /** Milliseconds from the start of the fake to the first refresh. Default: a week. */
  readonly firstAfterMs?: number | undefined
  /** Milliseconds from one refresh to the next. Default: a week. */
  readonly everyMs?: number | undefined
}

/** The fake's options about tests, bundles, prices, providers, vendors and collection centres, all with a value. */
export interface DirectoryOptions {
  /**
   * What `GET /v1/tests` lists under version 1.0.0. §9 calls that version "blood tests only" and leaves open
   * whether that hides the other tests or only stops them from being ordered. Default `all`: bundles, which both
   * versions list, name tests of every kind, and each should be found in the list.
   */
  readonly firstVersionTests: 'blood-only' | 'all'
  /** The order of `GET /v1/bundles` when the request names none: §4.3 shows none. Default `asc`, as for referrals. */
  readonly bundleSortDefault: SortOrder
  /**
   * What a provider number must be to be stored. The specification asks for eight characters and no more (§8).
   *
   * - `length`: eight letters and digits, letters in upper case.
   * - `stem`: the same, beginning with six digits.
   * - `shape`: six digits, a location character and a letter, as every Medicare provider number has.
   * - `check-character`: the same, and the last letter must follow from the others.
   *
   * Default `stem`: it refuses what can be no number, and takes numbers that tests make up.
   */
  readonly providerNumberCheck: 'length' | 'stem' | 'shape' | 'check-character'
  /** Whether a new provider record must carry a signature. Default `optional`: §4.4 does not mark it required. */
  readonly signatureOnCreate: 'optional' | 'required'
  /**
   * Largest signature image, in decoded bytes; the service's own maximum is not shown (§8). Default 1 MiB: more than
   * any signature needs.
   */
  readonly signatureMaxBytes: number
  /** How a record shows a title, phone or email that it lacks. Default `empty`: §2.10 calls them strings. */
  readonly absentProviderDetails: 'empty' | 'null'
  /**
   * Connection statuses that keep a provider from being retired (PROVIDER_HAS_ACTIVE_ROUTING). Default CONNECTED and
   * STOP_REQUESTED: results route in CONNECTED (§3.3), and still do while routing is wound down.
   */
  readonly activeRoutingStatuses: readonly KnownConnectionStatus[]
  /**
   * Connection statuses that a routing request sent again begins anew, at NOT_SUBMITTED; others stay, and CONNECTED
   * should (§3.3). Default ACTION_NEEDED and STOP_REQUESTED, which nothing else leads out of.
   */
  readonly restartedRoutingStatuses: readonly KnownConnectionStatus[]
  /**
   * Whether a routing request answers every connection of the provider, or only those of the vendors it names (§4.4).
   * Default `all`, as the record shows them.
   */
  readonly routingAnswer: 'all' | 'named'
  /**
   * Collection centres that listings show at the start; RETIRED and unmappable ones come on top. Default 5900 (§1).
   * Fewer start faster.
   */
  readonly centreCount: number
  /** Weekly listings in a row that a centre is missing from before it is RETIRED. Default 3 (§3.4). */
  readonly retireAfterMissingWeeks: number
  /**
   * A weekly refresh that runs by itself on the fake's clock. Default `off`: only when `centres.weeklyRefresh` asks,
   * so that advancing the clock changes no centre unasked.
   */
  readonly centreRefresh: 'off' | 'weekly' | RefreshSchedule
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000

/** What the options are when nothing is said. */
export const DIRECTORY_DEFAULTS: DirectoryOptions = {
  firstVersionTests: 'all',
  bundleSortDefault: 'asc',
  providerNumberCheck: 'stem',
  signatureOnCreate: 'optional',
  signatureMaxBytes: 1_048_576,
  absentProviderDetails: 'empty',
  activeRoutingStatuses: ['CONNECTED', 'STOP_REQUESTED'],
  restartedRoutingStatuses: ['ACTION_NEEDED', 'STOP_REQUESTED'],
  routingAnswer: 'all',
  centreCount: 5_900,
  retireAfterMissingWeeks: 3,
  centreRefresh: 'off',
}

/** The times of a refresh schedule, or `undefined` when refreshes do not run by themselves. */
export function refreshTimes(
  schedule: DirectoryOptions['centreRefresh'],
): { readonly [Time in keyof Required<RefreshSchedule>]: number } | undefined {
  if (schedule === 'off') return undefined
  const given = schedule === 'weekly' ? {} : schedule
  return { firstAfterMs: given.firstAfterMs ?? WEEK_MS, everyMs: given.everyMs ?? WEEK_MS }
}
