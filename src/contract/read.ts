/**
 * Returns a field of an object. Returns `undefined` if the value is not an object, if the field does not exist, or if
 * the field's getter throws.
 */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Reflect.get(value, name)
  } catch {
    return undefined
  }
}

/** Returns a field as {@link fieldOf} does, but ignores inherited fields. */
export function ownFieldOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  } catch {
    return undefined
  }
}

/** Parses JSON; returns `undefined` for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the entries of a list with their indexes; none for any other value. Skips holes, because a list with few
 * entries can have a huge length.
 */
export function entriesOf(value: unknown): readonly (readonly [index: number, entry: unknown])[] {
  try {
    if (!Array.isArray(value)) return []
    const indexes = Object.keys(value).map(Number)
    return indexes.filter(Number.isSafeInteger).map((index) => [index, fieldOf(value, index)])
  } catch {
    return []
  }
}

/** Creates the type guard of a set of known values. */
export function knownGuard<Known extends string>(
  values: readonly Known[],
): (value: string) => value is Known {
  const known: ReadonlySet<string> = new Set(values)
  return (value): value is Known => known.has(value)
}
