import { gunzipSync } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { type FailureFacts, type ResponseHeaders, TransportFailure } from './transport.js'

/** Collects a response body up to a limit and decodes it once. */
export class BodyCollector {
  readonly #maxBytes: number
  readonly #encoding: string
  readonly #status: number
  readonly #buffer: ByteBuffer

  constructor(status: number, headers: ResponseHeaders, maxBytes: number) {
    this.#status = status
    this.#maxBytes = maxBytes
    this.#encoding = contentEncoding(headers)
    const declared = Number(headers['content-length'] ?? 0)
    if (declared > maxBytes) throw this.#failure('too-large')
    this.#buffer = new ByteBuffer(maxBytes, declared)
  }

  add(chunk: Uint8Array): void {
    if (!this.#buffer.add(chunk)) throw this.#failure('too-large')
  }

  /** Returns the complete body as text. */
  text(): string {
    if (this.#encoding === 'identity') return this.#bytes().toString('utf8')
    if (this.#encoding === 'gzip') return this.#gunzip().toString('utf8')
    throw this.#failure('encoding')
  }

  /** Copies the bytes once: decoding chunk by chunk takes twice as long and saves no memory. */
  #bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#buffer.bytes
    return Buffer.from(buffer, byteOffset, byteLength)
  }

  #gunzip(): Buffer {
    try {
      return gunzipSync(this.#bytes(), { maxOutputLength: this.#maxBytes })
    } catch (error) {
      const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      throw this.#failure(tooLarge ? 'too-large' : 'truncated')
    }
  }

  #failure(reason: FailureFacts['reason']): TransportFailure {
    return new TransportFailure({ sent: true, status: this.#status, reason })
  }
}

function contentEncoding(headers: ResponseHeaders): string {
  const value = headers['content-encoding']
  if (value === undefined) return 'identity'
  const encoding = (Array.isArray(value) ? value.join(',') : value).trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return 'identity'
  return encoding === 'x-gzip' ? 'gzip' : encoding
}
