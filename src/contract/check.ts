/** One place where an answer is not what the contract says. It never holds a value. */
export interface ResponseIssue {
  /** Where, with list positions left out: `person.dob`, `biomarkers[].unit`. */
  readonly path: string
  /** What was expected there. */
  readonly expected: string
}

/** Where in an answer a check is, and what has been found to differ. */
export interface Place {
  readonly path: string
  readonly issues: ResponseIssue[]
}

/**
 * Tells whether a value is what its schema says. With a place it notes what differs and goes on, so that one pass finds
 * everything; its answer means nothing then. `field` is the value's own name at that place.
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

/** The place of a field; none where nobody asks for places. */
export function at(place: Place | undefined, field: string | undefined): Place | undefined {
  return place && { ...place, path: pathOf(place, field) }
}

/** What a check says of a value that is not `expected`. */
export function differs(place: Place | undefined, field: string | undefined, expected: string): boolean {
  if (place === undefined) return false
  place.issues.push({ path: pathOf(place, field) || '(whole answer)', expected })
  return true
}

function pathOf({ path }: Place, field = ''): string {
  return path === '' || field === '' ? path + field : `${path}.${field}`
}
