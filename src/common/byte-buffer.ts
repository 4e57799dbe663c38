/**
 * Minimum size of a chunk that is stored without a copy. Each stored chunk takes about 100 bytes of additional memory,
 * so smaller chunks are copied into a shared buffer.
 */
const MIN_STORED_CHUNK_BYTES = 4 * 1024

/**
 * Minimum and maximum size of the shared buffer for smaller chunks. The maximum limits the memory that an incorrect
 * declared length can reserve.
 */
const MIN_TAIL_BYTES = 1024
const MAX_TAIL_BYTES = 64 * 1024

const EMPTY = new Uint8Array(0)

/** Buffer for the chunks of a body. Even a body of one-byte chunks takes little more memory than its size. */
export class ByteBuffer {
  readonly #limit: number
  readonly #expected: number
  #parts: Uint8Array[] = []
  /** The shared buffer for small chunks. Its bytes come after the bytes of `#parts`. */
  #tail: Uint8Array = EMPTY
  #tailSize = 0
  #size = 0

  /**
   * @param limit - Maximum number of bytes.
   * @param declared - The length that the sender has declared, in bytes; `undefined` if unknown.
   */
  constructor(limit: number, declared?: number | undefined) {
    this.#limit = limit
    this.#expected = declared || 0
  }

  /**
   * Adds a chunk, which must not change later. If the size would exceed the limit, adds nothing and returns `false`.
   */
  add(chunk: Uint8Array): boolean {
    const { byteLength } = chunk
    if (this.#size + byteLength > this.#limit) return false
    if (byteLength === 0) return true
    // The first chunk is never copied, because most bodies have only one chunk.
    if (this.#size === 0 || byteLength >= MIN_STORED_CHUNK_BYTES) {
      if (this.#tailSize > 0) this.#endTail()
      this.#parts.push(chunk)
    } else {
      if (this.#tailSize + byteLength > this.#tail.byteLength) this.#newTail(byteLength)
      this.#tail.set(chunk, this.#tailSize)
      this.#tailSize += byteLength
    }
    this.#size += byteLength
    return true
  }

  /** The bytes that were added so far. */
  get bytes(): Uint8Array {
    if (this.#tailSize > 0) this.#endTail()
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
    if (this.#tailSize > 0) this.#endTail()
    const wanted = Math.max(this.#size, this.#expected - this.#size, MIN_TAIL_BYTES)
    this.#tail = new Uint8Array(Math.max(needed, Math.min(wanted, MAX_TAIL_BYTES)))
  }

  #endTail(): void {
    this.#parts.push(this.#tail.subarray(0, this.#tailSize))
    this.#tail = this.#tail.subarray(this.#tailSize)
    this.#tailSize = 0
  }
}
