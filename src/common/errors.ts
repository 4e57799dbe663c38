const brand: unique symbol = Symbol.for('pathology-sdk.error')

/**
 * What is known of a failed call's effect on the service.
 *
 * - `not-sent`: the request never left this process, so nothing changed.
 * - `refused`: the service turned the request away before doing any work (401, 429).
 * - `failed`: the service answered, and the answer says that the request was not carried out.
 * - `unknown`: the request may or may not have been carried out.
 */
export type Outcome = 'not-sent' | 'refused' | 'failed' | 'unknown'

/** The stable name of each error class of this package. */
export type PathologyErrorName =
  | 'PathologyError'
  | 'ConfigurationError'
  | 'InvalidRequestError'
  | 'ApiError'
  | 'BadRequestError'
  | 'AuthenticationError'
  | 'PermissionError'
  | 'NotFoundError'
  | 'ConflictError'
  | 'RateLimitError'
  | 'ServerError'
  | 'TokenError'
  | 'ConnectionError'
  | 'TimeoutError'
  | 'InvalidResponseError'
  | 'OrderOutcomeUnknownError'
  | 'WebhookVerificationError'

/**
 * The base of every error this package throws, save an abort and what the file system says to `saveTo`.
 *
 * `name` and `code` are stable. No error carries a secret, a token or a patient's detail in `message`,
 * `toString()`, `util.inspect()` or `toJSON()`.
 */
export class PathologyError extends Error {
  /** The name of the error's class, to tell errors apart by, also where a bundler renamed the class. */
  override readonly name: PathologyErrorName = 'PathologyError'
  /** A stable, machine-readable code: the service's own where it gave one, else this package's. */
  readonly code: string | undefined

  /** `message` and `code` are shown and logged: nothing secret or personal may be in them. */
  constructor(message: string, options: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
    hide(this, { [brand]: true })
  }

  /** What is safe to log: name, code and message, and what a subclass adds. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, ...(this.code === undefined ? {} : { code: this.code }), message: this.message }
  }
}

/**
 * Tells an error of this package from any other, also when two copies of the package are installed
 * and `instanceof` fails.
 *
 * @param error - Anything that was thrown.
 * @param code - When given, the error's `code` must equal it.
 */
export function isPathologyError(error: unknown, code?: string): error is PathologyError {
  if (typeof error !== 'object' || error === null) return false
  try {
    return brand in error && (code === undefined || ('code' in error && error.code === code))
  } catch {
    // Anything can be thrown: a proxy can refuse to be looked at.
    return false
  }
}

const ERROR_NAME = /^[A-Z][A-Za-z]{0,60}(?:Error|Exception)$/

/** The name of an error of any origin, when it has an error name's form: another text could be anything. */
export function safeErrorName(error: Error): string {
  return ERROR_NAME.test(error.name) ? error.name : 'Error'
}

/** Adds properties that neither `util.inspect` nor `JSON.stringify` shows. */
export function hide(target: object, properties: Record<PropertyKey, unknown>): void {
  for (const key of Reflect.ownKeys(properties)) {
    Object.defineProperty(target, key, {
      value: Reflect.get(properties, key),
      enumerable: false,
      configurable: true,
      writable: false,
    })
  }
}
