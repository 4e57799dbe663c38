/**
 * Client of the service: orders, results, centres, providers and webhook subscriptions.
 *
 * @module pathology-sdk
 */

export type { Clock } from '../common/clock.js'
export { type Outcome, PathologyError, type PathologyErrorName } from '../common/errors.js'
export type { Logger } from '../common/logger.js'
export type { KnownErrorCode } from '../contract/error-codes.js'
export type { EventName } from '../contract/events.js'
export type { RequestIssue } from '../contract/issues.js'
export type { SignatureInput } from '../contract/signature-image.js'
export type {
  Address,
  AddressInput,
  Biomarker,
  Bundle,
  BundleListQuery,
  CatalogueBiomarker,
  CollectionCentre,
  DeletedWebhook,
  ListQuery,
  Order,
  OrderingPractitioner,
  Person,
  Price,
  PriceRequest,
  Provider,
  ProviderConnection,
  ProviderSave,
  ProviderUpdate,
  Referral,
  ReferralPatch,
  Result,
  RetiredProvider,
  Routing,
  RoutingRequest,
  Test,
  TestListQuery,
  Vendor,
  Webhook,
  WebhookCreate,
  WebhookUpdate,
} from '../contract/types.js'
export type { ApiVersion } from '../contract/versions.js'
export { type AnyPathologyError, isPathologyError } from './any-error.js'
export {
  type EncryptedTokenStoreOptions,
  encryptedTokenStore,
} from './auth/encrypted-token-store.js'
export type { ReleaseTokenLock, TokenLock, TokenStore } from './auth/token-store.js'
export type { ApiPromise, ResponseInfo, WithResponse } from './call/api-promise.js'
export { DIAGNOSTICS_CHANNEL, type RequestEvent } from './call/diagnostics.js'
export type { RequestContents } from './call/raw-request.js'
export type { RequestOptions } from './call/request-options.js'
export type { ResponseValidation } from './call/response.js'
export { PathologyClient } from './client.js'
export type { PdfDocument } from './documents/document.js'
export type {
  DocumentOptions,
  SaveOptions,
  SendOptions,
} from './documents/document-options.js'
export type { DocumentPromise } from './documents/document-promise.js'
export type { DocumentTarget } from './documents/output.js'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './errors/api-errors.js'
export {
  ConfigurationError,
  ConnectionError,
  type ConnectionReason,
  InvalidRequestError,
  InvalidResponseError,
  type InvalidResponseReason,
  OrderLedgerError,
  type PathologyErrorCode,
  TimeoutError,
  TokenError,
} from './errors/errors.js'
export type { LedgerEntry, LedgerListOptions } from './ledger/ledger-entries.js'
export { memoryOrderLedger } from './ledger/memory-order-ledger.js'
export type {
  LedgerClaim,
  LedgerNames,
  ManagedOrderLedger,
  OrderClaimRequest,
  OrderFingerprint,
  OrderFingerprintKey,
  OrderLedger,
  OrderMarkRequest,
  OrderName,
  OrderResolution,
} from './ledger/order-ledger.js'
export type { ClientOptions } from './options.js'
export {
  isMedicareReferral,
  ORDER_KEY_FIELD,
  type OrderOptions,
  orderKeyOf,
  type PlacedOrder,
  type ReferralEvent,
} from './orders/order.js'
export { OrderOutcomeUnknownError, ReferralFailedError } from './orders/order-errors.js'
export type { FindOptions } from './orders/orders.js'
export type { ValidateOptions } from './orders/validate-order.js'
export type { CursorIterator, Page, Pages } from './pagination/cursor-iterator.js'
export type { PaginationOptions, TimeRange } from './pagination/list.js'
export { type QueueDecision, queueDecision } from './queue-decision.js'
export { VERSION } from './resolve-options.js'
export type { Biomarkers, Bundles, Prices, Tests, Vendors } from './resources/catalogue.js'
export type {
  BoxFilter,
  CentreChange,
  CentreChanges,
  CentreFilters,
  Centres,
  NearbyCentre,
  PlainCentreFilters,
  PointFilter,
} from './resources/centres.js'
export type { Providers } from './resources/providers.js'
export type { Referrals } from './resources/referrals.js'
export type { Results } from './resources/results.js'
export type { WaitOptions } from './resources/wait-for.js'
export type { Webhooks } from './resources/webhooks.js'
export type { FetchLike } from './transport/fetch.js'
