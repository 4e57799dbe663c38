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

/** Checks a numeric option; Infinity is permitted. */
export function number(name: string, value: unknown, minimum: number): number {
  if (typeof value === 'number' && value >= minimum) return value
  throw new ConfigurationError(`${name} must be a number of at least ${minimum}`)
}

/** Checks an integer option; `undefined` means the default, and Infinity is permitted. */
export function integer(name: string, value: unknown, minimum: number, fallback: number): number {
  if (value === undefined) return fallback
  const checked = number(name, value, minimum)
  if (Number.isInteger(checked) || checked === Number.POSITIVE_INFINITY) return checked
  throw new ConfigurationError(`${name} must be an integer`)
}
