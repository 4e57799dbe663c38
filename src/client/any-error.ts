import { isPathologyError as isOurs, type PathologyError } from '../common/errors.js'
import type { KnownErrorCode, KnownTokenErrorCode } from '../contract/error-codes.js'
import type { OpenEnum } from '../contract/open.js'
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
  ConnectionReason,
  InvalidRequestError,
  InvalidResponseError,
  InvalidResponseReason,
  TimeoutError,
  TokenError,
} from './errors/errors.js'
import type { OrderOutcomeUnknownError } from './orders/order-outcome-error.js'

/**
 * Every error of this package, to be told apart by `name`: `switch (error.name)` narrows, whichever copy of the package
 * made it. Those of calls have `outcome` and `attempts`: `'outcome' in error` narrows to them.
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
  | OrderOutcomeUnknownError
  | ConfigurationError
  | (PathologyError & { readonly name: 'PathologyError' | 'WebhookVerificationError' })

type ConstantCase<Words extends string> = Words extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${ConstantCase<Tail>}`
  : Uppercase<Words>

/** An error's `code`: those known to this version complete in an editor, and any other string is accepted. */
export type PathologyErrorCode = OpenEnum<
  | KnownErrorCode
  | KnownTokenErrorCode
  | `CONNECTION_${ConstantCase<ConnectionReason>}`
  | `RESPONSE_${ConstantCase<InvalidResponseReason>}`
  | 'TIMEOUT'
  | 'ORDER_KEY_IN_USE'
  | 'ORDER_OUTCOME_UNKNOWN'
  | 'MODULE_LOAD_FAILED'
>

/**
 * Tells an error of this package from any other, also when two copies of the package are installed
 * and `instanceof` fails.
 *
 * @param error - Anything that was thrown.
 * @param code - When given, the error's `code` must equal it.
 */
export function isPathologyError(error: unknown, code?: PathologyErrorCode): error is AnyPathologyError {
  return isOurs(error, code)
}
