import { createGunzip } from 'node:zlib'
import { ByteBuffer } from '../../common/byte-buffer.js'

/** Reason why a gzip body is not usable. `encoding`: it is not exactly one gzip member. */
export type GzipProblem = 'truncated' | 'too-large' | 'encoding'

/** Options of the decoder. It sets `signal`, so that Node does not read one from a polluted `Object.prototype`. */
const DECODING = {
  // Node's default of 16 KiB takes twice the time for a small page.
  chunkSize: 64 * 1024,
  signal: undefined,
}

/** Length of the size field at the end of a gzip member. */
const SIZE_FIELD_BYTES = 4

/** Decodes a gzip body while it arrives. The ratio has no limit, because gzip reduces a page of centres to a hundredth. */
export class GzipDecoder {
  /** Resolves when the body is decoded or known not to be usable, which can be before its end. Never rejects. */
  readonly problem: Promise<GzipProblem | undefined>
  readonly #gunzip = createGunzip(DECODING)
  readonly #decoded: ByteBuffer
  #lastBytes = Buffer.alloc(0)

  /** @param maxBytes - Maximum size of the decoded body. */
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
        .once('error', (error) => resolve(isIncomplete(error) ? 'truncated' : 'encoding'))
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
    // The size is compared, because Node also decodes a body of several members, and one with zeros at the end.
    return this.#lastBytes.readUInt32LE() === bytes.byteLength ? bytes : 'encoding'
  }

  /** Ends the decoder, even before the end of the body. */
  discard(): void {
    this.#gunzip.destroy()
  }
}

function isIncomplete(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'Z_BUF_ERROR'
}
