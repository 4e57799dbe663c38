const brand: unique symbol = Symbol.for('pathology-sdk.error')

/**
 * Effect of a failed call on the service.
 *
 * - `not-sent`: the request was not sent, so nothing changed.
 * - `refused`: the service rejected the request before any work (401, 429), or rejected the credentials.
 * - `failed`: nothing changed: the service rejected the request, the token service failed, or the request only reads.
 * - `unknown`: the request may have been carried out.
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
  | 'ReferralFailedError'
  | 'OrderLedgerError'
  | 'OrderOutcomeUnknownError'
  | 'WebhookVerificationError'

/** Properties of an error besides its message. */
export interface PathologyErrorOptions {
  readonly code?: string | undefined
  readonly cause?: unknown
  /** Default: `false`. */
  readonly retryable?: boolean | undefined
  /** Time to wait before the next call, in milliseconds. */
  readonly retryAfter?: number | undefined
}

/**
 * Base class of all errors that this package throws outside `pathology-sdk/testing`, with four exceptions:
 *
 * - An aborted call rejects with the signal's reason.
 * - `saveTo` rejects with the errors of the file system. When the browser disconnects, `pipe` rejects with an
 * `AbortError` or an error of the stream.
 * - A mirror or a store can reject with another error, such as an error of its database or object store.
 * - These methods reject with the error of your own function: `dispatch` of a webhook receiver (a handler), `waitFor`
 * (`until`), and `backfill` and `verify` of a mirror (`onProgress`).
 *
 * `name` and `code` are stable. `message`, `toString()`, `util.inspect()` and `toJSON()` never contain a secret, a
 * token or a patient's detail.
 */
export class PathologyError extends Error {
  /** The name of the error's class. It is stable even if a bundler renames the class. */
  override readonly name: PathologyErrorName = 'PathologyError'
  /** A stable, machine-readable code of the service or of this package; `undefined` if the error has none. */
  // With plain `string`, editors would not suggest the known codes of a union of errors.
  readonly code: (string & {}) | undefined
  /**
   * `true`: you may repeat the same call, now or later, and it can succeed. An order with your own `orderKey` is then
   * not placed twice, unless you set the client option `resendAfter`. If the client or its `dispatcher` is closed, only
   * a new client can repeat the call. `false`: a repetition would fail again, or could carry out the request twice.
   */
  readonly retryable: boolean
  /** The time to wait before the call is repeated, in milliseconds, where it is known. */
  declare readonly retryAfter?: number | undefined

  /** `message` and `code` are shown and logged: they must not contain secret or personal data. */
  constructor(message: string, options: PathologyErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
    this.retryable = options.retryable === true
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter
    hide(this, { [brand]: true })
  }

  /** Returns the properties that are safe to log: name, code, message, `retryable`, `retryAfter` and the subclass's. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, retryable, retryAfter } = this
    return {
      name,
      ...(code === undefined ? {} : { code }),
      message,
      retryable,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }
  }
}

/**
 * Returns `true` when a thrown value is an error of this package. Also works with two installed copies of the package,
 * where `instanceof` fails.
 *
 * @param error - Any thrown value.
 * @param code - The required `code` of the error. Without it, any code matches.
 */
export function isPathologyError(error: unknown, code?: string): error is PathologyError {
  if (typeof error !== 'object' || error === null) return false
  return brand in error && (code === undefined || ('code' in error && error.code === code))
}

const ERROR_NAME = /^[A-Z][A-Za-z]{0,60}(?:Error|Exception)$/

/**
 * Returns an error's name if it has the form of a class name, otherwise `Error`. Any other text could be personal
 * data.
 */
export function safeErrorName(error: Error): string {
  return ERROR_NAME.test(error.name) ? error.name : 'Error'
}

/** Adds properties that `util.inspect` and `JSON.stringify` do not show. */
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

/**
 * An invalid option or environment. The call changed nothing at the service: it sent no request, or only requests that
 * read. The message names the option and its rule. With the code `MODULE_LOAD_FAILED`, a module of this package or of a
 * dependency failed to load, and `cause` has the reason.
 */
export class ConfigurationError extends PathologyError {
  override readonly name = 'ConfigurationError'
}

/**
 * Makes the stack trace of an error start at the caller of `thrower`, and returns the error. Pass only an error that
 * this call has created, and a function that is running. Node shows ten lines of a trace: without the functions that
 * created the error, the lines of the user's program are among them.
 */
export function withTraceOf<T>(thrower: (...parameters: never[]) => unknown, error: T): T {
  if (error instanceof Error) Error.captureStackTrace?.(error, thrower)
  return error
}

/** Does nothing. Used as the handler of a rejection or an event that other code handles. */
export function ignore(): void {
  // Intentionally empty.
}

/** Name of the method that Node's `util.inspect` and `console.log` call to format an object. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom')
