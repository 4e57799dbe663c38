import { isRecord, ownOptions } from '../../common/known-options.js'
import { fieldIssue } from '../../contract/issues.js'
import { isDate } from '../../contract/realms.js'
import { isRequestField } from '../../contract/request-fields.js'
import { isTimestamp, parseTime } from '../../contract/times.js'
import { API_VERSIONS, type ApiVersion, SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import { ConfigurationError, InvalidRequestError } from '../errors/errors.js'

/** Body of a request, written when the method is called: the text is sent, and the checks read its parse. */
export class JsonBody {
  readonly text: string
  readonly value: unknown

  /** @throws {@link InvalidRequestError} that names the field which JSON would drop or change. */
  constructor(operation: string, body: unknown) {
    this.text = jsonTextOf(operation, body)
    this.value = JSON.parse(this.text)
  }
}

const MAX_DEPTH = 32

function jsonTextOf(operation: string, body: unknown): string {
  /** Objects around the present value, outermost first, with their names. */
  const around: { readonly holder: unknown; readonly name: string | number }[] = []
  const text = JSON.stringify(body, function (this: object, name: string, value: unknown) {
    while (around.length > 0 && around.at(-1)?.holder !== this) around.pop()
    const key = Array.isArray(this) ? Number(name) : name
    const refuse = (rule: string, levels?: number): never => {
      throw refusal(operation, [...around.map((each) => each.name), key].slice(0, levels), rule)
    }
    const rule = brokenRule(this, name, value)
    if (rule !== undefined) refuse(rule)
    if (typeof value !== 'object' || value === null) return value
    if (around.some(({ holder }) => holder === value)) refuse('must not contain itself')
    if (around.length > MAX_DEPTH) refuse(`must be nested at most ${MAX_DEPTH} levels deep`, 2)
    around.push({ holder: value, name: key })
    return value
  })
  if (text === undefined) throw refusal(operation, [], body === undefined ? 'is required' : PLAIN_JSON)
  return text
}

/** Returns the rule that a value breaks, without its parts. JSON would omit, change or refuse such a value. */
function brokenRule(holder: object, name: string, value: unknown): string | undefined {
  if (!isWellFormed(name)) return 'must have only names that are well-formed text'
  if (typeof value === 'string') return isWellFormed(value) ? undefined : WELL_FORMED
  // JSON writes an invalid date as null.
  if (value === null) return isDate(Reflect.get(holder, name)) ? 'must be a valid date' : undefined
  if (typeof value === 'object') return Array.isArray(value) || isRecord(value) ? undefined : PLAIN_JSON
  const isLost = typeof value === 'number' ? !Number.isFinite(value) : LOST.has(typeof value)
  return isLost ? `${PLAIN_JSON}, not ${LOST.get(typeof value)}` : undefined
}

const PLAIN_JSON = 'must be plain JSON data'

const LOST: ReadonlyMap<string, string> = new Map([
  ['function', 'a function'],
  ['symbol', 'a symbol'],
  ['bigint', 'a BigInt'],
  ['number', 'NaN or an infinite number'],
])

/**
 * Creates the error of a field. A name that the caller chose, such as a key in metadata, may be personal data. The
 * error then shows only the path before that name.
 */
function refusal(operation: string, names: readonly (string | number)[], rule: string): InvalidRequestError {
  // The first name is that of the body, which is empty.
  const path = names.slice(1)
  const own = path.findIndex((name) => typeof name === 'string' && !isRequestField(name))
  const shown = path[0] === 'metadata' ? 1 : own
  return new InvalidRequestError(operation, [fieldIssue(shown === -1 ? path : path.slice(0, shown), rule)])
}

/** Rule for texts. The service could not store a text with half of a surrogate pair unchanged. */
export const WELL_FORMED = 'must be well-formed text: it contains half of a surrogate pair'

/** Returns `true` for a text without halves of surrogate pairs, which UTF-8 cannot encode. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** Copies a query when the method is called, with its lists and dates. */
export function queryCopy<T>(query: T): T {
  return isRecord(query) ? withCopies({ ...query }) : query
}

/**
 * Copies the options of a method when it is called, with their lists, dates and headers.
 *
 * @throws {@link ConfigurationError} as {@link ownOptions} does.
 */
export function optionsCopy<T extends object>(owner: string, options: T, names: ReadonlySet<string>): T {
  return withCopies(ownOptions(owner, options, names))
}

function withCopies<T extends object>(copy: T): T {
  for (const [name, value] of Object.entries(copy)) {
    if (Array.isArray(value)) Reflect.set(copy, name, [...value])
    // A date may come from another realm, such as a test runner's.
    else if (isDate(value)) Reflect.set(copy, name, new Date(value.getTime()))
    else if (name === 'headers' && isRecord(value)) Reflect.set(copy, name, { ...value })
  }
  return copy
}

export function apiVersion(value: unknown): ApiVersion {
  return oneOf('apiVersion', value, API_VERSIONS, SDK_DEFAULT_VERSION)
}

/** Checks an option in milliseconds; Infinity is permitted. */
export function milliseconds(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value
  throw new ConfigurationError(`${name} must be a number of milliseconds, 0 or more`)
}

/** Checks an integer option; `undefined` means the default, and Infinity is permitted. */
export function integer(name: string, value: unknown, minimum: number, fallback: number): number {
  if (value === undefined) return fallback
  const isInteger = Number.isInteger(value) || value === Number.POSITIVE_INFINITY
  if (typeof value === 'number' && isInteger && value >= minimum) return value
  throw new ConfigurationError(`${name} must be an integer of at least ${minimum}`)
}

/** Checks a boolean option; `undefined` means the default. */
export function boolean(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback
  if (typeof value === 'boolean') return value
  throw new ConfigurationError(`${name} must be true or false`)
}

/** Checks an option that is one of several texts; `undefined` means the default. */
export function oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[], fallback: T): T {
  if (value === undefined) return fallback
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw new ConfigurationError(`${name} must be ${allowed.map((candidate) => `'${candidate}'`).join(' or ')}`)
}

/** Returns `true` for an object or a function with all of these methods. */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return names.every((name) => typeof Reflect.get(value, name) === 'function')
}

/**
 * Returns the time of a caller's `Date` or ISO 8601 text, in milliseconds. Rejects numbers, because seconds and
 * milliseconds look alike.
 *
 * @param none - Value to return when the time is `undefined`.
 * @param errorOf - Creates the method's error for an invalid time.
 */
export function givenTime(
  field: string,
  given: Date | string | undefined,
  none: number,
  errorOf: (message: string, field: string) => Error,
): number {
  if (given === undefined) return none
  // V8 guesses a date from almost any text, and swaps day and month.
  const text = typeof given === 'string' && isTimestamp(given) ? given : undefined
  const time = isDate(given) ? given.getTime() : timeOf(text)
  if (!Number.isNaN(time)) return time
  throw errorOf(`${field} must be a Date or an ISO 8601 time`, field)
}

/** Reads a time of the service in milliseconds; `NaN` if the value is not a time. */
export function timeOf(value: unknown): number {
  return typeof value === 'string' ? parseTime(value) : Number.NaN
}
