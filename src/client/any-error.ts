import { isPathologyError as isOurs, type PathologyError } from '../common/errors.js'
import type {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './errors/api-errors.js'
import type {
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  OrderLedgerError,
  PathologyErrorCode,
  TimeoutError,
  TokenError,
} from './errors/errors.js'
import type { OrderOutcomeUnknownError, ReferralFailedError } from './orders/order-errors.js'

/**
 * Every error of this package. `switch (error.name)` narrows it, also across copies of the package. Errors of
 * calls, except `ConfigurationError`, have `outcome` and `attempts`: `'outcome' in error` narrows to these errors.
 */
export type AnyPathologyError =
  | BadRequestError
  | AuthenticationError
  | PermissionError
  | NotFoundError
  | ConflictError
  | RateLimitError
  | ServerError
  | (ApiError & { readonly name: 'ApiError' })
  | InvalidRequestError
  | TokenError
  | ConnectionError
  | TimeoutError
  | InvalidResponseError
  | ReferralFailedError
  | OrderLedgerError
  | OrderOutcomeUnknownError
  | ConfigurationError
  | (PathologyError & { readonly name: 'PathologyError' | 'WebhookVerificationError' })

/**
 * Returns `true` for an error of this package, also when two copies are installed and `instanceof` fails.
 *
 * @param error - Any thrown value.
 * @param code - Required `code` of the error, such as `REFERRAL_NOT_FOUND`. Default: any.
 *
 * @example
 * ```ts
 * if (isPathologyError(error, 'PROVIDER_NUMBER_IN_USE')) console.log(error.code)
 * ```
 */
export function isPathologyError<const Code extends PathologyErrorCode>(
  error: unknown,
  code: Code,
): error is AnyPathologyError & {
  /** The required code. */
  readonly code: Code
}
/** Returns `true` for an error of this package, with any code if `code` is `undefined`. */
export function isPathologyError(error: unknown, code?: PathologyErrorCode): error is AnyPathologyError
export function isPathologyError(error: unknown, code?: PathologyErrorCode): error is AnyPathologyError {
  return isOurs(error, code)
}
