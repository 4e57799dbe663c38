import type { Clock } from '../../common/clock.js'
import type { Logger } from '../../common/logger.js'
import type { EventOf, WebhookEvent } from '../../contract/events.js'
import type { WebhookSecrets } from '../secrets.js'
import type { DedupeStore } from './dedupe.js'
import type { WebhookOutcome } from './outcomes.js'

/** What a handler is told besides the event. */
export interface WebhookContext {
  /**
   * Aborts when the deadline passes. By then the delivery was answered with an error and comes again, so a
   * handler should stop what it can. One that finishes all the same before it comes again is not run again; one that
   * goes on for longer runs beside its repeat, and beside later events of the same referral or result. Deliveries that
   * waited for their turn at the deadline do not begin: they are answered with 409 and come again.
   */
  readonly signal: AbortSignal
  /** When the service says it sent this delivery. The signature does not cover it: advice only. */
  readonly deliveredAt: Date | undefined
  /**
   * How often this event has failed already, as far as this process knows; in `dispatch`, what its option `failures`
   * says. A handler can put a hopeless one aside and return.
   */
  readonly previousFailures: number
}

/** What `dispatch` hands on to the handler. */
export interface DispatchOptions {
  /**
   * Before the handler begins, ends the wait for its turn: `dispatch` rejects with the signal's reason. Afterwards it is the
   * handler's to heed, and `dispatch` waits for the handler.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * How often your queue has tried this event before.
   * @defaultValue 0
   */
  readonly previousFailures?: number | undefined
}

/**
 * Deals with an event. What it returns is awaited; when that rejects or throws, the delivery is answered with
 * an error and the service sends it again.
 *
 * An event is a signal, possibly an old one: fetch the current state by the REST endpoints (§1). The same
 * event can reach a handler twice, so handling it twice must do no harm.
 */
export type WebhookHandler<Event extends WebhookEvent = WebhookEvent> = (
  event: Event,
  context: WebhookContext,
) => unknown

/** Handlers by event name; each gets its own event's type (§6). */
export interface WebhookHandlers {
  /** An order has been taken; `referral.issued` follows, or what hinders it. */
  readonly 'referral.created'?: WebhookHandler<EventOf<'referral.created'>> | undefined
  /** Its details were changed; a new PDF is on its way. */
  readonly 'referral.updated'?: WebhookHandler<EventOf<'referral.updated'>> | undefined
  /** The billing of the order could not be completed: settle that and order again. */
  readonly 'referral.billing_failed'?: WebhookHandler<EventOf<'referral.billing_failed'>> | undefined
  /** The patient's profile must be verified before the referral is issued. */
  readonly 'referral.pending_verification'?:
    | WebhookHandler<EventOf<'referral.pending_verification'>>
    | undefined
  /** All its results have been returned. */
  readonly 'referral.complete'?: WebhookHandler<EventOf<'referral.complete'>> | undefined
  /** Its status became INSUFFICIENT_DATA. */
  readonly 'referral.insufficient_data'?: WebhookHandler<EventOf<'referral.insufficient_data'>> | undefined
  /** It was refunded. */
  readonly 'referral.refunded'?: WebhookHandler<EventOf<'referral.refunded'>> | undefined
  /** A test failed: a new referral is required. */
  readonly 'referral.failed_test'?: WebhookHandler<EventOf<'referral.failed_test'>> | undefined
  /** Some of its results have been returned. Comes again with each further part. */
  readonly 'referral.partial_results'?: WebhookHandler<EventOf<'referral.partial_results'>> | undefined
  /** It was moved to another person. */
  readonly 'referral.transferred'?: WebhookHandler<EventOf<'referral.transferred'>> | undefined
  /** It is issued: its PDF can be fetched. */
  readonly 'referral.issued'?: WebhookHandler<EventOf<'referral.issued'>> | undefined
  /** A new PDF is being made; `referral.issued` follows. */
  readonly 'referral.scheduled_reissue'?: WebhookHandler<EventOf<'referral.scheduled_reissue'>> | undefined
  /** There is a result, not necessarily with values yet. */
  readonly 'result.created'?: WebhookHandler<EventOf<'result.created'>> | undefined
  /** A result has changed: fetch it again. */
  readonly 'result.updated'?: WebhookHandler<EventOf<'result.updated'>> | undefined
  /** All its values have been returned. */
  readonly 'result.complete'?: WebhookHandler<EventOf<'result.complete'>> | undefined
  /** It is held for your organisation's review until it is released. */
  readonly 'result.in_review'?: WebhookHandler<EventOf<'result.in_review'>> | undefined
  /** Some of its values have been returned. Comes again with each further part. */
  readonly 'result.partial_results'?: WebhookHandler<EventOf<'result.partial_results'>> | undefined
  /** A refresh changed the directory of collection centres: walk `client.centres.changes`. */
  readonly 'collection_centres.updated'?: WebhookHandler<EventOf<'collection_centres.updated'>> | undefined
  /** Every event that has no handler of its own, events this version does not know included. */
  readonly '*'?: WebhookHandler | undefined
}

