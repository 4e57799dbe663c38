/** Cursors remembered exactly before the guard goes over to constant memory. */
const REMEMBERED = 4_096

/**
 * Notices a list that goes round in circles. The first cursors are all remembered, so that a circle shows at its first
 * repeat; after that one cursor is, moved on at every power of two (Brent's method), so that memory stays constant.
 */
export class CursorGuard {
  readonly #remembered = new Set<string>()
  #mark: string | undefined
  #steps = 0
  #nextMark = REMEMBERED

  /** Cursors admitted so far. */
  get seen(): number {
    return this.#steps
  }

  /** Takes a page's cursor; `false` when the list has given it before. */
  admit(cursor: string): boolean {
    if (cursor === this.#mark || this.#remembered.has(cursor)) return false
    this.#steps += 1
    if (this.#remembered.size < REMEMBERED) this.#remembered.add(cursor)
    if (this.#steps >= this.#nextMark) {
      this.#mark = cursor
      this.#nextMark *= 2
    }
    return true
  }
}
