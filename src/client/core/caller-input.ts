import { types } from 'node:util'
import { isRecord, OPTION_NAME, ownOptions } from '../../common/known-options.js'
import { fieldIssue } from '../../contract/issues.js'
import { isRequestField } from '../../contract/request-fields.js'
import { isTimestamp, parseTime } from '../../contract/times.js'
import { API_VERSIONS, type ApiVersion, SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import { ConfigurationError, InvalidRequestError } from '../errors/errors.js'

const MAX_DEPTH = 32

/** Maximum number of values in a copy. An object that occurs many times is copied each time, so a copy can be large. */
const MAX_VALUES = 1_000_000

type Path = readonly (string | number)[]

/**
 * Copies the body of a request when the method is called: own enumerable properties, lists, dates and bytes. An object
 * with `toJSON` is replaced by the result of this method. Later changes by the caller do not reach the request.
 *
 * @throws {@link InvalidRequestError} that names the field of an invalid value. Such a value is not readable or not
 * JSON data, contains itself, or is text with half of a surrogate pair. It can also have too many or too deeply nested
 * values.
 */
export function snapshot<T>(operation: string, body: T): T {
  return new Snapshot(operation, 'body').copyOf({ body }, 'body', []) as T
}

/** Copies a query when the method is called, like {@link snapshot}. The texts are checked when the query is encoded. */
export function querySnapshot<T>(operation: string, query: T): T {
  return new Snapshot(operation, 'query').copyOf({ query }, 'query', []) as T
}

/**
 * Copies the options of a method when it is called. Signals and functions are kept.
 *
 * @throws {@link ConfigurationError} as {@link ownOptions} does.
 * @throws {@link InvalidRequestError} when an option is not readable, or is an object that {@link snapshot} rejects.
 */
export function optionsSnapshot<T extends object>(owner: string, options: T, names?: ReadonlySet<string>): T {
  const refused = (option: string): Error =>
    new InvalidRequestError(owner, [fieldIssue([option], UNREADABLE)])
  const own = ownOptions(owner, options, names, refused)
  for (const [name, value] of Object.entries(own)) {
    const isData = isRecord(value) || Array.isArray(value) || types.isDate(value)
    // Another implementation's signal may look like a plain object.
    if (isData && name !== 'signal')
      Reflect.set(own, name, new Snapshot(owner, 'options').copyOf(own, name, [name]))
  }
  return own
}

/** State of one copy. */
class Snapshot {
  readonly #operation: string
  readonly #kind: 'body' | 'query' | 'options'
  /** Objects that contain the present one, outermost first. */
  readonly #holders: object[] = []
  #values = 0
  /** Error that ends this copy. */
  #error: InvalidRequestError | undefined

  constructor(operation: string, kind: 'body' | 'query' | 'options') {
    this.#operation = operation
    this.#kind = kind
  }

  /**
   * Copies a property of `source`. Replaces an error of the caller's getter or `toJSON`, because the text of this error
   * may be personal data.
   */
  copyOf(source: object, name: string | number, path: Path): unknown {
    try {
      return this.#copy(Reflect.get(source, name), path)
    } catch {
      throw this.#error ?? this.#refusal(path, UNREADABLE)
    }
  }

  #copy(value: unknown, path: Path): unknown {
    this.#values += 1
    if (this.#values > MAX_VALUES)
      throw this.#refusal(path.slice(0, 1), `must contain at most ${MAX_VALUES} values`)
    if (typeof value !== 'object' || value === null) return this.#leaf(value, path)
    if (this.#holders.includes(value)) throw this.#refusal(path, 'must not contain itself')
    if (this.#holders.length > MAX_DEPTH)
      throw this.#refusal(path.slice(0, 1), `must be nested at most ${MAX_DEPTH} levels deep`)
    const content = contentOf(value, path)
    if (!hasParts(content)) return this.#leaf(content, path)
    this.#holders.push(value)
    const copied = this.#copyParts(content, path)
    this.#holders.pop()
    return copied
  }

  #leaf(value: unknown, path: Path): unknown {
    // The schemas do not check the metadata of a body.
    const isInMetadata = this.#kind === 'body' && path[0] === 'metadata' && path.length > 1
    if (typeof value === 'string') this.#checkText(path, value, WELL_FORMED)
    else if (isInMetadata && !isJson(value)) throw this.#refusal(path, PLAIN_JSON)
    return value
  }

  #checkText(path: Path, text: string, rule: string): void {
    if (this.#kind === 'body' && !isWellFormed(text)) throw this.#refusal(path, rule)
  }

  #copyParts(source: object, path: Path): object {
    if (Array.isArray(source))
      return Array.from({ length: source.length }, (_, index) => this.copyOf(source, index, [...path, index]))
    if (!isRecord(source)) throw this.#refusal(path, PLAIN_JSON)
    const copied: Record<string, unknown> = Object.create(null)
    for (const name of Object.keys(source)) {
      this.#checkText(path, name, 'must have only names that are well-formed text')
      copied[name] = this.copyOf(source, name, [...path, name])
    }
    return copied
  }

  /**
   * Creates the error of a field. A name that the caller chose, such as a key in metadata, may be personal data. The
   * error then shows only the path before that name.
   */
  #refusal(path: Path, rule: string): InvalidRequestError {
    const isOption = (name: string, at: number): boolean =>
      this.#kind === 'options' && at === 0 && OPTION_NAME.test(name)
    const own = path.findIndex(
      (name, at) => typeof name === 'string' && !isRequestField(name) && !isOption(name, at),
    )
    const inMetadata = path[0] === 'metadata' ? path.slice(0, 1) : path
    const shown = own === -1 ? inMetadata : inMetadata.slice(0, own)
    const code = this.#kind === 'query' ? 'INVALID_PARAMETER' : undefined
    this.#error = new InvalidRequestError(this.#operation, [fieldIssue(shown, rule)], code)
    return this.#error
  }
}

