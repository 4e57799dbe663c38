/** One place where a response differs from the contract. The issue never contains a value. */
export interface ResponseIssue {
  /**
   * Path of the field in the record, without list positions: `person.dob`, `biomarkers[].unit`. `(whole response)` if
   * the record itself has an unexpected type.
   */
  readonly path: string
  /** The expected type or value. */
  readonly expected: string
}

/** Position in a response, and the list to which checks add issues. */
export interface Place {
  readonly path: string
  readonly issues: ResponseIssue[]
}

/** Types of JSON values, as bits. A field may permit several types. */
export const STRING = 1
export const NUMBER = 2
export const INTEGER = 4
export const BOOLEAN = 8
export const OBJECT = 16
export const ARRAY = 32
export const NULL = 64
export const ABSENT = 128
/** A JSON number that is too large for JavaScript, such as `1e999`: it becomes infinite. */
const INFINITE = 256
export const ANYTHING = STRING | NUMBER | INTEGER | BOOLEAN | OBJECT | ARRAY | NULL | INFINITE

/** Names of the types in issues. An issue does not mention that a field may be `null` or absent. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [STRING, 'string'],
  [NUMBER, 'number'],
  [STRING | NUMBER, 'string or number'],
  [INTEGER, 'integer'],
  [BOOLEAN, 'boolean'],
  [OBJECT, 'object'],
  [ARRAY, 'array'],
  [ANYTHING & ~NULL, 'value'],
])

/**
 * Checks a value against a schema.
 *
 * - Without `place`: stops at the first difference and returns whether the value matches.
 * - With `place`: adds every difference to `place.issues`. The return value has no meaning.
 *
 * `field` is the value's field name in the object at `place`. `types` are the permitted types, as bits.
 */
export type Check = (value: unknown, place?: Place, field?: string, types?: number) => boolean

/** Fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns `true` when a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks that a value is a string. Most fields are strings, and this check is faster than {@link hasType}. */
export function isString(value: unknown, place?: Place, field?: string): boolean {
  return typeof value === 'string' || addIssue(place, field, STRING)
}

/** Checks that a value has one of the permitted types. */
export function hasType(value: unknown, place?: Place, field?: string, types = STRING): boolean {
  let type = 0
  if (typeof value === 'string') type = STRING
  else if (value === null) type = NULL
  else if (value === undefined) type = ABSENT
  else if (typeof value === 'boolean') type = BOOLEAN
  else if (typeof value === 'object') type = Array.isArray(value) ? ARRAY : OBJECT
  else if (Number.isSafeInteger(value)) type = NUMBER | INTEGER
  else type = Number.isFinite(value) ? NUMBER : INFINITE
  return (type & types) !== 0 || addIssue(place, field, types)
}

/** Checks a list and each of its entries. */
export function isList(
  entry: Check,
  entryTypes: number,
  value: unknown,
  place: Place | undefined,
  field: string | undefined,
  types = ARRAY,
): boolean {
  if (!Array.isArray(value)) return hasType(value, place, field, types)
  const inside = place && { ...place, path: `${pathOf(place, field)}[]` }
  for (let index = 0; index < value.length; index += 1) {
    if (!entry(value[index], inside, '', entryTypes)) return false
  }
  return true
}

/** Returns the place of a field inside another place. Both places have the same list of issues. */
export function fieldPlace(place: Place, field: string | undefined): Place {
  return { ...place, path: pathOf(place, field) }
}

/** Returns every difference that a check finds in a value. The value is neither copied nor changed. */
export function issuesOf(check: Check, value: unknown): readonly ResponseIssue[] {
  if (check(value)) return NONE
  const issues: ResponseIssue[] = []
  check(value, { path: '', issues })
  return issues
}

const NONE: readonly ResponseIssue[] = []

/** With a place: adds an issue and returns `true`, so that the check continues. Without a place: returns `false`. */
function addIssue(place: Place | undefined, field: string | undefined, types: number): boolean {
  if (place === undefined) return false
  const expected = WORDS.get(types & ~(NULL | ABSENT)) ?? ''
  place.issues.push({ path: pathOf(place, field) || '(whole response)', expected })
  return true
}

function pathOf({ path }: Place, field = ''): string {
  return path === '' || field === '' ? path + field : `${path}.${field}`
}
