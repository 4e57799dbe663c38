import type * as z from 'zod'
import { isPlain, REQUEST_FIELDS } from './plain-words.js'

/** One problem with a request: what is wrong, and with which field. */
export interface RequestIssue {
  /** The rule that was broken, in words; it never repeats the value. */
  readonly message: string
  /** Where: `address.city`, `tests[2]`; `undefined` when the request as a whole is wrong. */
  readonly field: string | undefined
  /** The code the service gives when this is the only problem (§4.1 rule 8, §4.4, §4.6). */
  readonly code?: string
}

/** An issue in the form of the service's `errorList` entries (§4.1). */
export function formatIssue(issue: RequestIssue): string {
  return issue.field === undefined ? issue.message : `${issue.message} [field: ${issue.field}]`
}

const MARKER = '[field:'
/** A name as `fieldName` writes it: its own brackets come in pairs. */
const FIELD = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/

/** Reads an `errorList` entry back into its message and field (§4.1). */
export function parseIssue(entry: string): RequestIssue {
  const text = entry.trimEnd()
  const start = text.lastIndexOf(MARKER)
  const field = text.slice(start + MARKER.length, -1).trim()
  return start >= 0 && text.endsWith(']') && FIELD.test(field)
    ? { message: text.slice(0, start).trimEnd(), field }
    : { message: entry, field: undefined }
}

/** `['tests', 2, 'id']` as `tests[2].id`. */
export function fieldName(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined
  return path.map(step).join('').replace(/^\./, '')
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}

type RawIssue = z.core.$ZodIssue

/**
 * Turns the schema library's issues into ours, with a sentence for each that names the rule.
 *
 * @param input - The checked value: it tells a missing field from a wrong one.
 * @param hidesNames - Whether an unknown field is named only when its name can be nobody's.
 */
export function toRequestIssues(
  issues: readonly RawIssue[],
  input: unknown,
  hidesNames: boolean,
): RequestIssue[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownField(issue.path, key, hidesNames ? input : undefined))
      : [fieldIssue(issue.path, rule(issue, valueAt(input, issue.path)))],
  )
}

/**
 * The issue of a field that the request does not have. Its name can be a patient's, as where a map of names was taken
 * for an order: it is shown only when it consists of words of the field, and else the known name next to it, or its place.
 *
 * @param input - The checked value; `undefined` shows every name.
 */
function unknownField(path: readonly PropertyKey[], key: string, input: unknown): RequestIssue {
  if (input === undefined || isShown(key)) return fieldIssue([...path, key], 'is not a field of this request')
  const owner = valueAt(input, path)
  const place = 1 + (typeof owner === 'object' && owner !== null ? Object.keys(owner).indexOf(key) : 0)
  const meant = REQUEST_FIELDS.find((name) => isNear(name.toLowerCase(), key.toLowerCase()))
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`
  return fieldIssue(path, `has a field that is not known, number ${place} of its fields${advice}`)
}

const NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/

/** Whether a name in a request consists of words of the field, so that an error may repeat it. */
export function isShown(name: string): boolean {
  return NAME.test(name) && isPlain(name)
}

/** Whether two names differ by at most one letter that is missing, added, another, or swapped with its neighbour. */
function isNear(name: string, other: string): boolean {
  if (Math.abs(name.length - other.length) > 1) return false
  let start = 0
  while (start < name.length && name[start] === other[start]) start += 1
  const [rest, otherRest] = [name.slice(start), other.slice(start)]
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0])
  )
}

/** The name of a field of a request in someone else's words, without its positions; `undefined` for any other text. */
export function requestField(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const name = text.replace(/\[\d+\]/g, '[]')
  return name.split('.').every((each) => REQUEST_FIELD_NAMES.has(each.replace(/(?:\[\])+$/, '')))
    ? name
    : undefined
}

const REQUEST_FIELD_NAMES: ReadonlySet<string> = new Set(REQUEST_FIELDS)

/** An issue with one field, its sentence beginning with the field's name. */
export function fieldIssue(path: readonly PropertyKey[], rule: string, code?: string): RequestIssue {
  const field = fieldName(path)
  const message = field === undefined ? `the request ${rule}` : `${field} ${rule}`
  return { message, field, ...(code === undefined ? {} : { code }) }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return null
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  }
  return value
}

function rule(issue: RawIssue, value: unknown): string {
  if (value === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'string' && value instanceof Date)
        return 'must be text such as 1986-04-23, not a Date'
      return `must be ${TYPE_NAMES.get(issue.expected) ?? `a ${issue.expected}`}`
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`
    case 'too_small':
      return `must ${bound('least', issue.minimum, issue.origin)}`
    case 'too_big':
      return `must ${bound('most', issue.maximum, issue.origin)}`
    case 'custom':
      return issue.message
    default:
      return 'is not acceptable'
  }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['int', 'a whole number'],
])

function bound(side: 'least' | 'most', limit: number | bigint, origin: string): string {
  const isOne = Number(limit) === 1
  if (origin === 'string') return `have at ${side} ${limit} ${isOne ? 'character' : 'characters'}`
  if (origin === 'array') return `have at ${side} ${limit} ${isOne ? 'entry' : 'entries'}`
  return `be at ${side} ${limit}`
}
