/** Number of cursors that are compared exactly, before the guard uses constant memory. */
const REMEMBERED = 4_096

/**
 * Detects a list whose cursors repeat. It stores the first cursors, so it finds a loop at the first repetition.
 * After that it stores one cursor, replaced at each power of two (Brent's algorithm).
 */
export class CursorGuard {
  readonly #remembered = new Set<string>()
  #mark: string | undefined
  #steps = 0
  #nextMark = REMEMBERED

  /** Number of cursors so far. */
  get seen(): number {
    return this.#steps
  }

  /** Records a page's cursor; returns `false` for a cursor that the list has returned before. */
  add(cursor: string): boolean {
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
