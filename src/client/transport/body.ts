import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { isFields } from '../../contract/check.js'
import { type ResponseHeaders, TransportFailure, type TransportRequest } from './transport.js'

/**
 * Collector of a response body. The received bytes and the decoded bytes are each limited to `maxBytes`. The
 * compression ratio is not limited, because gzip reduces a page of centres to a hundredth.
 */
export class BodyCollector {
  readonly #status: number
  readonly #encoding: string
  readonly #maxBytes: number
  readonly #bytes: ByteBuffer

  /** Throws a {@link TransportFailure} for a body that is declared to be too large, as `add` does for a received one. */
  constructor(
    status: number,
    headers: ResponseHeaders,
    { method, maxBytes }: Pick<TransportRequest, 'method' | 'maxBytes'>,
  ) {
    // The headers of a response to HEAD describe a body that is not sent.
    const described: ResponseHeaders = method === 'HEAD' ? {} : headers
    const declared = Number(described['content-length'] ?? 0)
    this.#status = status
    this.#encoding = encodingOf(described)
    this.#maxBytes = maxBytes
    this.#bytes = new ByteBuffer(maxBytes, declared)
    if (declared > maxBytes) throw this.#failure('too-large')
  }

  add(chunk: Uint8Array): void {
    if (!this.#bytes.add(chunk)) throw this.#failure('too-large')
  }

  /** Returns the complete body as text. Returns a promise only for a large body in gzip. */
  text(): string | Promise<string> {
    const { bytes } = this.#bytes
    if (this.#encoding === '' || bytes.byteLength === 0) return textOf(bytes)
    if (this.#encoding !== 'gzip' || !isGzip(bytes)) return this.#withoutBody('encoding')
    try {
      const decoded = gunzipped(bytes, this.#maxBytes)
      return 'then' in decoded ? decoded.then(textOf, this.#undecodable) : textOf(decoded)
    } catch (error) {
      return this.#undecodable(error)
    }
  }

  readonly #undecodable = (error: unknown): string =>
    this.#withoutBody(isTooLarge(error) ? 'too-large' : 'truncated')

  /** Returns no body for an error response that cannot be decoded, because its status is sufficient. Else throws. */
  #withoutBody(reason: 'too-large' | 'truncated' | 'encoding'): string {
    if (this.#status >= 400 && reason !== 'too-large') return ''
    throw this.#failure(reason)
  }

  #failure(reason: TransportFailure['reason']): TransportFailure {
    return new TransportFailure({ sent: true, status: this.#status, reason })
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
