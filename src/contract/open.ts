/**
 * A value from a set that the service may extend. Editors complete the known members, and any other string is accepted.
 */
export type OpenEnum<Known extends string> = Known | (string & {})

/** Creates the type guard of a set of known values. */
export function knownGuard<Known extends string>(
  values: readonly Known[],
): (value: string) => value is Known {
  const known: ReadonlySet<string> = new Set(values)
  return (value): value is Known => known.has(value)
}
