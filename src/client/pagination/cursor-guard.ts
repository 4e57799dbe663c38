/** Maximum number of stored cursors. */
const MAX_STORED_CURSORS = 4_096

/**
 * Detects a list whose cursors repeat. It stores the first 4,096 cursors, so it finds a loop among them at the first
 * repetition. In a longer list, it stores one further cursor and replaces it at each power of two (Brent's algorithm).
 */
export class CursorGuard {
  readonly #stored = new Set<string>()
  #mark: string | undefined
  #steps = 0
  #nextMark = MAX_STORED_CURSORS

  /** Number of cursors so far. */
  get seen(): number {
    return this.#steps
  }

  /** Records a page's cursor; returns `false` for a cursor that the list has returned before. */
  add(cursor: string): boolean {
    if (cursor === this.#mark || this.#stored.has(cursor)) return false
    this.#steps += 1
    if (this.#stored.size < MAX_STORED_CURSORS) this.#stored.add(cursor)
    if (this.#steps >= this.#nextMark) {
      this.#mark = cursor
      this.#nextMark *= 2
    }
    return true
  }
}

/** Maximum number of stored records. The oldest is dropped first. */
const MAX_STORED_RECORDS = 10_000

/** Fields that identify a record. */
const IDENTITIES = ['uuid', 'id', 'providerNumber'] as const

/**
 * Omits records of earlier pages. A record moves to the next page when others are added before it. The memory is limited
 * for a list of any length.
 */
export class RecordFilter {
  readonly #seen = new Set<unknown>()

  /** Returns the records of a page that no earlier page contained. */
  fresh<T>(items: readonly T[]): readonly T[] {
    return items.filter((item) => this.#isFresh(identityOf(item)))
  }

  #isFresh(identity: unknown): boolean {
    if (identity === undefined) return true
    if (this.#seen.has(identity)) return false
    this.#seen.add(identity)
    if (this.#seen.size > MAX_STORED_RECORDS) this.#seen.delete(this.#seen.values().next().value)
    return true
  }
}

function identityOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return undefined
  const name = IDENTITIES.find((candidate) => typeof Reflect.get(item, candidate) === 'string')
  return name === undefined ? undefined : Reflect.get(item, name)
}
