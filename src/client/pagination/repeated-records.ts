import type { RecordIdentity } from '../../contract/endpoint.js'
import { fieldOf } from '../../contract/read.js'

/** Maximum number of stored cursors. */
const MAX_STORED_CURSORS = 4_096

/**
 * Detector of a list whose cursors repeat. The guard stores the first 4,096 cursors, and finds a loop among these
 * cursors at the first repetition. In a longer list, the guard stores one further cursor, and replaces it each
 * time the number of pages has doubled (Brent's algorithm).
 */
export class CursorGuard {
  /** Number of cursors so far. */
  seen = 0
  readonly #stored = new Set<string>()
  #mark: string | undefined
  #nextMark = MAX_STORED_CURSORS

  /** Records a page's cursor; returns `false` for a cursor that the list has returned before. */
  add(cursor: string): boolean {
    if (cursor === this.#mark || this.#stored.has(cursor)) return false
    this.seen += 1
    if (this.#stored.size < MAX_STORED_CURSORS) this.#stored.add(cursor)
    if (this.seen >= this.#nextMark) {
      this.#mark = cursor
      this.#nextMark *= 2
    }
    return true
  }
}

/** Maximum number of stored record IDs. The oldest is dropped first. */
const MAX_STORED_RECORDS = 10_000

/**
 * Omits records of earlier pages. A record moves to the next page when others are added before it. The memory is
 * limited for a list of any length.
 */
export class RecordFilter {
  readonly #identity: RecordIdentity
  readonly #seen = new Set<unknown>()

  constructor(identity: RecordIdentity) {
    this.#identity = identity
  }

  /** Returns the records of a page that no earlier page contained. */
  fresh<T>(items: readonly T[]): readonly T[] {
    return items.filter((item) => {
      const identity = fieldOf(item, this.#identity)
      if (this.#seen.has(identity)) return false
      this.#seen.add(identity)
      if (this.#seen.size > MAX_STORED_RECORDS) this.#seen.delete(this.#seen.values().next().value)
      return true
    })
  }
}
