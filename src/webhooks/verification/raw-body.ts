import { isArrayBuffer, isBytes } from '../../contract/realms.js'
import { firstText, type WebhookHeaders } from './headers.js'
import { WebhookVerificationError } from './verification-error.js'

/** The body of a delivery as received: bytes, or text that was decoded from UTF-8 without loss. */
export type RawBody = string | Uint8Array | ArrayBuffer | DataView

/**
 * Maximum size of a body in bytes, for the functions without a receiver, such as `verifyWebhook`. The limit protects
 * memory. The service sends up to about 250 KB.
 */
export const MAX_VERIFIED_BYTES = 10 * 1024 * 1024

/**
 * Checks that a body is raw, not empty and within the limit.
 *
 * @returns The text, or a view of the caller's bytes.
 */
export function checkedBody(body: RawBody, maxBytes = MAX_VERIFIED_BYTES): string | Uint8Array {
  const raw = textOrBytes(body)
  if (raw.length === 0) throw new WebhookVerificationError('body-empty')
  if (byteLength(raw, maxBytes) > maxBytes) throw tooLarge(maxBytes)
  return raw
}

/**
 * Returns the `content-length` of a request; `undefined` if absent. Throws if the length exceeds the limit, before any
 * of the body is read. The adapters also count the bytes while they read, because the header can state a smaller length
 * than the body has.
 */
export function declaredLength(headers: WebhookHeaders, maxBytes: number): number | undefined {
  const text = firstText(headers, 'content-length')
  if (text === undefined) return undefined
  if (Number(text) > maxBytes) throw tooLarge(maxBytes)
  return Number(text)
}

export function tooLarge(maxBytes: number): WebhookVerificationError {
  return new WebhookVerificationError('body-too-large', `The limit is ${maxBytes} bytes.`)
}

function textOrBytes(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || isBytes(body)) return body
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (isArrayBuffer(body)) return new Uint8Array(body)
  throw new WebhookVerificationError('body-not-raw')
}

/**
 * Returns the size in bytes. For a text, returns the length instead if the length alone shows whether the text exceeds
 * the limit: each UTF-16 unit takes one to three bytes in UTF-8. The text is then not encoded.
 */
function byteLength(raw: string | Uint8Array, maxBytes: number): number {
  if (typeof raw !== 'string' || raw.length * 3 <= maxBytes || raw.length > maxBytes) return raw.length
  return new TextEncoder().encode(raw).byteLength
}
