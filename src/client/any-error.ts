import { isPathologyError as isOurs, type PathologyError } from '../common/errors.js'
import type { OpenEnum } from '../contract/enums.js'
import type { KnownErrorCode, KnownTokenErrorCode } from '../contract/error-codes.js'
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
  OrderLedgerError,
  ReferralFailedError,
  TimeoutError,
  TokenError,
} from './errors/errors.js'
import type { OrderOutcomeUnknownError } from './orders/order-outcome-error.js'

/**
 * Every error of this package. `switch (error.name)` narrows it, also across copies of the package. Errors of
 * calls have `outcome` and `attempts`: `'outcome' in error` narrows to them.
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

type ConstantCase<Words extends string> = Words extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${ConstantCase<Tail>}`
  : Uppercase<Words>

/** Code of an error. Editors complete the known codes; other strings are accepted. */
export type PathologyErrorCode = OpenEnum<
  | KnownErrorCode
  | KnownTokenErrorCode
  | `CONNECTION_${ConstantCase<ConnectionReason>}`
  | `RESPONSE_${ConstantCase<InvalidResponseReason>}`
  | 'TIMEOUT'
  | 'ORDER_KEY_IN_USE'
  | 'ORDER_LEDGER_FAILED'
  | 'ORDER_OUTCOME_UNKNOWN'
  | 'REFERRAL_FAILED'
  | 'MODULE_LOAD_FAILED'
>

/**
 * Returns `true` for an error of this package, also when two copies are installed and `instanceof` fails.
 *
 * @param error - Any thrown value.
 * @param code - Required `code` of the error. Default: any.
 */
export function isPathologyError(error: unknown, code?: PathologyErrorCode): error is AnyPathologyError {
  return isOurs(error, code)
}
