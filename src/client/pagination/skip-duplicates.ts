/** The most records that are remembered; the oldest goes first. */
const REMEMBERED = 10_000

/** How the service's resources are told apart (§2). */
const IDENTITIES = ['uuid', 'id', 'providerNumber'] as const

/**
 * Leaves out records that came on a page before: a record moves to the next page while others are added before it. It
 * remembers so many and no more, so a list of any length costs the same.
 */
export class RecordFilter {
  readonly #seen = new Set<unknown>()

  /** Those of a page's records that did not come before. */
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
