/**
 * A field of what may be anything: `undefined` where there is none, or where reading it throws. Whoever reads data that
 * came from elsewhere, a store or a form, gets what can be read of it and never a `TypeError`.
 */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Reflect.get(value, name)
  } catch {
    return undefined
  }
}

/** {@link fieldOf}, when the field is the object's own. */
export function ownFieldOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  } catch {
    return undefined
  }
}

/** The entries of what may be a list, each with its index. Holes are left out, so an endless one costs nothing. */
export function entriesOf(value: unknown): readonly (readonly [index: number, entry: unknown])[] {
  try {
    if (!Array.isArray(value)) return []
    const indexes = Object.keys(value).map(Number)
    return indexes.filter(Number.isSafeInteger).map((index) => [index, fieldOf(value, index)])
  } catch {
    return []
  }
}
