import type { Order, Referral } from '../../contract/types.js'
import type { WithResponse } from '../call/api-promise.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/caller-input.js'
import { expectedReferrals, type PlacedOrder, placedOrder } from './order.js'
import { keyInUse, orderKeyOf } from './order-key.js'

/** Sum of the resolutions of `createdAt` and of the Date header, in milliseconds. */
const CREATED_AT_TOLERANCE_MS = 2_000

/** Identity of an order to look up. */
export interface SoughtOrder {
  readonly order: Order
  readonly orderKey: string | undefined
  /** `true` for a key of the caller, who may have used it for another order. */
  readonly hasOwnKey?: boolean
  /**
   * UUIDs of referrals with this key that were created before the lookup window: they belong to an older order. Each
   * lookup by key adds those that it reads.
   */
  readonly older: Set<string>
}

/** Lookup of an order. Times are in milliseconds: of the server clock, or of the local clock without a Date header. */
export interface Search {
  /** The order. Without `order`, each referral with the key matches. */
  readonly sought: Omit<SoughtOrder, 'order'> & Partial<SoughtOrder>
  /** Start of the lookup window. */
  readonly windowStart: () => number
  /** Time at which the order was sent; `undefined` for a lookup by key. */
  readonly startedAt: (() => number) | undefined
  readonly options: RequestOptions
  /** Referrals of the order that were already read. The list may no longer show them. */
  readonly alreadyRead?: readonly Referral[] | undefined
  /** Referrals that belong to other orders. */
  readonly knownReferrals?: Pick<ReadonlySet<string>, 'has'>
}

/** Result of a lookup. */
export interface LookupResult {
  /** Referrals of the order, each once: those in the list, oldest first, then those that the list no longer shows. */
  readonly found: readonly Referral[]
  /** Referrals that may be the order, but do not show their metadata. */
  readonly unclear: readonly Referral[]
  /** `true` when a part of the window was not read: this part may contain the order. */
  readonly isPartlyRead: boolean
  /**
   * Reason for an incomplete lookup. `undefined` for a complete lookup, and when the time of repeated lookups has
   * ended.
   */
  readonly error?: unknown
}

/**
 * Returns `true` when the found referrals are the complete order:
 * - With a key, there is at least the expected number of referrals.
 * - Without a key, there is exactly the expected number, and no referral is older than the order.
 */
export function isComplete(
  { sought, startedAt }: Pick<Search, 'sought' | 'startedAt'>,
  found: readonly Referral[],
): found is PlacedOrder['referrals'] {
  const expected = sought.order === undefined ? 1 : expectedReferrals(sought.order)
  if (sought.orderKey !== undefined) return found.length >= expected
  const earliest = (startedAt?.() ?? Number.POSITIVE_INFINITY) - CREATED_AT_TOLERANCE_MS
  return found.length === expected && found.every(({ createdAt }) => timeOf(createdAt) >= earliest)
}

/** Returns `true` for a referral with the key that is older than the window. Applies only to a lookup by key. */
export function isOfOlderOrder({ sought, windowStart, startedAt }: Search, referral: Referral): boolean {
  return (
    startedAt === undefined && orderKeyOf(referral) === sought.orderKey && isOlder(referral, windowStart())
  )
}

/**
 * Returns `true` when a referral belongs to the order. With a key, the referral must have this key and must not be in
 * `older`. Without a key, all of these conditions must hold:
 * - The reference number, name, date of birth, tests and any order key in the metadata match the order.
 * - The referral is not older than the window.
 * - The referral is not a known referral of another order.
 */
export function matches(search: Search, referral: Referral): boolean {
  const { order, orderKey, older } = search.sought
  if (orderKeyOf(referral) !== (orderKey ?? orderKeyOf(order))) return false
  return orderKey === undefined ? isLike(search, referral) : !older.has(referral.uuid)
}

/** Returns `true` when a referral may be the order: it is similar to the order and has no visible metadata. */
export function isUnclear(search: Search, referral: Referral): boolean {
  return referral.metadata === undefined && isLike(search, referral)
}

function isLike({ sought: { order }, windowStart, knownReferrals }: Search, referral: Referral): boolean {
  return (
    order !== undefined &&
    isAlike(order, referral.referenceNumber, referral.person) &&
    differenceFrom(order, referral) === undefined &&
    !knownReferrals?.has(referral.uuid) &&
    !isOlder(referral, windowStart())
  )
}

type Person = Pick<Referral['person'], 'firstName' | 'lastName' | 'dob'>

/** Returns `true` when an order has this reference number and this patient. */
function isAlike(order: Order, referenceNumber: unknown, person: Person | undefined): boolean {
  return (
    isSameReference(referenceNumber, order.referenceNumber) &&
    (['firstName', 'lastName', 'dob'] as const).every((field) => person?.[field] === order[field])
  )
}

function isOlder(referral: Referral, since: number): boolean {
  return timeOf(referral.createdAt) < since
}

/**
 * Returns a difference that shows that a referral belongs to another order; `undefined` if there is none. Ignores the
 * patient's details and the metadata, because an update or a transfer can change them.
 */
