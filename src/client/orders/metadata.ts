import { fieldIssue } from '../../contract/issues.js'
import { ownFieldOf } from '../../contract/read.js'
import { InvalidRequestError } from '../errors/errors.js'

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
 * @throws {@link InvalidRequestError} when it is too large.
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
 * Returns the order key in a referral, a result or a webhook event; `undefined` when it has none.
 *
 * @param source - A referral, a result, or an event whose data has metadata.
 */
export function orderKeyOf(source: unknown): string | undefined {
  const metadata = ownFieldOf(source, 'metadata') ?? ownFieldOf(ownFieldOf(source, 'data'), 'metadata')
  const key = ownFieldOf(metadata, ORDER_KEY_FIELD)
  return typeof key === 'string' ? key : undefined
}
