import { isArrayBuffer } from './realms.js'

// §4.4
/** A doctor's signature: PNG bytes, their base64 text, or a data URI. */
export type SignatureInput = Uint8Array | ArrayBuffer | string

/** Start of the form in which the service stores and returns a signature. */
export const DATA_URI_PREFIX = 'data:image/png;base64,'
export const DATA_URI_START = /^data:image\/png;base64,/i

/** Size of the parts that are encoded one by one: a function has a limited number of arguments. A multiple of 3. */
const PART_BYTES = 3 * 4096

// §2.10
/** Returns a signature as the data URI to send. The check of the request finds text that is not base64. */
export function signatureText(input: SignatureInput): string {
  if (typeof input === 'string')
    return /^data:/i.test(input) ? input.replace(DATA_URI_START, DATA_URI_PREFIX) : DATA_URI_PREFIX + input
  // A view of a detached buffer, whose length is 0, would throw.
  const bytes = isArrayBuffer(input) ? new Uint8Array(input.byteLength === 0 ? [] : input) : input
  let text = DATA_URI_PREFIX
  for (let start = 0; start < bytes.length; start += PART_BYTES)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PART_BYTES)))
  return text
}
