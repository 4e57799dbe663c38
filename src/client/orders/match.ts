import type { Order, Referral } from '../../contract/types.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'
import { isMedicareReferral, isSameReference, orderKeyOf, type PlacedOrder } from './order.js'

/** Order to look up. */
export interface SoughtOrder {
  /** Without `order`, each referral with the key matches. */
  readonly order?: Order | undefined
  readonly orderKey: string
  /** `true` for a key of the caller, who may have used it for another order. */
  readonly hasOwnKey?: boolean
  /**
   * UUIDs of referrals with this key that were created before the lookup window: they belong to an older order. Each
   * lookup by key adds those that it reads.
   */
  readonly older: Set<string>
}

/** Lookup of an order. */
export interface Search {
  readonly sought: SoughtOrder
  /** Start of the lookup window, in milliseconds of the server clock, or of the local clock without a Date header. */
  readonly windowStart: () => number
  /** `true` for a lookup after a lost response; `false` for a lookup by key. */
  readonly isAfterLoss: boolean
  /** `true` when the ledger has shown that the key belongs to this order: the patient is then not compared. */
  readonly isSameOrder: boolean
  readonly options: RequestOptions
  /** Referrals of the order that were already read. The list may no longer show them. */
  readonly alreadyRead: readonly Referral[]
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

/** Returns `true` when there are at least as many referrals as the order has. */
export function isComplete(
  { order }: Pick<SoughtOrder, 'order'>,
  found: readonly Referral[],
): found is PlacedOrder['referrals'] {
  return found.length >= (order === undefined ? 1 : expectedReferrals(order))
}

/** Returns `true` for a referral with the key that is older than the window. Applies only to a lookup by key. */
export function isOfOlderOrder({ sought, windowStart, isAfterLoss }: Search, referral: Referral): boolean {
  return !isAfterLoss && orderKeyOf(referral) === sought.orderKey && isOlder(referral, windowStart())
}

/** Returns `true` when a referral has the order's key and does not belong to an older order. */
export function matches({ sought }: Search, referral: Referral): boolean {
  return orderKeyOf(referral) === sought.orderKey && !sought.older.has(referral.uuid)
}

/** Returns `true` when a referral may be the order: it is similar to the order and has no visible metadata. */
export function isUnclear({ sought: { order }, windowStart }: Search, referral: Referral): boolean {
  return (
    order !== undefined &&
    referral.metadata === undefined &&
    isSameReference(referral.referenceNumber, order.referenceNumber) &&
    (['firstName', 'lastName', 'dob'] as const).every((name) => referral.person?.[name] === order[name]) &&
    differenceFrom(order, referral, true) === undefined &&
    !isOlder(referral, windowStart())
  )
}

function isOlder(referral: Referral, since: number): boolean {
  return timeOf(referral.createdAt) < since
}

/**
 * Returns a difference that shows that a referral belongs to another order; `undefined` if there is none. Ignores the
 * metadata, because an update can change it.
 */
export function differenceFrom(order: Order, referral: Referral, isSamePatient: boolean): string | undefined {
  const { referenceNumber, tests, bundleId } = referral
  if (referenceNumber && !isSameReference(referenceNumber, order.referenceNumber))
    return 'another referenceNumber'
  if (!isSamePatient && isOtherPatient(order, referral)) return 'another patient'
  if (!Array.isArray(tests)) return undefined
  const isMedicare = referral.medicare ?? referral.bulkBilled
  const isOtherBundle = order.bundleId && bundleId && bundleId !== order.bundleId
  return (isMedicare !== false && hasOrderedTests(tests, order.medicareTests)) ||
    (isMedicare !== true && !isOtherBundle && hasOrderedTests(tests, order.tests, order.bundleId))
    ? undefined
    : 'other tests'
}

/** Statuses of a referral that was never edited: an edit leads to SCHEDULED_REISSUE, and from there to ISSUED. */
const UNEDITED: readonly string[] = ['CREATED', 'PENDING_VERIFICATION', 'BILLING_FAILED']

/** Time in which the service issues a referral, in milliseconds. A later change may be an edit. */
const ISSUE_MS = 60_000

/**
 * Compares name and date of birth, if the referral was certainly or probably never edited. An early edit usually
 * corrects one of them, so a referral that was issued at once is another patient's only if both differ.
 */
function isOtherPatient(order: Order, { person, status, createdAt, updatedAt }: Referral): boolean {
  const hasOther = (field: 'firstName' | 'lastName' | 'dob'): boolean => {
    const shown: unknown = person?.[field]
    return typeof shown === 'string' && plain(shown) !== plain(order[field])
  }
  const hasOtherName = hasOther('firstName') || hasOther('lastName')
  if (UNEDITED.includes(status) || updatedAt === createdAt) return hasOtherName || hasOther('dob')
  const wasJustIssued = status === 'ISSUED' && timeOf(updatedAt) - timeOf(createdAt) <= ISSUE_MS
  return wasJustIssued && hasOtherName && hasOther('dob')
}

/** Omits what a service may change in a name: case, accents and white space. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}\s]/gu, '')
    .toLowerCase()
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

/**
 * Throws if no referral belongs to the order. One matching referral is enough, because the service may change the form
 * of the other referral.
 */
export function checkSameOrder(order: Order, referrals: readonly Referral[]): void {
  const [difference, ...others] = referrals.map((referral) => differenceFrom(order, referral, false))
  if (difference === undefined || others.includes(undefined)) return
  throw keyInUse(difference)
}

/** Returns the requested order; `undefined` while it is incomplete. Throws when the key belongs to another order. */
export function placedBefore(search: Search, found: readonly Referral[]): PlacedOrder | undefined {
  const { sought, isSameOrder } = search
  const { order, orderKey } = sought
  const own = omitOthers(search, found)
  if (isComplete(sought, own)) return placedOrder(own, orderKey, true)
  for (const referral of found) {
    const difference = order && !own.includes(referral) && differenceFrom(order, referral, isSameOrder)
    if (difference) throw keyInUse(difference)
  }
  return undefined
}

/**
 * Returns the order that was sent; `undefined` while it is incomplete. With the caller's key, omits referrals that
 * differ from the order. If all found referrals differ, omits none, because the service may show an order in a
 * different form.
 */
export function completeOrder(
  search: Search,
  found: readonly Referral[],
): PlacedOrder['referrals'] | undefined {
  const own = search.sought.hasOwnKey ? omitOthers(search, found) : found
  const shown = own.length > 0 ? own : found
  return isComplete(search.sought, shown) ? shown : undefined
}

/** Omits referrals that differ from the order. Keeps those that the ledger has as the order's own. */
function omitOthers(
  { sought: { order }, alreadyRead, isSameOrder }: Search,
  found: readonly Referral[],
): readonly Referral[] {
  return found.filter(
    (referral) =>
      !(order && differenceFrom(order, referral, isSameOrder)) ||
      alreadyRead.some(({ uuid }) => uuid === referral.uuid),
  )
}

/** Returns `true` when the complete window was read, and contains neither the order nor a candidate. */
export function isNotListed({ found, unclear, isPartlyRead }: LookupResult): boolean {
  return found.length + unclear.length === 0 && !isPartlyRead
}

export function byUuid(referrals: readonly Referral[]): Map<string, Referral> {
  return new Map(referrals.map((referral) => [referral.uuid, referral]))
}

export function placedOrder(
  value: Referral | PlacedOrder['referrals'],
  orderKey: string,
  recovered: boolean,
): PlacedOrder {
  const referrals = referralsOf(value)
  return {
    referrals,
    commercial: referrals.find((referral) => !isMedicareReferral(referral)),
    medicare: referrals.find(isMedicareReferral),
    recovered,
    orderKey,
  }
}

/**
 * Describes a contradiction between a response and the order: another order key, or too few referrals; `undefined` if
 * there is none. A missing key or additional referrals do not contradict the order.
 */
export function contradictionOf(
  order: Order,
  response: Referral | PlacedOrder['referrals'],
): string | undefined {
  const referrals = referralsOf(response)
  const keys = referrals.map(orderKeyOf).filter((key) => key !== undefined)
  if (keys.some((key) => key !== orderKeyOf(order)))
    return 'it has a referral with the order key of another order'
  const expected = expectedReferrals(order)
  return referrals.length < expected ? `it has ${referrals.length} of ${expected} referrals` : undefined
}

/** Returns the referrals of a response in the same sequence, without duplicates. */
function referralsOf(response: Referral | PlacedOrder['referrals']): PlacedOrder['referrals'] {
  const [first, ...others] = isList(response) ? response : [response]
  const uuids = new Set([first.uuid])
  return [first, ...others.filter(({ uuid }) => !uuids.has(uuid) && uuids.add(uuid))]
}

function isList(response: Referral | PlacedOrder['referrals']): response is PlacedOrder['referrals'] {
  return Array.isArray(response)
}

/** Returns the number of referrals that an order creates. */
export function expectedReferrals(order: Order): number {
  const medicare = (order.medicareTests?.length ?? 0) > 0
  const commercial = (order.tests?.length ?? 0) > 0 || order.bundleId !== undefined
  return medicare && commercial ? 2 : 1
}

/** Creates the error of a key that belongs to another order. The error does not repeat a value of the orders. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}; use a new key for a new order`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}
