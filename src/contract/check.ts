/** One place where a response differs from the contract. It never contains a value. */
export interface ResponseIssue {
  /** Path of the field without list positions: `person.dob`, `biomarkers[].unit`. */
  readonly path: string
  /** The expected type or value. */
  readonly expected: string
}

/** Current place of a check in a response, and the issues so far. */
export interface Place {
  readonly path: string
  readonly issues: ResponseIssue[]
}

/**
 * Returns whether a value matches its schema. With a place, it collects every issue in one pass, and the return value is
 * meaningless. `field` is the name of the value at that place.
 */
export type Check = (value: unknown, place?: Place, field?: string) => boolean

type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isListOf(
  entry: Check,
  value: unknown,
  place: Place | undefined,
  field: string | undefined,
): boolean {
  if (!Array.isArray(value)) return differs(place, field, 'array')
  const inside = place && { ...place, path: `${pathOf(place, field)}[]` }
  for (let index = 0; index < value.length; index += 1) {
    if (!entry(value[index], inside)) return false
  }
  return true
}

/** The place of a field; `undefined` when no issues are collected. */
export function at(place: Place | undefined, field: string | undefined): Place | undefined {
  return place && { ...place, path: pathOf(place, field) }
}

/** Return value of a check for a value that is not `expected`. */
export function differs(place: Place | undefined, field: string | undefined, expected: string): boolean {
  if (place === undefined) return false
  place.issues.push({ path: pathOf(place, field) || '(whole response)', expected })
  return true
}

function pathOf({ path }: Place, field = ''): string {
  return path === '' || field === '' ? path + field : `${path}.${field}`
}
