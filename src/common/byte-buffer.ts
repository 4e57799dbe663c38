/** A declared length counts up to here: it may be untrue, and memory is taken only for what has arrived. */
const TRUSTED_LENGTH = 256 * 1024

const LEAST_ROOM = 1024

const EMPTY = new Uint8Array(0)

/**
 * Collects the chunks of a body in one growing buffer. A list of chunks takes about a hundred bytes for each chunk, so a
 * body of one-byte chunks would take a hundred times its size.
 */
export class ByteBuffer {
  readonly #limit: number
  readonly #expected: number
  /** The first chunk itself, until a second one arrives: most bodies come in one piece. */
  #bytes: Uint8Array = EMPTY
  #size = 0

  /**
   * @param limit - The most bytes to accept.
   * @param declared - The length that the sender declares, if it declares one.
   */
  constructor(limit: number, declared?: number | undefined) {
    this.#limit = limit
    this.#expected = Math.min(declared || 0, TRUSTED_LENGTH)
  }

  /** Adds a chunk. Returns `false`, and adds nothing, when the limit would be exceeded. */
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

  /** The bytes so far: a view, not a copy. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #grow(size: number): void {
    const room = Math.max(size, this.#size * 2, this.#expected, LEAST_ROOM)
    const grown = new Uint8Array(Math.min(room, this.#limit))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