export function differenceFrom(order: Order, referral: Referral): string | undefined {
  const { referenceNumber, tests, bundleId } = referral
  if (referenceNumber && !isSameReference(referenceNumber, order.referenceNumber))
    return 'another referenceNumber'
  if (!Array.isArray(tests)) return undefined
  const isMedicare = referral.medicare ?? referral.bulkBilled
  const isOtherBundle = order.bundleId && bundleId && bundleId !== order.bundleId
  return (isMedicare !== false && hasOrderedTests(tests, order.medicareTests)) ||
    (isMedicare !== true && !isOtherBundle && hasOrderedTests(tests, order.tests, order.bundleId))
    ? undefined
    : 'other tests'
}

/** Returns `true` when the tests are exactly the ordered ones. With a bundle, there may be more. */
function hasOrderedTests(
  found: readonly string[],
  ordered: readonly string[] = [],
  bundleId?: string,
): boolean {
  return (
    ordered.every((id) => found.includes(id)) &&
    (bundleId !== undefined || found.every((id) => ordered.includes(id)))
  )
}

/** Compares a reference number with the service's value, which may be a number or lack surrounding white space. */
export function isSameReference(shown: unknown, own: string): boolean {
  return (typeof shown === 'string' || typeof shown === 'number') && String(shown).trim() === own.trim()
}

/**
 * Throws if no referral belongs to the order. One matching referral is enough, because the service may change the form
 * of the other referral.
 */
export function checkSameOrder(order: Order, referrals: readonly Referral[]): void {
  const [difference, ...others] = referrals.map((referral) => differenceFrom(order, referral))
  if (difference === undefined || others.includes(undefined)) return
  throw keyInUse(difference)
}

/** Returns the requested order; `undefined` while it is incomplete. Throws when the key belongs to another order. */
export function placedBefore(search: Search, found: readonly Referral[]): PlacedOrder | undefined {
  const { order, orderKey } = search.sought
  const own = omitOthers(search, found)
  if (isComplete(search, own)) return placedOrder(own, orderKey, true)
  for (const referral of found) {
    const difference = order && !own.includes(referral) && differenceFrom(order, referral)
    if (difference) throw keyInUse(difference)
  }
  return undefined
}

/**
 * Returns the order that was sent; `undefined` while it is incomplete. With the caller's key, omits referrals that
 * differ from the order. If all found referrals differ, omits none, because the service may show an order in a
 * different form. Without a key, returns `undefined` after an incomplete lookup: the unread part may contain a similar
 * order.
 */
export function completeOrder(
  search: Search,
  { found, isPartlyRead }: LookupResult,
): PlacedOrder['referrals'] | undefined {
  if (isPartlyRead && search.sought.orderKey === undefined) return undefined
  const own = search.sought.hasOwnKey ? omitOthers(search, found) : found
  const shown = own.length > 0 ? own : found
  return isComplete(search, shown) ? shown : undefined
}

/** Omits referrals that differ from the order. Keeps those that the ledger has as the order's own. */
function omitOthers(
  { sought: { order }, alreadyRead = [] }: Search,
  found: readonly Referral[],
): readonly Referral[] {
  return found.filter(
    (referral) =>
      !(order && differenceFrom(order, referral)) || alreadyRead.some(({ uuid }) => uuid === referral.uuid),
  )
}

/** Returns `true` when the complete window was read, and contains neither the order nor a candidate. */
export function isNotListed({ found, unclear, isPartlyRead }: LookupResult): boolean {
  return found.length + unclear.length === 0 && !isPartlyRead
}

/** Maximum number of known referrals. The oldest is dropped first. */
const MAX_KNOWN_REFERRALS = 5_000

/** Tracks a client's orders, so that the lookup of an order without a key does not confuse similar orders. */
export class InFlightOrders {
  /** UUIDs of the referrals of placed orders. These referrals do not belong to another order. */
  readonly knownReferrals = new Set<string>()
  /** Orders without a key that are being placed. */
  readonly #placing = new Set<SoughtOrder>()

  /**
   * Assigns found referrals to an order without a key. Returns `false` when they belong to another order, or may belong
   * to another order without a key that is being placed. Returns `true` for an order with a key, and for a search
   * without an order.
   */
  assign(sought: Search['sought'], found: readonly Referral[]): boolean {
    const { order, orderKey } = sought
    if (order === undefined || orderKey !== undefined) return true
    if (found.some(({ uuid }) => this.knownReferrals.has(uuid))) return false
    const others = [...this.#placing].filter((other) => other !== sought)
    if (others.some(({ order: other }) => isAlike(order, other.referenceNumber, other))) return false
    for (const { uuid } of found) this.#remember(uuid)
    return true
  }

  /** Tracks an order until its result is known, and remembers its referrals. */
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
    this.knownReferrals.add(uuid)
    const [oldest] = this.knownReferrals
    if (this.knownReferrals.size > MAX_KNOWN_REFERRALS && oldest !== undefined)
      this.knownReferrals.delete(oldest)
  }
}

export function byUuid(referrals: readonly Referral[]): Map<string, Referral> {
  return new Map(referrals.map((referral) => [referral.uuid, referral]))
}
