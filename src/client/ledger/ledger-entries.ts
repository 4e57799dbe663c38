import { ConfigurationError } from '../../common/errors.js'
import { ownOptions } from '../../common/known-options.js'
import { isDate } from '../../contract/realms.js'

/** States of an entry, in the words of {@link LedgerEntry.state}. */
const STATES = ['unknown', 'placed', 'busy', 'not-placed'] as const

/** State of an entry in an order ledger; see {@link LedgerEntry.state}. */
export type LedgerEntryState = (typeof STATES)[number]

/** Entry of an order ledger, as `list` returns it. You can pass it to `resolve` as the name of the order. */
export interface LedgerEntry {
  /** Namespace of the entry. */
  readonly namespace: string
  /** The `orderKey` of the caller. */
  readonly key: string
  /**
   * - `unknown`: a request with the order may have been sent, and its outcome was not recorded. No call works on the order.
   * - `busy`: a call is placing the order, or its process stopped and the lease has not ended.
   * - `placed`: the order was placed.
   * - `not-placed`: the order was certainly not placed. The next call with the key may place it.
   */
  readonly state: LedgerEntryState
  /** UUIDs of the referrals of a placed order; otherwise empty. */
  readonly referrals: readonly string[]
  /** Time just before the first request that may have placed the order. */
  readonly firstSentAt?: Date | undefined
  /** Time just before the last request that may have placed the order. */
  readonly lastSentAt?: Date | undefined
  /** Time at which the outcome was recorded or the last claim ended. For `busy`, the end of the lease. */
  readonly claimEndsAt: Date
}

/** Options of `list` of an order ledger. */
export interface LedgerListOptions {
  /** Only entries in this state. */
  readonly state?: LedgerEntryState | undefined
  /** Only entries with this order key, in any namespace. */
  readonly key?: string | undefined
  /** Only entries of this namespace. */
  readonly namespace?: string | undefined
  /**
   * Only entries from before this time: for `unknown`, the order was last sent before it. For any other state,
   * `claimEndsAt` is before it.
   */
  readonly before?: Date | undefined
  /** Maximum number of entries: 1 to 10,000. Default: 100. */
  readonly limit?: number | undefined
}

/** Checked options. `before` is in milliseconds since 1970. */
export interface LedgerQuery extends Omit<LedgerListOptions, 'before' | 'limit'> {
  readonly before: number | undefined
  readonly limit: number
}

const OPTION_NAMES = new Set(['state', 'key', 'namespace', 'before', 'limit'])

const MAX_LIMIT = 10_000

/** @throws {@link ConfigurationError} for an option that is unknown or has the wrong kind of value. */
export function checkedQuery(owner: string, given: LedgerListOptions = {}): LedgerQuery {
  const { state, key, namespace, before, limit = 100 } = ownOptions(`${owner}.list`, given, OPTION_NAMES)
  const fail = (rule: string): never => {
    throw new ConfigurationError(`${owner}.list: ${rule}`)
  }
  if (state !== undefined && !STATES.includes(state)) fail(`state must be one of ${STATES.join(', ')}`)
  if (key !== undefined && typeof key !== 'string') fail('key must be a string')
  if (namespace !== undefined && typeof namespace !== 'string') fail('namespace must be a string')
  if (before !== undefined && !(isDate(before) && Number.isFinite(before.getTime())))
    fail('before must be a valid Date')
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    fail(`limit must be an integer from 1 to ${MAX_LIMIT}`)
  return { state, key, namespace, before: before?.getTime(), limit }
}

/** Selects the entries that a query asks for, newest first. */
export function selectEntries(entries: readonly LedgerEntry[], query: LedgerQuery): readonly LedgerEntry[] {
  const { state, key, namespace, before = Number.POSITIVE_INFINITY, limit } = query
  return entries
    .filter(
      (entry) =>
        (state === undefined || entry.state === state) &&
        (key === undefined || entry.key === key) &&
        (namespace === undefined || entry.namespace === namespace) &&
        timeOf(entry) < before,
    )
    .sort((one, other) => timeOf(other) - timeOf(one))
    .slice(0, limit)
}

function timeOf({ state, lastSentAt, claimEndsAt }: LedgerEntry): number {
  return (state === 'unknown' && lastSentAt ? lastSentAt : claimEndsAt).getTime()
}

/** What every ledger stores of an entry. Times are in milliseconds since 1970 by the ledger's clock. */
export interface StoredEntry extends Pick<LedgerEntry, 'namespace' | 'key'> {
  readonly referrals: readonly string[] | null
  readonly isEnded: boolean
  readonly endsMs: number
  /** Times of the marks. */
  readonly sentMs: readonly number[]
  readonly nowMs: number
}

/** Converts a stored entry to an entry of `list`. */
export function ledgerEntry({
  namespace,
  key,
  referrals,
  isEnded,
  endsMs,
  sentMs,
  nowMs,
}: StoredEntry): LedgerEntry {
  const openState = sentMs.length > 0 ? 'unknown' : 'not-placed'
  const unplaced = !isEnded && endsMs > nowMs ? 'busy' : openState
  return {
    namespace,
    key,
    state: referrals === null ? unplaced : 'placed',
    referrals: referrals ?? [],
    ...(sentMs.length > 0 && {
      firstSentAt: new Date(Math.min(...sentMs)),
      lastSentAt: new Date(Math.max(...sentMs)),
    }),
    claimEndsAt: new Date(endsMs),
  }
}
