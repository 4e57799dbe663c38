import { isRecord } from '../../common/known-options.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import { metadataIssue, normaliseOrder } from '../../forms/order-input.js'
import { isWellFormed } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'

/** Placed order, in one shape for both API versions and all responses. */
export interface PlacedOrder {
  /**
   * One referral, or two when the order has both commercial and Medicare tests. Never empty. More referrals if the
   * service shows further referrals with the same order key.
   */
  readonly referrals: readonly [Referral, ...Referral[]]
  /** Referral for `tests` and `bundleId`; `undefined` if `referrals` has none. */
  readonly commercial: Referral | undefined
  /** Referral for `medicareTests`; `undefined` if `referrals` has none. */
  readonly medicare: Referral | undefined
  /** `true` when the order was found after its response was lost, or was placed earlier with the same key. */
  readonly recovered: boolean
  /** Order key in the metadata. */
  readonly orderKey: string
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

/**
 * Returns `true` for a Medicare referral: its field `medicare` is `true`. If `medicare` is missing, the older field
 * `bulkBilled` is read.
 */
export function isMedicareReferral(referral: Referral): boolean {
  return (fieldOf(referral, 'medicare') ?? fieldOf(referral, 'bulkBilled')) === true
}

/** Returns the number of referrals that an order creates. */
export function expectedReferrals(order: Order): number {
  const medicare = (order.medicareTests?.length ?? 0) > 0
  const commercial = (order.tests?.length ?? 0) > 0 || order.bundleId !== undefined
  return medicare && commercial ? 2 : 1
}

/** Copies the order for the request: normalises the card and provider numbers, and adds the key to the metadata. */
export function orderToSend(order: Order, orderKey: string | undefined): Order {
  if (typeof order !== 'object' || order === null) return order
  const copy = normaliseOrder(order)
  const { metadata } = order
  if (orderKey !== undefined && (metadata === undefined || isRecord(metadata))) {
    copy.metadata = { ...metadata, [ORDER_KEY_FIELD]: orderKey }
  }
  return copy
}

/**
 * Checks the size of an order's or an update's metadata.
 *
 * @throws {@link InvalidRequestError} when the metadata is too large.
 */
export function checkMetadata(operation: string, body: unknown): void {
  const issue = metadataIssue(fieldOf(body, 'metadata'))
  if (issue !== undefined) throw new InvalidRequestError(operation, [issue])
}

/** Metadata field that contains the order key. */
export const ORDER_KEY_FIELD = 'pathologySdkOrderKey'

/**
 * Returns the order key in a referral, a result or a webhook event; `undefined` when the source has no key.
 *
 * @param source - A referral, a result, or an event whose data has metadata.
 */
export function orderKeyOf(source: unknown): string | undefined {
  const metadata = ownFieldOf(source, 'metadata') ?? ownFieldOf(ownFieldOf(source, 'data'), 'metadata')
  const key = ownFieldOf(metadata, ORDER_KEY_FIELD)
  return typeof key === 'string' ? key : undefined
}

/** Returns the problem of an order key; `undefined` when the key is valid. */
export function orderKeyProblem(given: unknown): string | undefined {
  if (typeof given === 'string' && given.trim() !== '' && isWellFormed(given)) return undefined
  return 'orderKey must be text with at least one character that is not white space, and without half of a surrogate pair'
}

/** Creates the error of a key that belongs to another order. The error does not repeat a value of the orders. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}; use a new key for a new order`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}
