import { createGunzip } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { ignore } from '../../common/errors.js'
import { type ResponseHeaders, TransportFailure, type TransportRequest } from './transport.js'

/** Collector of a response body. The received bytes and the decoded bytes are each limited to `maxBytes`. */
export class BodyCollector {
  readonly #status: number
  readonly #form: 'plain' | 'gzip' | undefined
  readonly #maxBytes: number
  readonly #onFailure: (failure: TransportFailure) => void
  /** Bytes of a body without gzip. */
  readonly #bytes: ByteBuffer
  #gzip: GzipDecoder | undefined
  /** `true` when an error response cannot be decoded. Its further bytes are ignored. */
  #isUnreadable = false
  #size = 0
  #isEnded = false

  /** @param onFailure - Called for a failure before the end of the body. */
  constructor(
    status: number,
    headers: ResponseHeaders,
    { method, maxBytes }: Pick<TransportRequest, 'method' | 'maxBytes'>,
    onFailure: (failure: TransportFailure) => void,
  ) {
    // The headers of a response to HEAD describe a body that is not sent.
    const described: ResponseHeaders = method === 'HEAD' ? {} : headers
    this.#status = status
    this.#form = formOf(described['content-encoding'] ?? '')
    this.#maxBytes = maxBytes
    this.#onFailure = onFailure
    const declared = Number(described['content-length'] ?? 0)
    this.#bytes = new ByteBuffer(maxBytes, declared)
    if (declared > maxBytes) onFailure(this.#failure('too-large'))
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.byteLength
    if (this.#size > this.#maxBytes) this.#onFailure(this.#failure('too-large'))
    else if (this.#isUnreadable) return
    else if (this.#form === 'gzip') this.#decoder().add(chunk)
    else this.#bytes.add(chunk)
  }

  /** Returns the complete body as text. Decoding the body chunk by chunk takes twice as long and saves no memory. */
  text(): string | Promise<string> {
    this.#isEnded = true
    if (this.#form === undefined) return this.#withoutBody('encoding')
    if (this.#gzip !== undefined) return this.#decoded(this.#gzip)
    return textOf(this.#bytes.bytes)
  }

  /** Ends the decoder, because the body is not needed any more. */
  discard(): void {
    this.#isEnded = true
    this.#gzip?.discard()
  }

  #decoder(): GzipDecoder {
    if (this.#gzip !== undefined) return this.#gzip
    const decoder = new GzipDecoder(this.#maxBytes)
    this.#gzip = decoder
    decoder.problem
      .then((problem) => {
        if (problem === undefined || this.#isEnded) return
        this.#isUnreadable = this.#needsNoBody(problem)
        if (!this.#isUnreadable) this.#onFailure(this.#failure(problem))
      })
      .catch(ignore)
    return decoder
  }

  async #decoded(decoder: GzipDecoder): Promise<string> {
    const decoded = await decoder.end()
    return typeof decoded === 'string' ? this.#withoutBody(decoded) : textOf(decoded)
  }

  #withoutBody(problem: GzipProblem): string {
    if (this.#needsNoBody(problem)) return ''
    throw this.#failure(problem)
  }

  /** Returns `true` for an error response that cannot be decoded: its status is sufficient. */
  #needsNoBody(problem: GzipProblem): boolean {
    return this.#status >= 400 && problem !== 'too-large'
  }

  #failure(reason: TransportFailure['reason']): TransportFailure {
    return new TransportFailure({ sent: true, status: this.#status, reason })
  }
}

/**
 * Returns the form of a body by its `content-encoding`; `undefined` for an encoding that is not supported. The client
 * requests only gzip, and only for lists.
 */
export function formOf(encoding: ResponseHeaders[string]): 'plain' | 'gzip' | undefined {
  const name = String(encoding).trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  return name === '' || name === 'identity' ? 'plain' : undefined
}

function textOf(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

/** Reason why a gzip body is not usable. `encoding`: it is not exactly one gzip member. */
type GzipProblem = 'truncated' | 'too-large' | 'encoding'

const DECODING = {
  // Node's default of 16 KiB takes twice the time for a small page.
  chunkSize: 64 * 1024,
  // Set, so that Node does not read a signal from a polluted `Object.prototype`.
  signal: undefined,
}

/** Length of the size field at the end of a gzip member. */
const SIZE_FIELD_BYTES = 4

/**
 * Decoder of a gzip body that is still arriving. The compression ratio is not limited, because gzip reduces a page of
 * centres to a hundredth.
 */
class GzipDecoder {
  /**
   * Resolves with the problem of the body, or with `undefined` when the body is decoded. Can resolve before the body
   * ends. Never rejects.
   */
  readonly problem: Promise<GzipProblem | undefined>
  readonly #gunzip = createGunzip(DECODING)
  readonly #decoded: ByteBuffer
  #lastBytes = Buffer.alloc(0)

  constructor(maxBytes: number) {
    this.#decoded = new ByteBuffer(maxBytes)
    this.problem = new Promise((resolve) => {
      this.#gunzip
        .on('data', (chunk: Uint8Array) => {
          if (this.#decoded.add(chunk)) return
          resolve('too-large')
          this.discard()
        })
        .once('end', () => resolve(undefined))
        .once('error', ({ code }: NodeJS.ErrnoException) =>
          resolve(code === 'Z_BUF_ERROR' ? 'truncated' : 'encoding'),
        )
        .once('close', () => resolve('truncated'))
    })
  }

  add(chunk: Uint8Array): void {
    const last = Buffer.concat([this.#lastBytes, chunk.subarray(-SIZE_FIELD_BYTES)])
    this.#lastBytes = last.subarray(-SIZE_FIELD_BYTES)
    this.#gunzip.write(chunk)
  }

  /** Returns the decoded body, or the reason why it is not usable. */
  async end(): Promise<Uint8Array | GzipProblem> {
    this.#gunzip.end()
    const problem = await this.problem
    if (problem !== undefined) return problem
    const { bytes } = this.#decoded
    // The size is compared, because Node also decodes a body of several members, and a body with zeros at the end.
    return this.#lastBytes.readUInt32LE() === bytes.byteLength ? bytes : 'encoding'
  }

  discard(): void {
    this.#gunzip.destroy()
  }
}