const UNREADABLE = 'could not be read'

const PLAIN_JSON = 'must be plain JSON data'

/** Rule for texts. The service could not store a text with half of a surrogate pair unchanged. */
export const WELL_FORMED = 'must be well-formed text: it contains half of a surrogate pair'

/** Returns `true` for a text without halves of surrogate pairs, which UTF-8 cannot encode. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** Returns the copy of a value without parts, the result of `toJSON`, or the object whose parts are copied. */
function contentOf(value: object, path: Path): unknown {
  const leaf = leafOf(value)
  if (leaf !== undefined) return leaf
  const toJson: unknown = Reflect.get(value, 'toJSON')
  return typeof toJson === 'function' ? Reflect.apply(toJson, value, [String(path.at(-1) ?? '')]) : value
}

/**
 * Checks a value in metadata that is not text. Returns `false` for a value that JSON cannot write or omits, except
 * `undefined`. Also returns `false` for a value that JSON changes to `null`, such as NaN: the service removes a key
 * with `null`.
 */
function isJson(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime())
  const isEmpty = value === null || value === undefined
  return isEmpty || typeof value === 'boolean' || Number.isFinite(value) || ArrayBuffer.isView(value)
}

function hasParts(content: unknown): content is object {
  const isObject = typeof content === 'object' && content !== null
  return isObject && !(content instanceof Date) && !ArrayBuffer.isView(content)
}

/**
 * Returns the copy of a value without parts, such as a date; `undefined` for any other object. Also recognises values
 * of another realm, such as a test runner's.
 */
function leafOf(value: object): unknown {
  // Compared first, because the other checks are slow.
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) return undefined
  if (types.isDate(value)) return new Date(value.getTime())
  if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) return bytesOf(value)
  return types.isBoxedPrimitive(value) ? value.valueOf() : undefined
}

function bytesOf(value: ArrayBuffer | ArrayBufferView): Uint8Array {
  // A transferred buffer is empty, and copying it would throw.
  if (value.byteLength === 0) return new Uint8Array(0)
  if (Buffer.isBuffer(value)) return Buffer.from(value)
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value.slice(0))
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
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
  const time = given instanceof Date ? given.getTime() : timeOf(text)
  if (!Number.isNaN(time)) return time
  throw errorOf(`${field} must be a Date or an ISO 8601 time`, field)
}

/** Reads a time of the service in milliseconds; `NaN` if the value is not a time. */
export function timeOf(value: unknown): number {
  return typeof value === 'string' ? parseTime(value) : Number.NaN
}
