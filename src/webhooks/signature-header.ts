import { SIGNATURE_HEADER } from '../contract/events.js'
import { allValues, type WebhookHeaders } from './headers.js'
import { WebhookVerificationError } from './verification-error.js'

const SIGNATURE_DIGITS = 64
const HEXADECIMAL = /^[0-9a-fA-F]+$/

/**
 * Finds the one signature of a delivery.
 *
 * It must be exactly 64 hexadecimal digits: decoding by `Buffer.from(value, 'hex')` alone would pass over
 * whatever follows the last good digit, and so accept a signature with anything after it.
 *
 * @param source - The request's headers, or the header's value.
 */
export function findSignature(source: WebhookHeaders | string): string {
  const values = typeof source === 'string' ? [source] : allValues(source, SIGNATURE_HEADER)
  if (values === undefined) throw new WebhookVerificationError('headers-unreadable')
  const [value] = values
  if (value === undefined || value === '') throw new WebhookVerificationError('signature-missing')
  if (values.length > 1) throw new WebhookVerificationError('signature-ambiguous')
  if (isSignature(value)) return value
  // `Headers` and Node join the values of a header that was sent twice.
  const joined = typeof value === 'string' && value.includes(',')
  throw new WebhookVerificationError(joined ? 'signature-ambiguous' : 'signature-malformed')
}

function isSignature(value: unknown): value is string {
  return typeof value === 'string' && value.length === SIGNATURE_DIGITS && HEXADECIMAL.test(value)
}
