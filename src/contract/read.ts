/** Returns a field of an object; `undefined` for any other value. */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns a field as {@link fieldOf} does, but ignores inherited fields. */
export function ownFieldOf(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

/** Parses JSON; returns `undefined` for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the entries of a list with their indexes; none for any other value. */
export function entriesOf(value: unknown): readonly (readonly [index: number, entry: unknown])[] {
  return Array.isArray(value) ? [...value.entries()] : []
}

/** Creates the type guard of a set of known values. */
export function knownGuard<Known extends string>(
  values: readonly Known[],
): (value: string) => value is Known {
  const known: ReadonlySet<string> = new Set(values)
  return (value): value is Known => known.has(value)
}
