import type { Order, Referral } from '../../contract/types.js'
import type { RequestOptions } from '../call/request-options.js'
import { timeOf } from '../core/since.js'
import { expectedReferrals, orderKeyOf, type PlacedOrder } from './order.js'
import { differenceFrom, isSameReference } from './same-order.js'

/**
 * An order without a key is taken to be the one that was lost only if it is not older than this: `createdAt` may be
 * whole seconds, as Date headers are.
 */
const PRECISION_MS = 2_000

/** What identifies the order that is looked for. */
export interface SoughtOrder {
  readonly order: Order
  readonly orderKey: string | undefined
  /** The key is the caller's, who may have used it for another order. */
  readonly isShared?: boolean
  /** Referrals with the key that were there before the order was sent, and are too old to be its own. */
  readonly older: Set<string>
}

/** An order that is looked for, in times of the service's clock as far as it is known. */
export interface Search {
  /** Where there is no order, any with its key will do. */
  readonly sought: Omit<SoughtOrder, 'order'> & Partial<SoughtOrder>
  /** How far back the list is read. */
  readonly since: () => number
  /** When the order was sent; `undefined` where only its key tells. */
  readonly startedAt: (() => number) | undefined
  readonly call: RequestOptions
  /** Referrals that are known to be other orders'. */
  readonly others: Pick<ReadonlySet<string>, 'has'>
}

/**
 * Whether what was found is the order, all of it. Without a key it is so only if nothing else can be: as many as the
 * order makes, none of them from before it was sent.
 */
export function isWhole(
  { sought, startedAt }: Search,
  found: readonly Referral[],
): found is PlacedOrder['referrals'] {
  const expected = sought.order === undefined ? 1 : expectedReferrals(sought.order)
  if (sought.orderKey !== undefined) return found.length >= expected
  const earliest = (startedAt?.() ?? Number.POSITIVE_INFINITY) - PRECISION_MS
  return found.length === expected && found.every(({ createdAt }) => timeOf(createdAt) >= earliest)
}

/** By the key alone when there is one; else by reference number, name, date of birth and tests. */
export function matches(search: Search, referral: Referral): boolean {
  const { sought, since, startedAt } = search
  const { order, orderKey, older } = sought
  if (orderKeyOf(referral) !== (orderKey ?? orderKeyOf(order))) return false
  if (orderKey === undefined) return isLike(search, referral)
  if (startedAt === undefined && isOlder(referral, since())) older.add(referral.uuid)
  return !older.has(referral.uuid)
}

/** A referral without the field that holds the key can be the order: nothing shows that it has another key. */
export function isUnclear(search: Search, referral: Referral): boolean {
  return search.sought.orderKey !== undefined && referral.metadata === undefined && isLike(search, referral)
}

function isLike({ sought: { order }, since, others }: Search, referral: Referral): boolean {
  const person = referral.person
  return (
    order !== undefined &&
    isSameReference(referral.referenceNumber, order.referenceNumber) &&
    person?.firstName === order.firstName &&
    person.lastName === order.lastName &&
    person.dob === order.dob &&
    differenceFrom(order, referral) === undefined &&
    !others.has(referral.uuid) &&
    !isOlder(referral, since())
  )
}

function isOlder(referral: Referral, since: number): boolean {
  return timeOf(referral.createdAt) < since
}
