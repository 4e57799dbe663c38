/** Maximum buffer size for a declared length. The length can be false, so the buffer grows with the received bytes. */
const TRUSTED_LENGTH = 256 * 1024

const MIN_CAPACITY = 1024

const EMPTY = new Uint8Array(0)

/**
 * Collects the chunks of a body in one growing buffer. A list of chunks needs about 100 bytes per chunk, so a body of
 * one-byte chunks would need 100 times its size.
 */
export class ByteBuffer {
  readonly #limit: number
  readonly #expected: number
  /** The first chunk without a copy, until a second one arrives: most bodies have one chunk. */
  #bytes: Uint8Array = EMPTY
  #size = 0

  /**
   * @param limit - Maximum number of bytes.
   * @param declared - The length declared by the sender.
   */
  constructor(limit: number, declared?: number | undefined) {
    this.#limit = limit
    this.#expected = Math.min(declared || 0, TRUSTED_LENGTH)
  }

  /** Adds a chunk. Returns `false` and adds nothing if it would exceed the limit. */
  add(chunk: Uint8Array): boolean {
    const size = this.#size + chunk.byteLength
    if (size > this.#limit) return false
    if (this.#size === 0) this.#bytes = chunk
    else {
      if (size > this.#bytes.byteLength) this.#grow(size)
      this.#bytes.set(chunk, this.#size)
    }
    this.#size = size
    return true
  }

  /** A view of the bytes so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #grow(size: number): void {
    const capacity = Math.max(size, this.#size * 2, this.#expected, MIN_CAPACITY)
    const grown = new Uint8Array(Math.min(capacity, this.#limit))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
