import type * as z from 'zod'
import { isPlain, REQUEST_FIELDS } from './plain-words.js'

/** One problem of a request: its rule and its field. */
export interface RequestIssue {
  /** The broken rule, for people to read. It never contains the value. */
  readonly message: string
  /** Path of the field: `address.city`, `tests[2]`; `undefined` for a problem of the entire request. */
  readonly field: string | undefined
  /** The service's error code for a request with this problem only. */
  readonly code?: string
}

// §4.1
/** Formats an issue like an entry of the service's `errorList`. */
export function formatIssue(issue: RequestIssue): string {
  return issue.field === undefined ? issue.message : `${issue.message} [field: ${issue.field}]`
}

const MARKER = '[field:'
/** A name in the format of `fieldName`: brackets are paired. */
const FIELD = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*$/

// §4.1
/** Parses an `errorList` entry into its message and field. */
export function parseIssue(entry: string): RequestIssue {
  const text = entry.trimEnd()
  const start = text.lastIndexOf(MARKER)
  const field = text.slice(start + MARKER.length, -1).trim()
  return start >= 0 && text.endsWith(']') && FIELD.test(field)
    ? { message: text.slice(0, start).trimEnd(), field }
    : { message: entry, field: undefined }
}

/** Formats the path `['tests', 2, 'id']` as `tests[2].id`. */
export function fieldName(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined
  return path.map(step).join('').replace(/^\./, '')
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}

type RawIssue = z.core.$ZodIssue

/**
 * Converts the schema library's issues to {@link RequestIssue}s with a message that names the rule.
 *
 * @param input - The checked value. It distinguishes a missing field from an invalid one.
 * @param hidesNames - Whether to hide the name of an unknown field unless it consists of known words.
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
 * The issue of an unknown field. Its name can be a patient's, for example if a map of names is passed as an order. A name
 * that does not consist of known words is hidden: the message has the field's position and a similar known name instead.
 *
 * @param input - The checked value; `undefined` shows every name.
 */
function unknownField(path: readonly PropertyKey[], key: string, input: unknown): RequestIssue {
  if (input === undefined || isShown(key)) return fieldIssue([...path, key], 'is not a field of this request')
  const owner = valueAt(input, path)
  const place = 1 + (typeof owner === 'object' && owner !== null ? Object.keys(owner).indexOf(key) : 0)
  const meant = REQUEST_FIELDS.find((name) => isNear(name.toLowerCase(), key.toLowerCase()))
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`
  return fieldIssue(path, `has an unknown field: field number ${place}${advice}`)
}

const NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/

/** Whether a name consists of known words, so that an error may contain it. */
export function isShown(name: string): boolean {
  return NAME.test(name) && isPlain(name)
}

/** Whether two names differ by at most one missing, added, replaced or swapped letter. */
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

/** The request field that a text names, without list positions; `undefined` for any other text. */
export function requestField(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const name = text.replace(/\[\d+\]/g, '[]')
  return name.split('.').every((each) => REQUEST_FIELD_NAMES.has(each.replace(/(?:\[\])+$/, '')))
    ? name
    : undefined
}

const REQUEST_FIELD_NAMES: ReadonlySet<string> = new Set(REQUEST_FIELDS)

/** An issue of one field. Its message begins with the field's name. */
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
      return 'is not valid'
  }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['int', 'an integer'],
])

function bound(side: 'least' | 'most', limit: number | bigint, origin: string): string {
  const isOne = Number(limit) === 1
  if (origin === 'string') return `have at ${side} ${limit} ${isOne ? 'character' : 'characters'}`
  if (origin === 'array') return `have at ${side} ${limit} ${isOne ? 'entry' : 'entries'}`
  return `be at ${side} ${limit}`
}
