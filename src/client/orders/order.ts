import { normaliseMedicareCardNumber, normaliseProviderNumber } from '../../contract/identifiers.js'
import { fieldIssue } from '../../contract/issues.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import { InvalidRequestError } from '../errors/errors.js'

/** The metadata field that holds an order's key. */
export const ORDER_KEY_FIELD = 'pathologySdkOrderKey'

/** What an order brought, in one shape for both API versions and both shapes of the answer (§4.1, §9). */
export interface PlacedOrder {
  /** One referral, or two when the order held both commercial and Medicare tests; never none. */
  readonly referrals: readonly [Referral, ...Referral[]]
  /** The referral for `tests` and `bundleId`. */
  readonly commercial: Referral | undefined
  /** The referral for `medicareTests`. */
  readonly medicare: Referral | undefined
  /** The order was found after its answer had been lost, or had been placed before under the same key. */
  readonly recovered: boolean
  /** The key in the referrals' metadata; `undefined` when ordered with `orderKey: false`. */
  readonly orderKey: string | undefined
}

/** The order from an answer's referrals. */
export function placedOrder(
  answer: Referral | PlacedOrder['referrals'],
  orderKey: string | undefined,
  recovered: boolean,
): PlacedOrder {
  const referrals = isList(answer) ? distinct(answer) : ([answer] as const)
  return {
    referrals,
    commercial: referrals.find((referral) => !isMedicareReferral(referral)),
    medicare: referrals.find(isMedicareReferral),
    recovered,
    orderKey,
  }
}

/**
 * How the response to an order contradicts the order that was sent: another order's key, or fewer referrals than the
 * order makes. A service that leaves the key out, or makes more referrals, does not contradict it.
 */
export function contradictionOf(
  order: Order,
  response: Referral | PlacedOrder['referrals'],
): string | undefined {
  const referrals = isList(response) ? distinct(response) : [response]
  const keys = referrals.map(orderKeyOf).filter((key) => key !== undefined)
  if (keys.some((key) => key !== orderKeyOf(order)))
    return 'it holds a referral with the order key of another order'
  const expected = expectedReferrals(order)
  return referrals.length < expected ? `it holds ${referrals.length} of ${expected} referrals` : undefined
}

/** Each referral once, in the order given. */
function distinct([first, ...others]: PlacedOrder['referrals']): PlacedOrder['referrals'] {
  const uuids = new Set([first.uuid])
  return [first, ...others.filter(({ uuid }) => !uuids.has(uuid) && uuids.add(uuid))]
}

function isList(answer: Referral | PlacedOrder['referrals']): answer is PlacedOrder['referrals'] {
  return Array.isArray(answer)
}

/** Tells whether a referral was ordered under Medicare, under either name the service has for it (§2.4). */
export function isMedicareReferral(referral: Referral): boolean {
  return (fieldOf(referral, 'medicare') ?? fieldOf(referral, 'bulkBilled')) === true
}

/** How many referrals an order makes (§4.1 rule 4). */
export function expectedReferrals(order: Order): number {
  const medicare = (order.medicareTests?.length ?? 0) > 0
  const commercial = (order.tests?.length ?? 0) > 0 || order.bundleId !== undefined
  return medicare && commercial ? 2 : 1
}

/** A copy of the order as it is sent: numbers without the spaces people write, and its key in the metadata. */
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

/**
 * Most bytes of metadata as JSON, an order's key included. A lookup reads pages of 20 orders, each with its metadata: one
 * order must not make a page unreadable.
 */
const MAX_METADATA_BYTES = 256 * 1024

/** @throws {@link InvalidRequestError} when the metadata of an order or an update is too large. */
export function checkMetadata(operation: string, body: { readonly metadata?: unknown } | undefined): void {
  if (jsonBytes(body?.metadata) <= MAX_METADATA_BYTES) return
  const rule = `must take at most ${MAX_METADATA_BYTES} bytes as JSON`
  throw new InvalidRequestError(operation, [fieldIssue(['metadata'], rule)])
}

/** What cannot be written as JSON is refused with the body. */
function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '')
  } catch {
    return 0
  }
}

function isRecordOrMissing(metadata: unknown): boolean {
  return (
    metadata === undefined || (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata))
  )
}

/**
 * The order key that a referral, a result or a webhook event carries; `undefined` when it has none.
 *
 * @param source - A referral, a result, or an event whose data holds metadata.
 */
export function orderKeyOf(source: unknown): string | undefined {
  const metadata = ownFieldOf(source, 'metadata') ?? ownFieldOf(ownFieldOf(source, 'data'), 'metadata')
  const key = ownFieldOf(metadata, ORDER_KEY_FIELD)
  return typeof key === 'string' ? key : undefined
}
