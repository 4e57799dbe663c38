/**
 * The client of the service: orders, results, centres, providers, webhook subscriptions.
 *
 * @module pathology-sdk
 */

export type { Clock, Timer } from '../common/clock.js'
export { isPathologyError, type Outcome, PathologyError, type PathologyErrorName } from '../common/errors.js'
export type { Logger } from '../common/logger.js'
export * from '../contract/enums.js'
export {
  ERROR_CODES,
  isKnownErrorCode,
  isKnownTokenErrorCode,
  type KnownErrorCode,
  type KnownTokenErrorCode,
  TOKEN_ERROR_CODES,
} from '../contract/error-codes.js'
export {
  EVENT_NAMES,
  type EventName,
  isKnownEventName,
  type KnownEventName,
} from '../contract/events.js'
export * from '../contract/identifiers.js'
export type { RequestIssue } from '../contract/issues.js'
export type { Open } from '../contract/open.js'
export { type ReportLine, type ReportSource, reportLines, reportText } from '../contract/report-text.js'
export type { SignatureInput } from '../contract/signature-image.js'
export type * from '../contract/types.js'
export { API_VERSIONS, type ApiVersion } from '../contract/versions.js'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './api-errors.js'
export type { Answered, ApiPromise, ResponseInfo } from './api-promise.js'
export type { CentreChange, CentreChanges } from './centre-changes.js'
export type { BoxFilter, CentreFilters, PlainCentreFilters, PointFilter } from './centre-query.js'
export { PathologyClient } from './client.js'
export type { AppInfo, ClientOptions, RequestOptions, ResponseValidation } from './client-options.js'
export type { CursorIterator, Page } from './cursor-iterator.js'
export { REQUEST_CHANNEL, type RequestEvent } from './diagnostics.js'
export type { DocumentOptions, DocumentPromise, PdfDocument } from './document.js'
export {
  type EncryptedTokenStoreOptions,
  encryptedTokenStore,
  type TokenStoreKey,
} from './encrypted-token-store.js'
export {
  ConfigurationError,
  ConnectionError,
  type ConnectionReason,
  InvalidRequestError,
  ResponseError,
  type ResponseReason,
  TimeoutError,
  TokenError,
} from './errors.js'
export type { FetchLike } from './fetch-transport.js'
export type { WalkOptions } from './lists.js'
export { isMedicareReferral, ORDER_KEY_FIELD, orderKeyOf, type PlacedOrder } from './order.js'
export { OrderOutcomeUnknownError } from './order-outcome-error.js'
export type { OrderOptions } from './order-placing.js'
export type { Biomarkers, Bundles, Prices, Tests, Vendors } from './resources/catalogue.js'
export type { Centres, NearbyCentre } from './resources/centres.js'
export type { Providers, RoutingInput } from './resources/providers.js'
export type { Referrals } from './resources/referrals.js'
export type { Results } from './resources/results.js'
export type { Webhooks } from './resources/webhooks.js'
export type { ReleaseTokenLock, TokenLock } from './token-lock.js'
export type { TokenStore } from './token-store.js'
export type { WireHeaders } from './transport.js'
export { VERSION } from './version.js'
export type { WaitOptions } from './wait.js'
