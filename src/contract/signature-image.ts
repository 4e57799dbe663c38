import { isArrayBuffer } from './realms.js'

/** A doctor's signature: PNG bytes, their base64 text, or a data URI. */
export type SignatureInput = Uint8Array | ArrayBuffer | string

/** Reason why a signature image cannot be sent. */
export type SignatureReason =
  | 'unsupported-input'
  | 'empty'
  | 'invalid-data-uri'
  | 'invalid-base64'
  | 'not-png'
  | 'too-large'

/** A signature image ready to send. */
export interface ValidSignature {
  readonly valid: true
  /** Value to send as `encodedSignature`, in the requested form. */
  readonly encodedSignature: string
  /** Size of the decoded PNG, in bytes. */
  readonly byteLength: number
}

// §4.4, §7
/** An input that is not a PNG image in an accepted form, or an image that is larger than `maxBytes`. */
export interface InvalidSignature {
  readonly valid: false
  readonly reason: SignatureReason
  /** Description of the broken rule. It contains no data of the image. */
  readonly message: string
}

/** Result of {@link encodeSignature}. */
export type SignatureEncoding = ValidSignature | InvalidSignature

/** Options of {@link encodeSignature}. */
export interface SignatureOptions {
  /**
   * Maximum size of the decoded image, in bytes. The service has a maximum and does not publish it.
   * @defaultValue no limit
   */
  readonly maxBytes?: number | undefined
  /**
   * `data-uri` is the form of the signature in provider records; `base64` omits the `data:image/png;base64,`
   * prefix.
   * @defaultValue `'data-uri'`
   */
  readonly form?: 'data-uri' | 'base64' | undefined
}

const DATA_URI_PREFIX = 'data:image/png;base64,'
const PNG_MAGIC = '\x89PNG\r\n\x1a\n'
const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/
/** The first 12 characters of base64 contain all 8 magic bytes. */
const MAGIC_BASE64_LENGTH = 12
/**
 * Number of bytes in a chunk that is encoded at once, because engines limit the number of a function's arguments. The
 * number is a multiple of 3, so that only the last chunk has padding.
 */
const CHUNK_BYTES = 3 * 4096

const MESSAGES: { readonly [Reason in SignatureReason]: string } = {
  'unsupported-input':
    'Signature must be PNG bytes (Uint8Array or ArrayBuffer), a base64 string or a data URI',
  empty: 'Signature must not be empty',
  'invalid-data-uri': 'Signature data URI must begin with data:image/png;base64,',
  'invalid-base64':
    'Signature must be plain base64: standard alphabet, padded, without spaces or line breaks (a file name is not an image)',
  'not-png': 'Signature must be a PNG image: its bytes do not begin with the PNG signature',
  'too-large': 'Signature image is larger than the maximum',
}

function invalid(reason: SignatureReason): InvalidSignature {
  return { valid: false, reason, message: MESSAGES[reason] }
}

/**
 * Prepares a doctor's signature for a provider record. Accepts PNG bytes, base64 or a data URI. Checks that base64 has
 * padding and no white space, and that the image begins with the same 8 bytes as every PNG.
 *
 * @param input - The image. Bytes are read immediately and never changed.
 * @returns The text to send and the size of the image, or the broken rule. Never throws.
 * @example
 * ```ts
 * const signature = encodeSignature(await readFile('signature.png'))
 * if (!signature.valid) throw new Error(signature.message)
 * ```
 */
export function encodeSignature(input: SignatureInput, options?: SignatureOptions): SignatureEncoding {
  const base64 = toBase64(input)
  if (typeof base64 !== 'string') return base64
  if (base64 === '') return invalid('empty')
  if (!isStrictBase64(base64)) return invalid('invalid-base64')
  if (!atob(base64.slice(0, MAGIC_BASE64_LENGTH)).startsWith(PNG_MAGIC)) return invalid('not-png')
  const byteLength = decodedLength(base64)
  if (!isWithin(byteLength, options?.maxBytes)) return invalid('too-large')
  const encodedSignature = options?.form === 'base64' ? base64 : `${DATA_URI_PREFIX}${base64}`
  return { valid: true, encodedSignature, byteLength }
}

function toBase64(input: unknown): string | InvalidSignature {
  if (typeof input === 'string') return withoutPrefix(input)
  if (ArrayBuffer.isView(input)) return encodeBytes(input.buffer, input.byteOffset, input.byteLength)
  if (isArrayBuffer(input)) return encodeBytes(input, 0, input.byteLength)
  return invalid('unsupported-input')
}

function withoutPrefix(text: string): string | InvalidSignature {
  if (!/^data:/i.test(text)) return text
  const prefix = text.slice(0, DATA_URI_PREFIX.length)
  if (prefix.toLowerCase() !== DATA_URI_PREFIX) return invalid('invalid-data-uri')
  return text.slice(DATA_URI_PREFIX.length)
}

function encodeBytes(buffer: ArrayBufferLike, offset: number, length: number): string {
  // A detached buffer also has length 0, and creating a view of it would throw.
  if (length === 0) return ''
  const bytes = new Uint8Array(buffer, offset, length)
  let base64 = ''
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES)))
  }
  return base64
}

/**
 * Returns `true` when a text is base64 as encoders write it: groups of four characters, correct padding, and unused
 * bits that are zero.
 */
function isStrictBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const tail = text.slice(-4)
  if (OUTSIDE_ALPHABET.test(text.slice(0, -4))) return false
  return /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/.test(tail) && btoa(atob(tail)) === tail
}

function decodedLength(base64: string): number {
  const padding = base64.length - base64.replace(/=+$/, '').length
  return (base64.length / 4) * 3 - padding
}

/** Returns `true` when a size is within the maximum, and `false` for a maximum of `NaN`. */
function isWithin(byteLength: number, maxBytes: number | undefined): boolean {
  return maxBytes === undefined || byteLength <= maxBytes
}
