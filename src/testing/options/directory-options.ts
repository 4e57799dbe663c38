import type { KnownConnectionStatus, SortOrder } from '../../contract/enums.js'

/** Schedule of the weekly refresh of the collection centres. */
export interface RefreshSchedule {
  /** Milliseconds on the fake's clock from the start of the fake to the first refresh. Default: one week. */
  readonly firstAfterMs?: number | undefined
  /** Milliseconds on the fake's clock between two refreshes. Default: one week. */
  readonly everyMs?: number | undefined
}

/** Options about tests, bundles, providers, routing and collection centres, with defaults applied. */
export interface DirectoryOptions {
  /**
   * Tests that `GET /v1/tests` lists in version 1.0.0, which accepts only orders of blood tests. The service does not
   * document whether this list contains other tests. Default `all`, because bundles in both versions contain tests of
   * every kind.
   */
  readonly firstVersionTests: 'blood-only' | 'all'
  /** Order of `GET /v1/bundles` without `sort`. The service does not document it. Default `asc`, as for referrals. */
  readonly bundleSortDefault: SortOrder
  /**
   * Check of a provider number when it is stored. The service documents eight characters only.
   *
   * - `length`: eight characters, each a digit or an upper-case letter.
   * - `stem` (default): as `length`, and the first six characters are digits. Accepts numbers that tests invent.
   * - `shape`: six digits, a location character and a letter, as in every Medicare provider number.
   * - `check-character`: as `shape`, and the last letter must be the correct check character.
   */
  readonly providerNumberCheck: 'length' | 'stem' | 'shape' | 'check-character'
  /**
   * Rule for the signature of a new provider record. Default `optional`. `required`: `POST /v1/providers` rejects a new
   * record without a signature with INVALID_SIGNATURE.
   */
  readonly signatureOnCreate: 'optional' | 'required'
  /** Maximum size of a decoded signature image in bytes. The service does not document a limit. Default 1 MiB. */
  readonly signatureMaxBytes: number
  /** Value of a provider's missing title, phone or email. Default `empty`: an empty string. */
  readonly absentProviderDetails: 'empty' | 'null'
  /**
   * Connection statuses with which a provider cannot be retired (PROVIDER_HAS_ACTIVE_ROUTING). Default: CONNECTED and
   * STOP_REQUESTED. In STOP_REQUESTED, routing has not ended yet.
   */
  readonly activeRoutingStatuses: readonly KnownConnectionStatus[]
  /**
   * Connection statuses that a repeated routing request sets back to NOT_SUBMITTED; other statuses stay. Default
   * ACTION_NEEDED and STOP_REQUESTED.
   */
  readonly restartedRoutingStatuses: readonly KnownConnectionStatus[]
  /**
   * Connections in the response to a routing request: every connection of the provider, or only those with the
   * requested vendors. Default `all`.
   */
  readonly routingResponse: 'all' | 'named'
  /**
   * Number of collection centres that lists show at the start, 0 to 50,000. RETIRED centres and centres without usable
   * coordinates are additional. Default 5900. With a smaller number, the first use of the directory is faster.
   */
  readonly centreCount: number
  /**
   * Number of consecutive weekly listings that must omit a centre to make the centre RETIRED, 2 or more. The first of
   * these listings makes the centre MISSING. Default 3.
   */
  readonly retireAfterMissingWeeks: number
  /**
   * Automatic refreshes on the fake's clock. Default `off`: only `centres.weeklyRefresh()` changes the centres.
   * `weekly`: one refresh each week. An object sets other times.
   */
  readonly centreRefresh: 'off' | 'weekly' | RefreshSchedule
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000

/** Returns the times of a refresh schedule; `undefined` when refreshes are off. */
export function refreshTimes(
  schedule: DirectoryOptions['centreRefresh'],
): { readonly [Time in keyof Required<RefreshSchedule>]: number } | undefined {
  if (schedule === 'off') return undefined
  const given = schedule === 'weekly' ? {} : schedule
  return { firstAfterMs: given.firstAfterMs ?? WEEK_MS, everyMs: given.everyMs ?? WEEK_MS }
}
