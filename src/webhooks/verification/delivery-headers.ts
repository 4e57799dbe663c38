import { DELIVERY_TIME_HEADER, SIGNATURE_HEADER } from '../../contract/events.js'
import { allValues, firstText, type WebhookHeaders } from './headers.js'
import { WebhookVerificationError } from './verification-error.js'

const SIGNATURE_DIGITS = 64
const HEXADECIMAL = /^[0-9a-fA-F]+$/

/**
 * Returns the signature of a delivery.
 *
 * It must be exactly 64 hexadecimal digits. `Buffer.from(value, 'hex')` alone ignores everything after the last valid
 * digit, and would accept a signature with additional text.
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
  // `Headers` and Node join the values of a repeated header.
  const isJoined = typeof value === 'string' && value.includes(',')
  throw new WebhookVerificationError(isJoined ? 'signature-ambiguous' : 'signature-malformed')
}

function isSignature(value: unknown): value is string {
  return typeof value === 'string' && value.length === SIGNATURE_DIGITS && HEXADECIMAL.test(value)
}

const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/
const UNIX_TIME = /^\d{10}(\d{3})?$/

/**
 * Returns the time of a delivery from its `x-svc-delivery-time` header.
 *
 * The signature does not cover this header, so an attacker can repeat an old delivery with any time. Use the time to
 * measure delays. To detect repeated deliveries, de-duplicate by `eventUuid`.
 *
 * @param headers - The request's headers in any shape that {@link verifyWebhook} accepts.
 * @returns The time, parsed from ISO 8601 or from Unix seconds or milliseconds; `undefined` if absent or invalid.
 */
export function deliveryTime(headers: WebhookHeaders): Date | undefined {
  const text = firstText(headers, DELIVERY_TIME_HEADER)
  if (text === undefined) return undefined
  const date = readTime(text)
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}

function readTime(text: string): Date | undefined {
  if (ISO_8601.test(text)) return new Date(text)
  if (UNIX_TIME.test(text)) return new Date(Number(text) * (text.length === 10 ? 1000 : 1))
  return undefined
}
