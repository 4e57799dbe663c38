/**
 * Verification of webhook deliveries, and a receiver for every kind of server. No HTTP client in it.
 *
 * @module pathology-sdk/webhooks
 */

export { ConfigurationError } from '../common/configuration-error.js'
export { isPathologyError, PathologyError } from '../common/errors.js'
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
export { deliveryTime } from './delivery-time.js'
export { parseWebhookEvent } from './envelope.js'
export type { WebhookHeaders } from './headers.js'
export { isKnownEvent } from './known-event.js'
export type { RawBody } from './raw-body.js'
export { createWebhookReceiver, type WebhookReceiver, type WebhookRequest } from './receiver/create.js'
export type { DedupeStore } from './receiver/dedupe.js'
export {
  type MemoryDedupeStore,
  type MemoryDedupeStoreOptions,
  memoryDedupeStore,
} from './receiver/memory-dedupe.js'
export type {
  DispatchOptions,
  WebhookContext,
  WebhookErrorInfo,
  WebhookHandler,
  WebhookHandlers,
  WebhookReceiverOptions,
} from './receiver/options.js'
export type { WebhookOutcome, WebhookResponse } from './receiver/outcomes.js'
export type { WebhookSecrets } from './secrets.js'
export { signWebhook } from './sign.js'
export { WebhookVerificationError } from './verification-error.js'
export type { WebhookVerificationReason } from './verification-reasons.js'
export { verifyWebhook, verifyWebhookSync } from './verify.js'
