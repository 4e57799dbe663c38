import { ConfigurationError } from '../../common/errors.js'
import { isRecord } from '../../common/known-options.js'
import { isUuid } from '../../contract/identifiers.js'
import { isBytes } from '../../contract/realms.js'
import type { LedgerEntry, LedgerListOptions } from './ledger-entries.js'

/** Name of an order in a ledger. */
export interface OrderName {
  /** Separates the keys of clients that share a ledger, for example of two environments of the service. */
  readonly namespace: string
  /** The `orderKey` of the caller. */
  readonly key: string
}

/** Key of the fingerprints in an order ledger. */
export interface OrderFingerprintKey {
  /**
   * Name of this key: 1 to 100 characters, not only white space. The ledger stores this name with each fingerprint, so
   * a new key needs a new name.
   */
  readonly id: string
  /**
   * Random key of at least 32 bytes: a `Uint8Array`, or a text such as the output of `openssl rand -base64 32`. Base64
   * is not decoded: the bytes of the text are the key.
   */
  readonly key: Uint8Array | string
}

/**
 * Keyed hash (HMAC-SHA-256) of an order, as text. A ledger stores the fingerprint, but does not compare it. The client
 * compares the hashes of fingerprints with the same `keyId`.
 */
export interface OrderFingerprint {
  /** ID of the key that made the hash. */
  readonly keyId: string
  /** The hash. */
  readonly hash: string
}

/** Known outcome of an order: the UUIDs of its referrals, or `not-placed`. */
export type OrderResolution =
  | {
      /** UUIDs of the referrals, at least one. */
      readonly placed: readonly string[]
    }
  | 'not-placed'

/** Contents of a claim. */
export interface OrderClaimRequest {
  /** UUID of the claim. Each later operation of the claim contains it. */
  readonly token: string
  /** Length of the lease, in milliseconds. */
  readonly leaseMs: number
  /** Fingerprint of the order. */
  readonly fingerprint: OrderFingerprint
  /**
   * UUID of the first request with the order. If the ledger returns the state `new` and `isVouched`, it can also mark
   * this request in the same operation, and then returns `isMarked`. Without `isMarked`, the client calls `mark` before
   * it sends the order.
   */
  readonly mark?: string | undefined
  /** Earliest time at which an order with the key may have been placed. Default: 24 hours before the claim. */
  readonly since?: Date | undefined
}

/** Mark for one request with the order. The client makes the mark before it sends the request. */
export interface OrderMarkRequest {
  /** Token of the claim. */
  readonly token: string
  /** UUID of the request with the order. */
  readonly mark: string
  /**
   * Mark of an earlier request of the same claim that had no effect. The ledger removes this mark in the same
   * operation.
   */
  readonly replaces?: string | undefined
  /** New length of the lease, starting now, in milliseconds. */
  readonly leaseMs: number
}

/** Entry of a ledger as a claim found it. */
export interface LedgerClaim {
  /**
   * - `new`: the ledger does not have an order with this key that may have been sent. The claim now holds the entry.
   * - `busy`: another claim holds the entry, and its lease has not ended.
   * - `sent`: a mark of an earlier claim remains, so an order may have been sent, and its outcome is unknown. The
   * earlier lease has ended. The claim now holds the entry, which keeps its marks and its fingerprint.
   * - `placed`: the order was placed.
   */
  readonly state: 'new' | 'busy' | 'sent' | 'placed'
  /** Fingerprint of the entry. Required unless the state is `new`. */
  readonly fingerprint?: OrderFingerprint | undefined
  /** UUIDs of the referrals, at least one. Required in the state `placed`. */
  readonly referrals?: readonly string[] | undefined
  /** Milliseconds since the first marked request, measured by the ledger's clock. Required in the state `sent`. */
  readonly sinceFirstSentMs?: number | undefined
  /** Milliseconds since the last marked request, measured by the ledger's clock. Required in the state `sent`. */
  readonly sinceLastSentMs?: number | undefined
  /** `true` when the claim also marked its first request. */
  readonly isMarked: boolean
  /**
   * `true` when the ledger cannot have lost an order placed with this key since `since`. In the state `new`, the client
   * then sends the order without a lookup.
   */
  readonly isVouched: boolean
}

