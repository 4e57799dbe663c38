import { API_VERSIONS, type ApiVersion, isApiVersion, SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import { ConfigurationError } from '../errors/errors.js'

/** Checks the API version of the client or of a call. */
export function apiVersion(value: unknown): ApiVersion {
  if (value === undefined) return SDK_DEFAULT_VERSION
  if (isApiVersion(value)) return value
  throw new ConfigurationError(
    `apiVersion must be ${API_VERSIONS.map((version) => `'${version}'`).join(' or ')}`,
  )
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

/** Returns `true` for an object or a function with all of these methods. */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return names.every((name) => typeof Reflect.get(value, name) === 'function')
}

/**
 * Reads a `since` option in milliseconds. Rejects numbers, because seconds and milliseconds look alike.
 *
 * @param none - Value to return when `since` is `undefined`.
 * @param errorOf - Creates the method's error for an invalid time.
 */
export function timeOfSince(
  since: Date | string | undefined,
  none: number,
  errorOf: (message: string) => Error,
): number {
  if (since === undefined) return none
  const time = since instanceof Date || typeof since === 'string' ? new Date(since).getTime() : Number.NaN
  if (!Number.isNaN(time)) return time
  throw errorOf('since must be a Date or an ISO 8601 time')
}

/** Reads a time of the service in milliseconds; `NaN` unless the value is a string. */
export function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}
