/** Number of cursors that are compared exactly, before the guard uses constant memory. */
const REMEMBERED_CURSORS = 4_096

/**
 * Detects a list whose cursors repeat. It stores the first cursors, so it finds a loop at the first repetition.
 * After that it stores one cursor, replaced at each power of two (Brent's algorithm).
 */
export class CursorGuard {
  readonly #remembered = new Set<string>()
  #mark: string | undefined
  #steps = 0
  #nextMark = REMEMBERED_CURSORS

  /** Number of cursors so far. */
  get seen(): number {
    return this.#steps
  }

  /** Records a page's cursor; returns `false` for a cursor that the list has returned before. */
  add(cursor: string): boolean {
    if (cursor === this.#mark || this.#remembered.has(cursor)) return false
    this.#steps += 1
    if (this.#remembered.size < REMEMBERED_CURSORS) this.#remembered.add(cursor)
    if (this.#steps >= this.#nextMark) {
      this.#mark = cursor
      this.#nextMark *= 2
    }
    return true
  }
}

/** Maximum number of records to remember. The oldest is dropped first. */
const REMEMBERED_RECORDS = 10_000

/** Fields that identify a record. */
const IDENTITIES = ['uuid', 'id', 'providerNumber'] as const

/**
 * Omits records of earlier pages: a record moves to the next page when others are added before it. Its memory
 * is limited, whatever the length of the list.
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
    if (this.#seen.size > REMEMBERED_RECORDS) this.#seen.delete(this.#seen.values().next().value)
    return true
  }
}

function identityOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return undefined
  const name = IDENTITIES.find((candidate) => typeof Reflect.get(item, candidate) === 'string')
  return name === undefined ? undefined : Reflect.get(item, name)
}
