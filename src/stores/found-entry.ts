import type { StoredEntry } from '../client/ledger/ledger-entries.js'
import type { LedgerClaim, OrderClaimRequest } from '../client/ledger/order-ledger.js'
import { ConfigurationError } from '../common/errors.js'
import { isRecord } from '../common/known-options.js'

/**
 * Entry of a shared ledger, as the SQL statement or the Redis script of a claim returns it. Times are in milliseconds
 * by the ledger's clock.
 */
export interface FoundEntry {
  /** `true` when the claim now holds the entry. */
  readonly isTaken: boolean
  readonly token: string
  readonly marks: Readonly<Record<string, { readonly token: string; readonly at: number }>>
  readonly referrals: readonly string[] | null
  readonly keyId: string
  readonly hash: string
  /** `true` when the ledger cannot have lost an order with this key: see `LedgerClaim`. */
  readonly isVouched: boolean
  readonly nowMs: number
}

/** Converts an entry to the result of a claim. A mark of another claim means that the order may have been sent. */
export function ledgerClaim(
  entry: FoundEntry,
  { token, mark }: Pick<OrderClaimRequest, 'token' | 'mark'>,
): LedgerClaim {
  const fingerprint = { keyId: entry.keyId, hash: entry.hash }
  const found = { fingerprint, isMarked: false, isVouched: false }
  if (entry.referrals !== null) return { ...found, state: 'placed', referrals: entry.referrals }
  // If the entry has the token of this claim but is not taken, the claim has ended: the entry is not busy.
  if (!entry.isTaken && entry.token !== token) return { ...found, state: 'busy' }
  const marks = Object.values(entry.marks)
  if (marks.some((made) => made.token !== token)) {
    const times = marks.map(({ at }) => Math.max(0, entry.nowMs - at))
    const [sinceFirstSentMs, sinceLastSentMs] = [Math.max(...times), Math.min(...times)]
    return { ...found, state: 'sent', sinceFirstSentMs, sinceLastSentMs }
  }
  const isMarked = entry.isTaken && mark !== undefined && entry.marks[mark] !== undefined
  return { ...found, state: 'new', isMarked, isVouched: entry.isVouched }
}

/** The text comes from a statement of this package, so the casts are safe. */
export const entryOfJson = (text: string): FoundEntry => recordOfJson(text) as FoundEntry
export const storedEntryOfJson = (text: string): StoredEntry => recordOfJson(text) as StoredEntry

function recordOfJson(text: string): object {
  const entry: unknown = JSON.parse(text)
  if (isRecord(entry)) return entry
  throw new TypeError(
    'the order ledger returned data that is not an entry; check that no other program writes to its table',
  )
}

export function severalNamespaces(owner: string): ConfigurationError {
  return new ConfigurationError(
    `${owner}: several namespaces have this key, so nothing was changed; pass { namespace, key }`,
  )
}
