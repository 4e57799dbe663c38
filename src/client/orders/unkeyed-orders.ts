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
   * Assigns found referrals to an order. Returns `false` when they belong, or may belong, to another order
   * without a key.
   */
  claim(sought: SoughtOrder, found: readonly Referral[]): boolean {
    if (sought.orderKey !== undefined) return true
    if (found.some((referral) => this.#known.has(uuidOf(referral)))) return false
    if ([...this.#placing].some((other) => other !== sought && isAlike(other.order, sought.order)))
      return false
    for (const referral of found) this.#remember(referral)
    return true
  }

  /** Tracks an order, with or without a key, until its result is known. */
  async track(
    sought: SoughtOrder,
    sending: Promise<WithResponse<PlacedOrder>>,
  ): Promise<WithResponse<PlacedOrder>> {
    if (sought.orderKey === undefined) this.#placing.add(sought)
    try {
      const placed = await sending
      for (const referral of placed.data.referrals) this.#remember(referral)
      return placed
    } finally {
      this.#placing.delete(sought)
    }
  }

  #remember(referral: Referral): void {
    this.#known.add(uuidOf(referral))
    const [oldest] = this.#known
    if (this.#known.size > MAX_KNOWN_REFERRALS && oldest !== undefined) this.#known.delete(oldest)
  }
}

function uuidOf(referral: Referral | undefined): string {
  const uuid: unknown = referral?.uuid
  return typeof uuid === 'string' ? uuid : ''
}

/** Returns `true` when the referrals of two orders without a key may be confused. */
function isAlike(one: Order, other: Order): boolean {
  return (
    isSameReference(one.referenceNumber, other.referenceNumber) &&
    (['firstName', 'lastName', 'dob'] as const).every((field) => one[field] === other[field])
  )
}