/** What `onError` is told besides the error. */
export interface WebhookErrorInfo {
  /** How the delivery ended. */
  readonly outcome: WebhookOutcome
  /** The HTTP status that the delivery was answered with; `undefined` when the failure changed no answer. */
  readonly status: number | undefined
  /** The event; `undefined` when the delivery could not be verified, or the failure is the store's alone. */
  readonly event: WebhookEvent | undefined
}

/** How to set up a receiver of webhook deliveries. */
export interface WebhookReceiverOptions {
  /** The organisation's signing secret; several while one replaces another. */
  readonly secret: WebhookSecrets
  /**
   * Handlers by event name, `'*'` for all others. Required in mode `inline`. A name may be unknown to this version, which
   * the logger is warned of; one that is no `entity.event`, or a known one in another case, is refused.
   */
  readonly on?: WebhookHandlers | undefined
  /**
   * When a delivery counts as received.
   *
   * - `inline`: when the handler has finished.
   * - `enqueue`: when `enqueue` has taken the event. Run the handlers from your worker with `dispatch`.
   * @defaultValue `'enqueue'` when `enqueue` is given, else `'inline'`
   */
  readonly mode?: 'inline' | 'enqueue' | undefined
  /** Puts every verified event in your queue; the delivery is acknowledged once its promise resolves. */
  readonly enqueue?: WebhookHandler | undefined
  /**
   * Where events that were dealt with are remembered; `false` lets duplicates through.
   * @defaultValue `memoryDedupeStore()`, which knows only this process
   */
  readonly dedupe?: DedupeStore | false | undefined
  /**
   * Milliseconds an event is remembered.
   * @defaultValue 86,400,000 (24 hours)
   */
  readonly dedupeTtl?: number | undefined
  /**
   * Milliseconds from the request's start to its answer at the latest, body included. The service waits 3,000 (§6).
   * @defaultValue 2,500
   */
  readonly timeout?: number | undefined
  /**
   * Bytes of the largest body. The service sends up to about 250 KB (§8).
   * @defaultValue 1,048,576 (1 MiB)
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * Told of each event whose name this version does not know, at its delivery, or in `dispatch` where the receiver has no
   * `enqueue`. It is acknowledged in any case.
   */
  readonly onUnknown?: ((event: WebhookEvent) => unknown) | undefined
  /** Told of each delivery that failed, and of failures of the de-duplication store. */
  readonly onError?: ((error: unknown, info: WebhookErrorInfo) => unknown) | undefined
  /** Where failures are logged; console, pino and winston fit. No body, no secret, no text of others' errors. */
  readonly logger?: Logger | undefined
  /** Time and timers, for tests. */
  readonly clock?: Clock | undefined
}
