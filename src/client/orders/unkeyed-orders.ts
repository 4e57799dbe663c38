import type { Order, Referral } from '../../contract/types.js'
import type { WithResponse } from '../call/api-promise.js'
import { isSameReference, type SoughtOrder } from './match-order.js'
import type { PlacedOrder } from './order.js'

/** Maximum number of known referrals. The oldest is dropped first. */
const MAX_KNOWN_REFERRALS = 5_000

/** Tracks a client's orders without a key, so that a lookup does not confuse similar orders. */
export class UnkeyedOrders {
  readonly #known = new Set<string>()
  /** Orders without a key that are being placed. */
  readonly #placing = new Set<SoughtOrder>()

  /** UUIDs of the referrals of placed orders. These referrals do not belong to another order. */
  get knownReferrals(): ReadonlySet<string> {
    return this.#known
  }

  /**
   * Assigns found referrals to an order. Returns `false` when they belong to another order, or may belong to another
   * order without a key that is being placed.
   */
  claim(sought: SoughtOrder, found: readonly Referral[]): boolean {
    if (sought.orderKey !== undefined) return true
    if (found.some(({ uuid }) => this.#known.has(uuid))) return false
    if ([...this.#placing].some((other) => other !== sought && isAlike(other.order, sought.order)))
      return false
    for (const { uuid } of found) this.#remember(uuid)
    return true
  }

  /** Tracks an order without a key until its result is known. Remembers the referrals of every placed order. */
  async track(
    sought: SoughtOrder,
    sending: Promise<WithResponse<PlacedOrder>>,
  ): Promise<WithResponse<PlacedOrder>> {
    if (sought.orderKey === undefined) this.#placing.add(sought)
    try {
      const placed = await sending
      for (const { uuid } of placed.data.referrals) this.#remember(uuid)
      return placed
    } finally {
      this.#placing.delete(sought)
    }
  }

  #remember(uuid: string): void {
    this.#known.add(uuid)
    const [oldest] = this.#known
    if (this.#known.size > MAX_KNOWN_REFERRALS && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Returns `true` when the referrals of two orders without a key may be confused. */
function isAlike(one: Order, other: Order): boolean {
  return (
    isSameReference(one.referenceNumber, other.referenceNumber) &&
    (['firstName', 'lastName', 'dob'] as const).every((field) => one[field] === other[field])
  )
}