/**
 * Record of orders with a key of the caller. Any number of processes can share a ledger. They place each order only
 * once, unless the client option `resendAfter` is set. Each order has an entry with its marks, its outcome and the
 * claim that holds it. Of the order's contents, an entry has only a keyed hash.
 *
 * Rules for your own ledger:
 * - Each method is one atomic change, and durable when its promise resolves. All times are by the ledger's own clock,
 * never by a client's.
 * - A claim with another token takes over an entry only when the earlier claim has ended. A claim ends with its lease,
 * or by `record` or `resolve`. After a takeover, operations of the earlier token return `false` and change nothing,
 * with two exceptions. A token that has marked a request may still record `placed`. Such a token may also still remove
 * its own marks, with `unmark` or `not-placed`. The removal changes neither the later claim nor its lease and marks.
 * - `placed` is final: afterwards, only `resolve` adds referrals to the entry, and only `prune` deletes the entry.
 * - An operation may arrive late or twice. A repeated operation has no further effect. A repeated claim of the token
 * that holds the entry returns the same state. If `record` or `resolve` has ended the claim of a token, a repeated
 * claim of this token claims and marks nothing.
 * - A method rejects if it does not know whether the change was made. The client waits two seconds for each method.
 */
export interface OrderLedger {
  /** Optional: namespace of the client's keys. Default: the origin of `baseUrl`, a space, and `clientId`. */
  readonly namespace?: string | undefined
  /** Optional: key of the fingerprints. Default: derived from `clientSecret`. */
  readonly fingerprintKey?: OrderFingerprintKey | undefined
  /**
   * Claims an order. An existing entry is also `new` if it has neither marks nor referrals and its claim has ended, for
   * example after `not-placed`. The entry then gets the fingerprint of this claim.
   */
  claim(name: OrderName, request: OrderClaimRequest): Promise<LedgerClaim>
  /**
   * Stores the mark of a request that sends the order, before the first byte of the request is sent, and extends the
   * lease. Returns `false` if the token does not hold the entry: the client then does not send the request. An
   * existing mark keeps its time.
   */
  mark(name: OrderName, request: OrderMarkRequest): Promise<boolean>
  /**
   * Removes the mark of a request that was not sent or had no effect. The claim keeps the entry. Accepted from the
   * token that holds the entry, and from each token that has marked a request; otherwise returns `false`. A token never
   * removes a mark of another token.
   */
  unmark(name: OrderName, request: { readonly token: string; readonly mark: string }): Promise<boolean>
  /** Extends the lease to `leaseMs` milliseconds from now. Returns `false` if the token does not hold the entry. */
  renew(name: OrderName, request: { readonly token: string; readonly leaseMs: number }): Promise<boolean>
  /**
   * Records the outcome of a claim and ends its lease. Returns `false` if the outcome is not accepted: the token may
   * not record it, or the order was placed and the outcome is `not-placed` or `unknown`.
   *
   * - `placed`: accepted from the token that holds or last held the entry, and from each token that has marked a
   * request. A repeated operation returns `true` again.
   * - `not-placed`: removes the marks of this token. While marks of other tokens remain, the entry is `sent`. Accepted
   * from the same tokens as `placed`. This outcome does not end a claim of another token.
   * - `unknown`: only ends the lease. Accepted from the token that holds or last held the entry.
   */
  record(
    name: OrderName,
    request: { readonly token: string; readonly outcome: OrderResolution | 'unknown' },
  ): Promise<boolean>
  /**
   * Records the outcome of an entry. Takes no token, because a person or a webhook handler calls this method. Returns
   * `false` if there is no entry, and for `not-placed` if the order was placed. `not-placed` removes all marks and ends
   * the claim. A later `placed` of a token that had marked a request is still accepted. `placed` adds its referrals to
   * those of a placed entry, because each of two referrals has its own event.
   */
  resolve(name: OrderName, outcome: OrderResolution): Promise<boolean>
  /**
   * Deletes entries that were recorded as placed or not placed before a time. Also deletes claims without a mark that
   * ended before this time. Never deletes the entry of an order that may have been sent, while the outcome is unknown.
   * Returns the number of deleted entries.
   */
  prune(request: { readonly before: Date }): Promise<number>
  /**
   * Optional: calls `listener` when an entry changes. A waiting call then continues before its next poll. Returns a
   * function that removes the listener.
   */
  watch?(name: OrderName, listener: () => void): () => void
}

