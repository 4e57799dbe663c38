import type { ReferralEventData } from '../../contract/events.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Referral } from '../../contract/types.js'
import { isWellFormed } from '../core/caller-input.js'
import { ConfigurationError, InvalidRequestError } from '../errors/errors.js'
import type { LedgerSession } from '../ledger/ledger-session.js'

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

/** Returns the key of a new order: the caller's, or a random one. Returns `undefined` for `false`. */
export function checkedOrderKey(given: string | false | undefined): string | undefined {
  if (given === undefined) return globalThis.crypto.randomUUID()
  if (given === false) return undefined
  const problem = orderKeyProblem(given)
  if (problem === undefined) return given
  throw new ConfigurationError(`${problem}, or false; nothing was sent`)
}

/** Creates the error of a key that belongs to another order. The error repeats no value of the orders. */
export function keyInUse(difference: string): InvalidRequestError {
  const message = `orderKey belongs to an order with ${difference}; use a new key for a new order`
  return new InvalidRequestError('referrals.create', [{ message, field: 'orderKey' }], 'ORDER_KEY_IN_USE')
}

/** Webhook event about a referral. */
export interface ReferralEvent {
  /** Name of the event, such as `referral.created`. */
  readonly eventName: string
  /** Data of the event. */
  readonly data: ReferralEventData
}

/** Records in the ledger that the order of a referral was placed. Returns `false` when the ledger has no entry. */
export async function recordOrder(
  session: LedgerSession,
  source: Referral | ReferralEvent,
): Promise<boolean> {
  const uuid = referralUuidOf(source)
  const key = orderKeyOf(source)
  if (key === undefined || uuid === undefined) return false
  return session.run('resolve', session.nameOf(key), { placed: [uuid] })
}

/** Returns `undefined` for an event without the UUID of a referral. Throws for data of another kind. */
function referralUuidOf(source: unknown): string | undefined {
  const eventName = ownFieldOf(source, 'eventName')
  const isEvent = typeof eventName === 'string'
  if (isEvent && !eventName.startsWith('referral.')) return undefined
  const uuid = ownFieldOf(isEvent ? ownFieldOf(source, 'data') : source, 'uuid')
  // A result has a UUID and the order key too, but the UUID of a result is not the UUID of a referral.
  const isResult = !isEvent && fieldOf(source, 'provenance') !== undefined
  if (typeof uuid === 'string' && UUID_PATTERN.test(uuid) && !isResult) return uuid
  // The service documents the data of only some events, so an event may have no UUID.
  if (isEvent) return undefined
  const message = 'referralOrEvent must be a referral or a webhook event about a referral'
  throw new InvalidRequestError('referrals.recordOrder', [{ message, field: 'referralOrEvent' }])
}
