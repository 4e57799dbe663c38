import { ownFieldOf } from '../../contract/read.js'
import { isWellFormed } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'

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
