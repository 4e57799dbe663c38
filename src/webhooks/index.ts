/**
 * Verifies webhook deliveries and receives them in any kind of server. This entry does not contain an HTTP client.
 *
 * @module pathology-sdk/webhooks
 */

export { ConfigurationError, isPathologyError, PathologyError } from '../common/errors.js'
export type { Logger } from '../common/logger.js'
export {
  type CentreChangeKinds,
  type CentreEventName,
  type CentresUpdatedData,
  DELIVERY_TIME_HEADER,
  EVENT_NAMES,
  EVENT_VERSION,
  type EventDataByName,
  type EventEnvelope,
  type EventName,
  type EventOf,
  type FullReferralEventData,
  type FullResultEventData,
  isKnownEventName,
  type KnownEvent,
  type KnownEventName,
  type ReferralEventData,
  type ReferralEventName,
  type ResultEventData,
  type ResultEventName,
  SIGNATURE_HEADER,
  type UnknownEvent,
  type UnknownEventData,
  type UnknownEventName,
  type WebhookEvent,
} from '../contract/events.js'
export type {
  FastifyLike,
  FastifyReceiver,
  FastifyReceiverOptions,
  FastifyReplyLike,
  FastifyRequestLike,
} from './adapters/fastify.js'
export type { FetchReceiver } from './adapters/fetch.js'
export type { LambdaReceiver, LambdaRequestEvent, LambdaResponse } from './adapters/lambda.js'
export type { NodeReceiver, NodeRequest, NodeResponse } from './adapters/node.js'
export { createWebhookReceiver, type WebhookReceiver, type WebhookRequest } from './create.js'
export type { RecordClient, RecordReader } from './receiver/current-record.js'
export {
  type DedupeStore,
  type MemoryDedupeStore,
  type MemoryDedupeStoreOptions,
  memoryDedupeStore,
} from './receiver/dedupe-store.js'
export type {
  DispatchOptions,
  ReferralHandler,
  ResultHandler,
  WebhookContext,
  WebhookErrorInfo,
  WebhookHandler,
  WebhookHandlers,
  WebhookReceiverOptions,
} from './receiver/options.js'
export type { WebhookOutcome, WebhookResponse } from './receiver/outcomes.js'
export { isKnownEvent, parseWebhookEvent } from './verification/envelope.js'
export { deliveryTime, type WebhookHeaders } from './verification/headers.js'
export type { RawBody } from './verification/raw-body.js'
export type { WebhookSecrets } from './verification/signature.js'
export {
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './verification/verification-error.js'
export { signWebhook, verifyWebhook, verifyWebhookSync } from './verification/verify.js'
