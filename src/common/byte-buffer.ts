/** Smallest chunk that is kept as it is. Smaller ones are copied together: each kept chunk needs about 100 bytes. */
const OWN_CHUNK_BYTES = 4 * 1024

/** Capacities of the buffers for small chunks. The largest also bounds what a false length can reserve. */
const MIN_CAPACITY = 1024
const MAX_CAPACITY = 64 * 1024

const EMPTY = new Uint8Array(0)

/** Collects the chunks of a body. Also a body of one-byte chunks needs little more memory than its size. */
export class ByteBuffer {
  readonly #limit: number
  readonly #expected: number
  #parts: Uint8Array[] = []
  /** Space for small chunks. Its first bytes are those after the parts. */
  #tail: Uint8Array = EMPTY
  #tailSize = 0
  #size = 0

  /**
   * @param limit - Maximum number of bytes.
   * @param declared - The length declared by the sender.
   */
  constructor(limit: number, declared?: number | undefined) {
    this.#limit = limit
    this.#expected = declared || 0
  }

  /** Adds a chunk, which must not change later. Returns `false` and adds nothing if it would exceed the limit. */
  add(chunk: Uint8Array): boolean {
    const { byteLength } = chunk
    if (this.#size + byteLength > this.#limit) return false
    if (byteLength === 0) return true
    // Most bodies have one chunk.
    if (this.#size === 0 || byteLength >= OWN_CHUNK_BYTES) {
      this.#endTail()
      this.#parts.push(chunk)
    } else {
      if (this.#tailSize + byteLength > this.#tail.byteLength) this.#newTail(byteLength)
      this.#tail.set(chunk, this.#tailSize)
      this.#tailSize += byteLength
    }
    this.#size += byteLength
    return true
  }

  /** The bytes so far. */
  get bytes(): Uint8Array {
    this.#endTail()
    const [first = EMPTY] = this.#parts
    if (this.#parts.length <= 1) return first
    const bytes = new Uint8Array(this.#size)
    let offset = 0
    for (const part of this.#parts) {
      bytes.set(part, offset)
      offset += part.byteLength
    }
    this.#parts = [bytes]
    return bytes
  }

  #newTail(needed: number): void {
    this.#endTail()
    const wanted = Math.max(this.#size, this.#expected - this.#size, MIN_CAPACITY)
    this.#tail = new Uint8Array(Math.max(needed, Math.min(wanted, MAX_CAPACITY)))
  }

  #endTail(): void {
    if (this.#tailSize === 0) return
    this.#parts.push(this.#tail.subarray(0, this.#tailSize))
    this.#tail = this.#tail.subarray(this.#tailSize)
    this.#tailSize = 0
  }
}
