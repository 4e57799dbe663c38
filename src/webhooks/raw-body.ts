import { WebhookVerificationError } from './verification-error.js'

/** A delivery's body as it was received: bytes, or text decoded from UTF-8 without loss. */
export type RawBody = string | Uint8Array | ArrayBuffer | DataView

/** More than any caller should hold in memory for one delivery, in bytes; the service sends up to 250 KB (§8). */
export const MAX_VERIFIED_BYTES = 10 * 1024 * 1024

/**
 * Checks that a body is raw, not empty and not too large.
 *
 * @returns Text or bytes over the caller's memory, not a copy.
 */
export function checkedBody(body: RawBody, maxBytes = MAX_VERIFIED_BYTES): string | Uint8Array {
  const raw = textOrBytes(body)
  if (raw.length === 0) throw new WebhookVerificationError('body-empty')
  if (byteLength(raw, maxBytes) > maxBytes) throw tooLarge(maxBytes)
  return raw
}

/** @param maxBytes - The limit that was exceeded. */
export function tooLarge(maxBytes: number): WebhookVerificationError {
  return new WebhookVerificationError('body-too-large', `The limit is ${maxBytes} bytes.`)
}

function textOrBytes(body: unknown): string | Uint8Array {
  try {
    if (typeof body === 'string' || body instanceof Uint8Array) return body
    if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    if (isArrayBuffer(body)) return new Uint8Array(body)
  } catch {
    // Bytes that were transferred elsewhere, or an object that only says that it is a buffer.
  }
  throw new WebhookVerificationError('body-not-raw')
}

/** Also true of another realm's buffers, which `instanceof` does not know. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** Counts bytes only where it can matter: a UTF-16 unit takes one to three. */
function byteLength(raw: string | Uint8Array, maxBytes: number): number {
  if (typeof raw !== 'string' || raw.length * 3 <= maxBytes || raw.length > maxBytes) return raw.length
  return new TextEncoder().encode(raw).byteLength
}
