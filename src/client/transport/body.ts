import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { isFields } from '../../contract/check.js'
import { type ResponseHeaders, TransportFailure, type TransportRequest, tooLarge } from './transport.js'

/**
 * Collector of a response body. The received bytes and the decoded bytes are each limited to `maxBytes`. The
 * compression ratio is not limited, because gzip reduces a page of centres to a hundredth.
 */
export class BodyCollector extends ByteBuffer {
  /** `true` for a body that is declared to be larger than the limit. */
  readonly isTooLarge: boolean
  readonly #status: number
  readonly #headers: ResponseHeaders
  readonly #maxBytes: number

  constructor(
    status: number,
    headers: ResponseHeaders,
    { method, maxBytes }: Pick<TransportRequest, 'method' | 'maxBytes'>,
  ) {
    // The headers of a response to HEAD describe a body that is not sent.
    const declared = method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0)
    super(maxBytes, declared)
    this.isTooLarge = declared > maxBytes
    this.#status = status
    this.#headers = headers
    this.#maxBytes = maxBytes
  }

  /** Returns the complete body as text. Returns a promise only for a large body in gzip. */
  text(): string | Promise<string> {
    const { bytes } = this
    const isPlain = this.#headers['content-encoding'] === undefined || bytes.byteLength === 0
    const encoding = isPlain ? '' : encodingOf(this.#headers)
    if (encoding === '') return textOf(bytes)
    if (encoding !== 'gzip' || !isGzip(bytes)) return this.#withoutBody('encoding')
    try {
      const decoded = gunzipped(bytes, this.#maxBytes)
      return 'then' in decoded ? decoded.then(textOf, (error) => this.#undecodable(error)) : textOf(decoded)
    } catch (error) {
      return this.#undecodable(error)
    }
  }

  #undecodable(error: unknown): string {
    if (isTooLarge(error)) throw tooLarge(this.#status)
    return this.#withoutBody('truncated')
  }

  /** Returns no body for an error response that cannot be decoded, because its status is sufficient. Else throws. */
  #withoutBody(reason: 'truncated' | 'encoding'): string {
    if (this.#status >= 400) return ''
    throw new TransportFailure({ sent: true, status: this.#status, reason })
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

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}
