import { isRecord } from '../../common/known-options.js'
import type { ReferralEventData } from '../../contract/events.js'
import { isUuid } from '../../contract/identifiers.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Order, Referral } from '../../contract/types.js'
import { metadataIssue, normaliseOrder } from '../../forms/order-input.js'
import type { RequestOptions } from '../call/request-options.js'
import { isWellFormed, type JsonBody } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'

/** Options of an order. */
export interface OrderOptions extends RequestOptions {
  /**
   * Your own key for this order: well-formed text, not only white space. Pass the same key for each repetition, after a
   * crash or by a job queue. All calls with the key and the same `orderLedger` place one order. With the client option
   * `resendAfter`, a second order is possible. Do not pass the random key of an earlier call: a ledger does not have an
   * entry for this key. Use `findByOrderKey` instead.
   * @defaultValue a random UUID for each call
   */
  readonly orderKey?: string | undefined
  /**
   * With your own key: the earliest time at which the order may have been placed, such as the creation of the job. The
   * time is by your clock, as a `Date` or ISO 8601. A time without an offset is in UTC. The lookup goes back 15 minutes
   * further, and also by the difference between your clock and the service's. If in doubt, choose an earlier time. A
   * longer window only takes more pages. A window that is too short can lead to a second order. A time more than 15
   * minutes in the future is replaced by the default.
   * @defaultValue 24 hours before the call
   */
  readonly since?: Date | string | undefined
  /**
   * With your own key: time for which the lookup is repeated before the order is sent, in milliseconds. Use this option
   * after a crash: the order of the crashed run may appear only after more than ten seconds. The time is added to
   * `timeout`. A wait for another call with the key uses this time first. A new key needs no lookup if a
   * `postgresOrderLedger` has every order from 15 minutes before `since` onwards.
   * @defaultValue 0, which is one lookup. After an earlier request with an unknown outcome, the lookup is always
   * repeated at least for the rest of `orderRecoveryTimeout`.
   */
  readonly lookupTimeout?: number | undefined
}

/** Input of an order, copied at the call, because the caller may change its objects later. */
export interface GivenOrder extends Pick<OrderOptions, 'since' | 'lookupTimeout'> {
  readonly body: JsonBody
  readonly orderKey: string
  /** `false` for a generated key. Nothing else can have used it, so the ledger is not asked. */
  readonly hasOwnKey: boolean
  readonly options: RequestOptions
}

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

/**
 * Returns `true` for a Medicare referral: its field `medicare` is `true`. If `medicare` is missing, the older field
 * `bulkBilled` is read.
 */
export function isMedicareReferral(referral: Referral): boolean {
  return (fieldOf(referral, 'medicare') ?? fieldOf(referral, 'bulkBilled')) === true
}

/** Compares a reference number with the service's value, which may be a number or lack surrounding white space. */
export function isSameReference(shown: unknown, own: string): boolean {
  return (typeof shown === 'string' || typeof shown === 'number') && String(shown).trim() === own.trim()
}

/** Copies the order for the request: normalises the card and provider numbers, and adds the key to the metadata. */
export function orderToSend(order: Order, orderKey: string): Order {
  if (typeof order !== 'object' || order === null) return order
  const copy = normaliseOrder(order)
  const { metadata } = order
  if (metadata === undefined || isRecord(metadata))
    copy.metadata = { ...metadata, [ORDER_KEY_FIELD]: orderKey }
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

/** Webhook event about a referral. */
export interface ReferralEvent {
  /** Name of the event, such as `referral.created`. */
  readonly eventName: string
  /** Data of the event. */
  readonly data: ReferralEventData
}

/** Returns `undefined` for an event without the UUID of a referral. Throws for data of another kind. */
export function referralUuidOf(source: unknown): string | undefined {
  const eventName = ownFieldOf(source, 'eventName')
  const isEvent = typeof eventName === 'string'
  if (isEvent && !eventName.startsWith('referral.')) return undefined
  const uuid = ownFieldOf(isEvent ? ownFieldOf(source, 'data') : source, 'uuid')
  // A result has a UUID and the order key too, but the UUID of a result is not the UUID of a referral.
  const isResult = !isEvent && fieldOf(source, 'provenance') !== undefined
  if (isUuid(uuid) && !isResult) return uuid
  // The service documents the data of only some events, so an event may have no UUID.
  if (isEvent) return undefined
  const message = 'referralOrEvent must be a referral or a webhook event about a referral'
  throw new InvalidRequestError('referrals.recordOrder', [{ message, field: 'referralOrEvent' }])
}
