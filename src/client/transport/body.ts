import { gunzipSync } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { type FailureFacts, type ResponseHeaders, TransportFailure } from './transport.js'

/** Collects a response body up to a limit and decodes it once. */
export class BodyCollector {
  readonly #status: number
  readonly #headers: ResponseHeaders
  readonly #maxBytes: number
  readonly #buffer: ByteBuffer

  constructor(status: number, headers: ResponseHeaders, maxBytes: number) {
    this.#status = status
    this.#headers = headers
    this.#maxBytes = maxBytes
    const declared = Number(headers['content-length'] ?? 0)
    if (declared > maxBytes) throw this.#failure('too-large')
    this.#buffer = new ByteBuffer(maxBytes, declared)
  }

  add(chunk: Uint8Array): void {
    if (!this.#buffer.add(chunk)) throw this.#failure('too-large')
  }

  /** Returns the complete body as text. Decoding it chunk by chunk takes twice as long and saves no memory. */
  text(): string {
    const { buffer, byteOffset, byteLength } = this.#buffer.bytes
    const bytes = Buffer.from(buffer, byteOffset, byteLength)
    const encoding = this.#headers['content-encoding'] ?? 'identity'
    switch (String(encoding).trim().toLowerCase()) {
      case '':
      case 'identity':
        return bytes.toString('utf8')
      case 'gzip':
      case 'x-gzip':
        return this.#gunzip(bytes).toString('utf8')
      default:
        throw this.#failure('encoding')
    }
  }

  #gunzip(bytes: Buffer): Buffer {
    try {
      return gunzipSync(bytes, { maxOutputLength: this.#maxBytes })
    } catch (error) {
      const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      throw this.#failure(tooLarge ? 'too-large' : 'truncated')
    }
  }

  #failure(reason: FailureFacts['reason']): TransportFailure {
    return new TransportFailure({ sent: true, status: this.#status, reason })
  }
}
