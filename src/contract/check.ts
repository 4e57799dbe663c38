/** One place where a response differs from the contract. The issue never contains a value. */
export interface ResponseIssue {
  /** Path of the field without list positions: `person.dob`, `biomarkers[].unit`. */
  readonly path: string
  /** The expected type or value. */
  readonly expected: string
}

/** Position of a check in a response, and the issues that it has found. */
export interface Place {
  readonly path: string
  readonly issues: ResponseIssue[]
}

/** Types of JSON values, as bits. A field may permit several types. */
export const TEXT = 1
export const NUMBER = 2
export const INTEGER = 4
export const FLAG = 8
export const FIELDS = 16
export const LIST = 32
export const NULL = 64
export const ABSENT = 128
/** A JSON number that is too large for JavaScript, such as `1e999`: it becomes infinite. */
const INFINITE = 256
export const ANYTHING = TEXT | NUMBER | INTEGER | FLAG | FIELDS | LIST | NULL | INFINITE

/** Words for the types in issues, without `null` and `undefined`. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [TEXT, 'string'],
  [NUMBER, 'number'],
  [TEXT | NUMBER, 'string or number'],
  [INTEGER, 'integer'],
  [FLAG, 'boolean'],
  [FIELDS, 'object'],
  [LIST, 'array'],
  [ANYTHING & ~NULL, 'value'],
])

/**
 * Returns whether a value matches its schema. With a place, the check adds every issue to the place in one pass, and
 * the
 * return value has no meaning. `field` is the name of the value at that place, and `types` its permitted types.
 */
export type Check = (value: unknown, place?: Place, field?: string, types?: number) => boolean

type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks the most frequent type, faster than {@link is}. */
export function isText(value: unknown, place?: Place, field?: string): boolean {
  return typeof value === 'string' || differs(place, field, TEXT)
}

/** Checks the type of a value. */
export function is(value: unknown, place?: Place, field?: string, types = TEXT): boolean {
  let type = 0
  if (typeof value === 'string') type = TEXT
  else if (value === null) type = NULL
  else if (value === undefined) type = ABSENT
  else if (typeof value === 'boolean') type = FLAG
  else if (typeof value === 'object') type = Array.isArray(value) ? LIST : FIELDS
  else if (Number.isSafeInteger(value)) type = NUMBER | INTEGER
  else type = Number.isFinite(value) ? NUMBER : INFINITE
  return (type & types) !== 0 || differs(place, field, types)
}

/** Checks a list and each of its entries. */
export function isList(
  entry: Check,
  entryTypes: number,
  value: unknown,
  place: Place | undefined,
  field: string | undefined,
  types = LIST,
): boolean {
  if (!Array.isArray(value)) return is(value, place, field, types)
  const inside = place && { ...place, path: `${pathOf(place, field)}[]` }
  for (let index = 0; index < value.length; index += 1) {
    if (!entry(value[index], inside, '', entryTypes)) return false
  }
  return true
}

/** Returns the place of a field. */
export function at(place: Place, field: string | undefined): Place {
  return { ...place, path: pathOf(place, field) }
}

/** Returns every place where a value differs from its check. The value is neither copied nor changed. */
export function issuesOf(check: Check, value: unknown): readonly ResponseIssue[] {
  if (check(value)) return NONE
  const issues: ResponseIssue[] = []
  check(value, { path: '', issues })
  return issues
}

const NONE: readonly ResponseIssue[] = []

/** Adds an issue if the check collects issues. In this case it returns `true`, so that the check continues. */
function differs(place: Place | undefined, field: string | undefined, types: number): boolean {
  if (place === undefined) return false
  const expected = WORDS.get(types & ~(NULL | ABSENT)) ?? ''
  place.issues.push({ path: pathOf(place, field) || '(whole response)', expected })
  return true
}

function pathOf({ path }: Place, field = ''): string {
  return path === '' || field === '' ? path + field : `${path}.${field}`
}
