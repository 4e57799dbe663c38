import type * as z from 'zod'
import { fieldIssue, type IssueDraft, type IssueParams, type IssueRule } from './issues.js'
import { isDate } from './realms.js'
import { REQUEST_FIELDS } from './request-fields.js'
import { similarName } from './similar.js'

type RawIssue = z.core.$ZodIssue

/** A broken rule: its description in the message, its name and its details. */
interface BrokenRule {
  readonly text: string
  readonly rule: IssueRule
  readonly params?: IssueParams
}

/**
 * Converts the schema library's issues to request issues. Each message names the broken rule.
 *
 * @param input - The checked value, which shows whether a field is missing or invalid.
 * @param schema - Schema of the request, whose fields are suggested in place of unknown fields.
 * @param hidesNames - `true`: a message does not contain the name of an unknown field, unless it looks like a field.
 */
export function toRequestIssues(
  issues: readonly RawIssue[],
  input: unknown,
  schema: z.core.$ZodType,
  hidesNames: boolean,
): IssueDraft[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const names = Object.keys(Object(valueAt(input, issue.path)))
      // Without this map, a search for the positions of many unknown fields would block the process for minutes.
      const places = new Map(names.map((name, at) => [name, placeOf(at, names[at - 1])]))
      const fields = fieldNames(schema)
      return issue.keys.map((key, at) => {
        const place = hidesNames ? (places.get(key) ?? '') : undefined
        const meant = at < MAX_SUGGESTIONS ? meantField(key, fields) : undefined
        return unknownField(issue.path, key, meant, place)
      })
    }
    const { text, ...rule } = brokenRule(issue, valueAt(input, issue.path))
    return [fieldIssue(issue.path, text, rule)]
  })
}

/** Number of unknown fields for which a known one is sought, which takes time. An error's message names fewer. */
const MAX_SUGGESTIONS = 100

/**
 * An unknown field's name can be a patient's, for example if the caller passes a map of names as an order. So the
 * message gives its position instead, unless the name is certainly that of a field.
 */
function unknownField(
  path: readonly PropertyKey[],
  key: string,
  meant: string | undefined,
  place: string | undefined,
): IssueDraft {
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`
  const rule = { rule: 'unknown-field', params: meant === undefined ? {} : { meant } } as const
  if (place === undefined || isOurField(key) || (meant !== undefined && isNameOfField(key, meant)))
    return fieldIssue([...path, key], `is not a field of this request${advice}`, rule)
  return fieldIssue(path, `has an unknown field: ${place}${advice}`, rule)
}

/** A patient may be called Emil, but hardly `refrenceNumber`. */
function isNameOfField(key: string, meant: string): boolean {
  return key.length >= 6 || key.toLowerCase() === meant.toLowerCase()
}

/** Describes a field with a hidden name by its number, and by the previous field's name if this name may be shown. */
function placeOf(at: number, previous: string | undefined): string {
  return `field number ${at + 1}${previous !== undefined && isOurField(previous) ? `, after ${previous}` : ''}`
}

/** Returns the field of the request that a name probably means. */
export function meantField(key: string, fields: readonly string[]): string | undefined {
  const lower = key.toLowerCase()
  for (const [name, field] of OTHER_NAMES)
    if (name.toLowerCase() === lower && fields.includes(field)) return field
  return similarName(key, fields)
}

/** Returns the names of a schema's fields, at any depth. */
export function fieldNames(schema: z.core.$ZodType): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => [name, ...fieldNames(field)])
    case 'optional':
    case 'nullable':
      return fieldNames(def.innerType)
    case 'array':
      return fieldNames(def.element)
    default:
      return []
  }
}

/** Names that other systems use, each with the field of this service for the same data. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['birthDate', 'dob'],
  ['dateOfBirth', 'dob'],
  ['sex', 'gender'],
  ['givenName', 'firstName'],
  ['familyName', 'lastName'],
  ['surname', 'lastName'],
  ['mobile', 'phone'],
  ['phoneNumber', 'phone'],
  ['emailAddress', 'email'],
  ['street', 'addressLine1'],
  ['suburb', 'city'],
  ['postalCode', 'postCode'],
  ['zip', 'postCode'],
  ['medicareNumber', 'medicareCardNumber'],
  ['latitude', 'lat'],
  ['longitude', 'lng'],
  ['lon', 'lng'],
  ['long', 'lng'],
  ['radius', 'radiusKm'],
  ['pageSize', 'count'],
  ['perPage', 'count'],
])

/** Fields of records, which a caller may pass back. */
const RECORD_FIELDS = ['object', 'uuid', 'id', 'status', 'person', 'createdAt', 'updatedAt', 'deletedAt']

const OURS: ReadonlySet<string> = new Set(
  [...REQUEST_FIELDS, ...RECORD_FIELDS, ...OTHER_NAMES.keys()].map((name) => name.toLowerCase()),
)

/** Returns `true` for the name of a field, here or in another system. A message may contain it. */
function isOurField(name: string): boolean {
  return OURS.has(name.toLowerCase())
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return null
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  }
  return value
}

function brokenRule(issue: RawIssue, value: unknown): BrokenRule {
  if (value === undefined) return { text: 'is required', rule: 'required' }
  switch (issue.code) {
    case 'invalid_type':
      return typeRule(issue.expected, value)
    case 'invalid_value': {
      const values = issue.values.map(String)
      return { text: `must be ${values.join(' or ')}`, rule: 'choice', params: { values } }
    }
    case 'too_small':
      return bound('least', Number(issue.minimum), issue.origin)
    case 'too_big':
      return bound('most', Number(issue.maximum), issue.origin)
    case 'custom':
      return { text: issue.message, rule: ruleOf(issue.params) }
    default:
      return { text: 'is not valid', rule: 'other' }
  }
}

function typeRule(expected: string, value: unknown): BrokenRule {
  if (expected === 'string' && isDate(value))
    return { text: 'must be text such as 1986-04-23, not a Date', rule: 'type', params: { type: 'text' } }
  const type = TYPE_NAMES.get(expected) ?? `a ${expected}`
  return { text: `must be ${type}`, rule: 'type', params: { type: type.replace(/^an? /, '') } }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['int', 'an integer'],
])

/** Returns the name of a custom schema rule. */
function ruleOf(params: Readonly<Record<string, unknown>> | undefined): IssueRule {
  const rule = params?.['rule']
  return typeof rule === 'string' ? rule : 'other'
}

function bound(side: 'least' | 'most', limit: number, origin: string): BrokenRule {
  const isLeast = side === 'least'
  const params = isLeast ? { minimum: limit } : { maximum: limit }
  if (origin === 'string') {
    const text = `must have at ${side} ${limit} ${limit === 1 ? 'character' : 'characters'}`
    return { text, rule: isLeast ? 'min-length' : 'max-length', params }
  }
  if (origin === 'array') {
    const text = `must have at ${side} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
    return { text, rule: isLeast ? 'min-entries' : 'max-entries', params }
  }
  return { text: `must be at ${side} ${limit}`, rule: isLeast ? 'minimum' : 'maximum', params }
}
