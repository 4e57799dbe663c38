/** Maximum number of records to remember. The oldest is dropped first. */
const REMEMBERED = 10_000

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
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.values().next().value)
    return true
  }
}

function identityOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return undefined
  const name = IDENTITIES.find((candidate) => typeof Reflect.get(item, candidate) === 'string')
  return name === undefined ? undefined : Reflect.get(item, name)
}