/** Order ledger of this package. */
export interface ManagedOrderLedger extends OrderLedger {
  /** Prepares the ledger, for example creates its table. You may call it at each start. */
  setup(): Promise<void>
  /**
   * Records an outcome as {@link OrderLedger.resolve} does. A string is the key of an entry in any namespace.
   *
   * @throws `ConfigurationError` when several namespaces have the key (pass `{ namespace, key }`), or when `outcome` is
   * not valid. Nothing is recorded.
   */
  resolve(name: OrderName | string, outcome: OrderResolution): Promise<boolean>
  /**
   * Lists entries, newest first. `list({ state: 'unknown' })` lists the orders that a person has to look at.
   *
   * @throws `ConfigurationError` for an invalid option.
   */
  list(options?: LedgerListOptions): Promise<readonly LedgerEntry[]>
}

/**
 * Checks the outcome that a person or an event records. A placed order without UUIDs could never be read, and `placed`
 * is final.
 *
 * @throws {@link ConfigurationError} for a list of referrals that is empty or has anything but UUIDs.
 */
export function checkResolution(outcome: OrderResolution): void {
  if (outcome === 'not-placed') return
  const placed: unknown = outcome?.placed
  if (Array.isArray(placed) && placed.length > 0 && placed.every(isUuid)) return
  throw new ConfigurationError(
    "the outcome must be 'not-placed', or { placed } with the UUID of at least one referral; nothing was recorded",
  )
}

/** Options of each ledger of this package. */
export interface LedgerNames {
  /**
   * Namespace of the client's keys, not only white space. Set it when one organisation uses several client IDs.
   * @defaultValue the origin of `baseUrl`, a space, and `clientId`; a new secret does not change this default
   */
  readonly namespace?: string | undefined
  /**
   * Key of the hashes in the ledger. The client compares the hashes to detect a different order under the same
   * `orderKey`. After a change of the key's `id`, an order is compared with the service's referrals instead.
   * @defaultValue derived from `clientSecret`
   */
  readonly fingerprintKey?: OrderFingerprintKey | undefined
}

/** Base of the ledgers of this package. The key is not printed with a ledger. */
export abstract class NamedLedger {
  readonly #names: LedgerNames

  constructor(owner: string, names: LedgerNames) {
    this.#names = checkedNames(owner, names)
  }

  get namespace(): string | undefined {
    return this.#names.namespace
  }

  get fingerprintKey(): OrderFingerprintKey | undefined {
    return this.#names.fingerprintKey
  }
}

/** @throws {@link ConfigurationError} for a blank namespace or a key that is too short. */
export function checkedNames(owner: string, { namespace, fingerprintKey }: LedgerNames): LedgerNames {
  if (namespace !== undefined && (typeof namespace !== 'string' || namespace.trim() === ''))
    throw new ConfigurationError(`${owner}: namespace must be a string that is not blank`)
  // A key that failed to load, such as `null`, must not be replaced by the derived key.
  return {
    namespace,
    fingerprintKey: fingerprintKey === undefined ? undefined : checkedKey(owner, fingerprintKey),
  }
}

export const MIN_KEY_BYTES = 32

/** Returns a copy of a checked key, because the caller may overwrite its bytes. */
function checkedKey(owner: string, given: unknown): OrderFingerprintKey {
  const id: unknown = isRecord(given) ? Reflect.get(given, 'id') : undefined
  const key: unknown = isRecord(given) ? Reflect.get(given, 'key') : undefined
  if (typeof id !== 'string' || id.trim() === '' || id.length > 100)
    throw new ConfigurationError(
      `${owner}: fingerprintKey.id must be a string of 1 to 100 characters, and not only white space`,
    )
  const isLong = (bytes: string | Uint8Array): boolean => Buffer.byteLength(bytes) >= MIN_KEY_BYTES
  if (typeof key === 'string' && isLong(key)) return { id, key }
  if (isBytes(key) && isLong(key)) return { id, key: Uint8Array.from(key) }
  throw new ConfigurationError(
    `${owner}: fingerprintKey.key must have at least ${MIN_KEY_BYTES} bytes (openssl rand -base64 32)`,
  )
}
