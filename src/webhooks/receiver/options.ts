import type { Clock } from '../../common/clock.js'
import type { Logger } from '../../common/logger.js'
import type { EventOf, KnownEventName, WebhookEvent } from '../../contract/events.js'
import type { WebhookSecrets } from '../secrets.js'
import type { WebhookDedupe } from './dedupe.js'
import type { WebhookOutcome } from './outcomes.js'

/** What a handler is told besides the event. */
export interface WebhookContext {
  /**
   * Aborts when the deadline passes. By then the delivery was answered with an error and comes again, so a
   * handler should stop what it can. One that finishes all the same before it comes again is not run again; one that
   * goes on for longer runs beside its repeat, and beside later events of the same referral or result.
   */
  readonly signal: AbortSignal
  /** When the service says it sent this delivery. The signature does not cover it: advice only. */
  readonly deliveredAt: Date | undefined
  /**
   * How often this event has failed already, as far as this process knows; in `dispatch`, what its option `failures`
   * says. A handler can put a hopeless one aside and return.
   */
  readonly failures: number
}

/** What `dispatch` hands on to the handler. */
export interface DispatchOptions {
  /** Ends the handler's work, as far as it heeds it; `dispatch` itself goes on waiting for the handler. */
  readonly signal?: AbortSignal | undefined
  /**
   * How often your queue has tried this event before.
   * @defaultValue 0
   */
  readonly failures?: number | undefined
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

/** Handlers by event name; each gets its own event's type. */
export type WebhookHandlers = {
  readonly [Name in KnownEventName]?: WebhookHandler<EventOf<Name>> | undefined
} & {
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
   * Handlers by event name, `'*'` for all others. Required in mode `inline`. A name may be unknown to this version; one
   * that is no `entity.event`, or a known one in another case, is refused.
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
   * @defaultValue `memoryDedupe()`, which knows only this process
   */
  readonly dedupe?: WebhookDedupe | false | undefined
  /**
   * Milliseconds an event is remembered.
   * @defaultValue 86,400,000 (24 hours)
   */
  readonly dedupeTtl?: number | undefined
  /**
   * Milliseconds from the request's start to its answer at the latest, body included. The service waits 3,000 (§6).
   * @defaultValue 2,500
   */
  readonly deadline?: number | undefined
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
