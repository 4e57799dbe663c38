import { normaliseMedicareCardNumber, normaliseProviderNumber } from '../../contract/identifiers.js'
import { fieldIssue } from '../../contract/issues.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import { InvalidRequestError } from '../errors/errors.js'

/** Placed order, in one shape for both API versions and all responses. */
export interface PlacedOrder {
  /** One referral, or two when the order has both commercial and Medicare tests. Never empty. */
  readonly referrals: readonly [Referral, ...Referral[]]
  /** Referral for `tests` and `bundleId`; `undefined` if `referrals` has none. */
  readonly commercial: Referral | undefined
  /** Referral for `medicareTests`; `undefined` if `referrals` has none. */
  readonly medicare: Referral | undefined
  /** `true` when the order was found after its response was lost, or was placed earlier with the same key. */
  readonly recovered: boolean
  /** Order key in the metadata; `undefined` with `orderKey: false`. */
  readonly orderKey: string | undefined
}

/** Creates the order from its referrals. */
export function placedOrder(
  value: Referral | PlacedOrder['referrals'],
  orderKey: string | undefined,
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

/** Returns `true` for a Medicare referral: its field `medicare`, or the older `bulkBilled`, is `true`. */
export function isMedicareReferral(referral: Referral): boolean {
  return (fieldOf(referral, 'medicare') ?? fieldOf(referral, 'bulkBilled')) === true
}

/** Returns the number of referrals that an order creates. */
export function expectedReferrals(order: Order): number {
  const medicare = (order.medicareTests?.length ?? 0) > 0
  const commercial = (order.tests?.length ?? 0) > 0 || order.bundleId !== undefined
  return medicare && commercial ? 2 : 1
}

/** Copies the order for the request: numbers without spaces, and the key in the metadata. */
export function orderToSend(order: Order, orderKey: string | undefined): Order {
  if (typeof order !== 'object' || order === null) return order
  const { medicareCardNumber: card, orderingPractitioner: practitioner, metadata } = order
  const copy: Order = { ...order }
  if (typeof card === 'string') copy.medicareCardNumber = normaliseMedicareCardNumber(card)
  if (typeof practitioner?.providerNumber === 'string') {
    const providerNumber = normaliseProviderNumber(practitioner.providerNumber)
    copy.orderingPractitioner = { ...practitioner, providerNumber }
  }
  if (orderKey !== undefined && isRecordOrMissing(metadata)) {
    copy.metadata = { ...metadata, [ORDER_KEY_FIELD]: orderKey }
  }
  return copy
}

function isRecordOrMissing(metadata: unknown): boolean {
  return (
    metadata === undefined || (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata))
  )
}

/** Metadata field that contains the order key. */
export const ORDER_KEY_FIELD = 'pathologySdkOrderKey'

/**
 * Maximum size of metadata as JSON, including the order key, in bytes. A lookup reads pages of 20 orders with
 * their metadata, so a larger order could make a page unreadable.
 */
const MAX_METADATA_BYTES = 256 * 1024

/**
 * Checks the size of an order's or an update's metadata.
 *
 * @throws {@link InvalidRequestError} when the metadata is too large.
 */
export function checkMetadata(operation: string, body: { readonly metadata?: unknown } | undefined): void {
  if (jsonBytes(body?.metadata) <= MAX_METADATA_BYTES) return
  const rule = `must be at most ${MAX_METADATA_BYTES} bytes long as JSON`
  throw new InvalidRequestError(operation, [fieldIssue(['metadata'], rule)])
}

/** Returns 0 for a value that is not JSON: the check of the body rejects it. */
function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '')
  } catch {
    return 0
  }
}

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
