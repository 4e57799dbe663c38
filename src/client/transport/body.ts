import { promisify, TextDecoder } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { isFields } from '../../contract/check.js'
import { type ResponseHeaders, TransportFailure, type TransportResponse, tooLarge } from './transport.js'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Returns the complete body of a response as text. Returns a promise only for a large body in gzip. The decoded bytes are
 * limited to `maxBytes`. The compression ratio is not limited, because gzip reduces a page of centres to a hundredth.
 */
export function textOf(
  bytes: Uint8Array,
  { status, headers }: Omit<TransportResponse, 'body'>,
  maxBytes: number,
): string | Promise<string> {
  if (headers['content-encoding'] === undefined || bytes.byteLength === 0) return utf8.decode(bytes)
  const encoding = encodingOf(headers)
  if (encoding === '') return utf8.decode(bytes)
  const undecodable = (reason: 'truncated' | 'encoding'): string => {
    // The status of an error response is sufficient.
    if (status >= 400) return ''
    throw new TransportFailure({ sent: true, status, reason })
  }
  const failed = (error: unknown): string => {
    if (isTooLarge(error)) throw tooLarge(status)
    return undecodable('truncated')
  }
  if (encoding !== 'gzip' || !isGzip(bytes)) return undecodable('encoding')
  try {
    const decoded = gunzipped(bytes, maxBytes)
    return 'then' in decoded ? decoded.then((all) => utf8.decode(all), failed) : utf8.decode(decoded)
  } catch (error) {
    return failed(error)
  }
}

/** Returns the content encoding in lower case; an empty text for a body that is not encoded. */
export function encodingOf(headers: ResponseHeaders): string {
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase()
  if (encoding === 'identity') return ''
  return encoding === 'x-gzip' ? 'gzip' : encoding
}

/** Returns `true` for bytes that begin as gzip does. A single byte may be the beginning of gzip. */
function isGzip([first, second = 0x8b]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b
}

/** Maximum sizes of a body that is decoded at once: in another thread, it would take longer and need real time. */
const AT_ONCE = { encoded: 64 * 1024, decoded: 1024 * 1024 }

/** Size of the parts in which a body is decoded. Node's default of 16 KiB takes twice the time for a small page. */
const PART = { small: 64 * 1024, large: 256 * 1024 }

const gunzipInThread = promisify(gunzip)

function gunzipped(bytes: Uint8Array, maxBytes: number): Uint8Array | Promise<Uint8Array> {
  if (bytes.byteLength <= AT_ONCE.encoded) {
    const maxOutputLength = Math.min(AT_ONCE.decoded, maxBytes)
    try {
      return gunzipSync(bytes, { chunkSize: PART.small, maxOutputLength })
    } catch (error) {
      if (!isTooLarge(error) || maxOutputLength === maxBytes) throw error
    }
  }
  return gunzipInThread(bytes, { chunkSize: PART.large, maxOutputLength: maxBytes })
}

function isTooLarge(error: unknown): boolean {
  return isFields(error) && error['code'] === 'ERR_BUFFER_TOO_LARGE'
}
