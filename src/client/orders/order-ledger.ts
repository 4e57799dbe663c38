/** Name of an order in a ledger. */
export interface OrderName {
  /** Separates clients that share a ledger, such as the environments of the service. */
  readonly namespace: string
  /** The `orderKey` of the caller. */
  readonly key: string
}

/**
 * Keyed hash (HMAC-SHA-256) of an order, as text. A ledger stores it and compares nothing: the client compares
 * hashes with the same `keyId`.
 */
export interface OrderFingerprint {
  /** ID of the key that made the hash. */
  readonly keyId: string
  /** The hash. */
  readonly hash: string
}

/** Known result of an order: UUIDs of its referrals, or the certainty that it was not placed. */
export type OrderResolution =
  | {
      /** UUIDs of the referrals. */
      readonly placed: readonly string[]
    }
  | 'not-placed'

/** Request to claim an order. */
export interface OrderClaimRequest {
  /** UUID of the claim. Each later statement of the claim carries it. */
  readonly token: string
  /** Length of the lease, in milliseconds. */
  readonly leaseMs: number
  /** Fingerprint of the order. */
  readonly fingerprint: OrderFingerprint
  /**
   * UUID of the first sending. If the entry is new and the ledger vouches for the key, the sending is marked in
   * the same statement.
   */
  readonly mark?: string | undefined
  /** Earliest time at which an order with the key may have been placed. Default: 24 hours before the claim. */
  readonly since?: Date | undefined
}

/** Request to mark a sending. */
export interface OrderMarkRequest {
  /** Token of the claim. */
  readonly token: string
  /** UUID of the sending. */
  readonly mark: string
  /** Mark of an earlier sending of the same claim that had no effect. It is removed in the same statement. */
  readonly replaces?: string | undefined
  /** New length of the lease from now, in milliseconds. */
  readonly leaseMs: number
}

/** Entry of a ledger as a claim found it. */
export interface LedgerClaim {
  /**
   * - `new`: no order with this key was sent. The claim now holds the entry.
   * - `busy`: another claim holds the entry, and its lease is not over.
   * - `sent`: an order was sent, its outcome was not recorded, and the lease is over. The claim now holds the
   * entry; its marks and its fingerprint are kept.
   * - `placed`: the order was placed.
   */
  readonly state: 'new' | 'busy' | 'sent' | 'placed'
  /** Fingerprint of the entry; not with `new`. */
  readonly fingerprint?: OrderFingerprint | undefined
  /** UUIDs of the referrals; only with `placed`. */
  readonly referrals?: readonly string[] | undefined
  /** Time since the first marked sending by the ledger's clock, in milliseconds; with `sent`. */
  readonly sinceFirstSentMs?: number | undefined
  /** Time since the last marked sending, likewise. */
  readonly sinceLastSentMs?: number | undefined
  /** `true` when the claim also marked its first sending. */
  readonly isMarked: boolean
  /** `true` when the ledger holds each order with this key since `since`, so that no lookup is needed. */
  readonly isVouched: boolean
}

/**
 * Record of orders that any number of processes share, so that all of them together place an order once. Each
 * order with a key of the caller has an entry: its marks, its outcome, the claim that holds it, and
 * no data of the order.
 *
 * Rules for your own ledger:
 * - Each method is one atomic change, and durable when its promise resolves. All times are the ledger's own:
 * clocks of the clients take no part.
 * - A claim with another token takes over an entry only when its lease is over or `record` has ended it. From
 * then on, statements of the earlier token return `false` and change nothing. Exceptions, which are accepted from
 * each token that has marked a sending: `placed`, and the removal of its own marks (`unmark`, `not-placed`). The
 * removal leaves the later claim, its lease and its marks as they are.
 * - `placed` is final: no later statement changes it, except that `resolve` adds referrals.
 * - A statement may arrive twice or late. A repeated statement has no further effect. A repeated claim of the
 * token that holds the entry returns the same state; of a token whose claim `record` or `resolve` has ended, it
 * claims and marks nothing.
 * - A method rejects when it cannot say whether the change was made. The client gives it two seconds.
 */
export interface OrderLedger {
  /**
   * Claims an order. An entry without a mark whose lease is over, and an entry recorded as not placed, are new:
   * they take the fingerprint of this claim.
   */
  claim(name: OrderName, request: OrderClaimRequest): Promise<LedgerClaim>
  /**
   * Marks a sending before its first byte leaves, and extends the lease. Returns `false` when the token does
   * not hold the entry: then nothing may be sent. A mark that exists keeps its time.
   */
  mark(name: OrderName, request: OrderMarkRequest): Promise<boolean>
  /**
   * Removes the mark of a sending that did not take place. The claim keeps the entry. It is accepted from the token
   * that holds the entry and from each token that has marked a sending, but removes no mark of another token.
   */
  unmark(name: OrderName, request: { readonly token: string; readonly mark: string }): Promise<boolean>
  /** Extends the lease to `leaseMs` milliseconds from now. */
  renew(name: OrderName, request: { readonly token: string; readonly leaseMs: number }): Promise<boolean>
  /**
   * Records the outcome of a claim and ends its lease.
   *
   * - `placed`: accepted from the token that holds or last held the entry, and from each token that has marked
   * a sending. It returns `true` again when it is repeated.
   * - `not-placed`: removes the marks of this token. While marks of other tokens remain, the entry is `sent`. It is
   * accepted from each token that has marked a sending too, and ends no claim of another token.
   * - `unknown`: only ends the lease.
   */
  record(
    name: OrderName,
    request: { readonly token: string; readonly outcome: OrderResolution | 'unknown' },
  ): Promise<boolean>
  /**
   * Settles an entry without a token: by hand, or when a webhook event shows the order. Returns `false` when
   * there is no entry, and for `not-placed` when the order was placed. `not-placed` removes all marks and ends
   * the claim, and a later `placed` of a token that had marked a sending is still accepted. `placed` adds its
   * referrals to those of a placed entry, because each of two referrals has its own event.
   */
  resolve(name: OrderName, outcome: OrderResolution): Promise<boolean>
  /**
   * Deletes entries that were recorded as placed or not placed before a time, and claims without a mark that
   * ended before it. It never deletes an entry that may have been sent. Returns the number of deleted entries.
   */
  prune(request: { readonly before: Date }): Promise<number>
  /**
   * Optional: calls `listener` when an entry changes, so that a waiting call need not wait for its next poll.
   * Returns a function that removes the listener.
   */
  watch?(name: OrderName, listener: () => void): () => void
}

/** Ledger of this package. */
export interface ManagedOrderLedger extends OrderLedger {
  /** Creates what the ledger needs, such as a table. It may be called at each start. */
  setup(): Promise<void>
  /**
   * Settles an entry as {@link OrderLedger.resolve} does. A string is the key of an entry in any namespace.
   *
   * @throws `ConfigurationError` when several namespaces have the key: pass `{ namespace, key }`.
   */
  resolve(name: OrderName | string, outcome: OrderResolution): Promise<boolean>
}
