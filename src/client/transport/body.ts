import { ByteBuffer } from '../../common/byte-buffer.js'
import { ignore } from '../../common/errors.js'
import { GzipDecoder } from './gzip.js'
import { type FailureFacts, type ResponseHeaders, TransportFailure } from './transport.js'

/** Form of a body by its content encoding. Encodings are never requested, except gzip for lists. */
const FORMS: ReadonlyMap<string, 'plain' | 'gzip'> = new Map([
  ['', 'plain'],
  ['identity', 'plain'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
])

/** Collects a response body up to a limit for its bytes as received and as decoded. */
export class BodyCollector {
  readonly #status: number
  readonly #form: 'plain' | 'gzip' | undefined
  readonly #maxBytes: number
  readonly #buffer: ByteBuffer
  readonly #onFailure: (failure: TransportFailure) => void
  #gzip: GzipDecoder | undefined
  #gzipBytes = 0
  #isEnded = false

  /** @param onFailure - Called when the body turns out not to be usable before its end. */
  constructor(
    status: number,
    headers: ResponseHeaders,
    maxBytes: number,
    onFailure: (failure: TransportFailure) => void,
  ) {
    this.#status = status
    this.#form = formOf(headers)
    this.#maxBytes = maxBytes
    this.#onFailure = onFailure
    const declared = Number(headers['content-length'] ?? 0)
    if (declared > maxBytes) throw this.#failure('too-large')
    this.#buffer = new ByteBuffer(maxBytes, declared)
  }

  add(chunk: Uint8Array): void {
    const isWithin = this.#form === 'gzip' ? this.#addToGzip(chunk) : this.#buffer.add(chunk)
    if (!isWithin) throw this.#failure('too-large')
  }

  /** Returns the complete body as text. Decoding it chunk by chunk takes twice as long and saves no memory. */
  text(): string | Promise<string> {
    this.#isEnded = true
    if (this.#form === undefined) throw this.#failure('encoding')
    return this.#gzip === undefined ? textOf(this.#buffer.bytes) : this.#decoded(this.#gzip)
  }

  /** Ends the decoder. */
  discard(): void {
    this.#isEnded = true
    this.#gzip?.discard()
  }

  #addToGzip(chunk: Uint8Array): boolean {
    this.#gzipBytes += chunk.byteLength
    if (this.#gzipBytes > this.#maxBytes) return false
    this.#gzip ??= this.#newDecoder()
    this.#gzip.add(chunk)
    return true
  }

  #newDecoder(): GzipDecoder {
    const decoder = new GzipDecoder(this.#maxBytes)
    decoder.problem
      .then((problem) => {
        if (problem !== undefined && !this.#isEnded) this.#onFailure(this.#failure(problem))
      })
      .catch(ignore)
    return decoder
  }

  async #decoded(decoder: GzipDecoder): Promise<string> {
    const decoded = await decoder.end()
    if (typeof decoded === 'string') throw this.#failure(decoded)
    return textOf(decoded)
  }

  #failure(reason: FailureFacts['reason']): TransportFailure {
    return new TransportFailure({ sent: true, status: this.#status, reason })
  }
}

/** Returns `true` for a body that is, or was, compressed with gzip. */
export function isGzip(headers: ResponseHeaders): boolean {
  return formOf(headers) === 'gzip'
}

function formOf(headers: ResponseHeaders): 'plain' | 'gzip' | undefined {
  const encoding = headers['content-encoding'] ?? ''
  return FORMS.get(String(encoding).trim().toLowerCase())
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}
