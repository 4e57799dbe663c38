import type { Clock } from '../../common/clock.js'
import type { Logger } from '../../common/logger.js'
import type {
  EventOf,
  ReferralEventName,
  ResultEventName,
  UnknownEvent,
  WebhookEvent,
} from '../../contract/events.js'
import type { Referral, Result } from '../../contract/types.js'
import type { WebhookSecrets } from '../verification/signature.js'
import type { RecordClient } from './current-record.js'
import type { DedupeStore } from './dedupe-store.js'
import type { WebhookOutcome } from './outcomes.js'

/** Second argument of a handler. `Current` is the type of the event's record. */
export interface WebhookContext<Current = Referral | Result | undefined> {
  /**
   * Signal to stop the handler. In a delivery, the signal aborts when the timeout expires. The receiver then responds
   * with an error, and the service sends the event again. In `dispatch`, this is the option `signal`; without this
   * option, a signal that never aborts.
   *
   * The handler may continue after the abort. If the handler succeeds before the next delivery of the event, that
   * delivery is a duplicate. With `dedupe: false`, the event is handled again. If the handler still runs at the next
   * delivery, the handler is called again, and both calls run concurrently. Later events of the same referral or result
   * do not wait for this handler. Events that were already waiting for this handler get a 409 and are not handled. The
   * service sends them again.
   */
  readonly signal: AbortSignal
  /**
   * Time of the delivery from its header; `undefined` without a valid header, and in `dispatch`. The signature does not
   * cover this header, so do not rely on the time.
   */
  readonly deliveredAt: Date | undefined
  /**
   * Number of previous failures of this event in this receiver since the process started; in `dispatch`, the option
   * `previousFailures`. After several failures, a handler can store the event for later analysis and return.
   */
  readonly previousFailures: number
  /**
   * Reads the current state of the event's referral or result, with the client in the option `client`. Resolves with
   * `undefined` for any other event. `signal` cancels the read.
   *
   * @throws {@link ConfigurationError} without the option `client`.
   * @throws {@link PathologyError} with the code `WEBHOOK_EVENT_WITHOUT_UUID` if the data of the event has no `uuid`.
   * @throws The errors of the client.
   */
  readonly retrieve: () => Promise<Current>
}

/** Options of `dispatch`. */
export interface DispatchOptions {
  /**
   * Cancels the wait for earlier events: `dispatch` rejects with the signal's reason. The handler gets the signal too.
   * Once the handler has started, `dispatch` waits for the handler.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Number of failed attempts of your queue for this event.
   * @defaultValue 0
   */
  readonly previousFailures?: number | undefined
}

/**
 * Handles an event. The returned promise is awaited. If the handler of a delivery throws or its promise rejects, the
 * receiver responds with an error. The service then sends the event again, up to 5 attempts in total. In `dispatch`,
 * the error rejects the promise of `dispatch` instead.
 *
 * An event is a signal and can be old: fetch the current state from the API. A handler can get the same event twice, so
 * it must be idempotent.
 */
export type WebhookHandler<
  Event extends WebhookEvent = WebhookEvent,
  Current = Referral | Result | undefined,
> = (event: Event, context: WebhookContext<Current>) => unknown

/** Handler of one event of referrals. */
export type ReferralHandler<Name extends ReferralEventName> = WebhookHandler<EventOf<Name>, Referral>

/** Handler of one event of results. */
export type ResultHandler<Name extends ResultEventName> = WebhookHandler<EventOf<Name>, Result>

/** Handlers by event name. Each handler gets the type of its event. */
export interface WebhookHandlers {
  /** An order was accepted. `referral.issued` follows, or an event that reports a problem. */
  readonly 'referral.created'?: ReferralHandler<'referral.created'> | undefined
  /** The referral's details were changed. A new PDF follows. */
  readonly 'referral.updated'?: ReferralHandler<'referral.updated'> | undefined
  /**
   * The billing of the order failed. Resolve the problem, then order again with a new `orderKey`: with the old key,
   * `create` returns the failed referrals.
   */
  readonly 'referral.billing_failed'?: ReferralHandler<'referral.billing_failed'> | undefined
  /** The patient's profile must be verified before the service issues the referral. */
  readonly 'referral.pending_verification'?: ReferralHandler<'referral.pending_verification'> | undefined
  /** All results of the referral are available. */
  readonly 'referral.complete'?: ReferralHandler<'referral.complete'> | undefined
  /** The referral's status is now `INSUFFICIENT_DATA`. */
  readonly 'referral.insufficient_data'?: ReferralHandler<'referral.insufficient_data'> | undefined
  /** The referral was refunded. */
  readonly 'referral.refunded'?: ReferralHandler<'referral.refunded'> | undefined
  /** A test of the referral failed. A new referral is required: order again with a new `orderKey`. */
  readonly 'referral.failed_test'?: ReferralHandler<'referral.failed_test'> | undefined
  /** Some results of the referral are available. The service may send this event again for further parts. */
  readonly 'referral.partial_results'?: ReferralHandler<'referral.partial_results'> | undefined
  /** The referral was moved to another person. */
  readonly 'referral.transferred'?: ReferralHandler<'referral.transferred'> | undefined
  /** The referral is issued: its PDF is available. */
  readonly 'referral.issued'?: ReferralHandler<'referral.issued'> | undefined
  /** The service will create a new PDF of the referral. `referral.issued` follows. */
  readonly 'referral.scheduled_reissue'?: ReferralHandler<'referral.scheduled_reissue'> | undefined
  /** A result was created. It may have no values yet. */
  readonly 'result.created'?: ResultHandler<'result.created'> | undefined
  /** A result was changed: fetch it again. */
  readonly 'result.updated'?: ResultHandler<'result.updated'> | undefined
  /** All values of the result are available. */
  readonly 'result.complete'?: ResultHandler<'result.complete'> | undefined
  /** The result waits for your organisation's review and release. */
  readonly 'result.in_review'?: ResultHandler<'result.in_review'> | undefined
  /** Some values of the result are available. The service may send this event again for further parts. */
  readonly 'result.partial_results'?: ResultHandler<'result.partial_results'> | undefined
  /** A refresh changed the directory of collection centres: update your copy with `client.centres.changes`. */
  readonly 'collection_centres.updated'?:
    | WebhookHandler<EventOf<'collection_centres.updated'>, undefined>
    | undefined
  /** Events of referrals without their own handler, including events unknown to this version. */
  readonly 'referral.*'?: WebhookHandler<EventOf<ReferralEventName> | UnknownEvent, Referral> | undefined
  /** Events of results without their own handler, including events unknown to this version. */
  readonly 'result.*'?: WebhookHandler<EventOf<ResultEventName> | UnknownEvent, Result> | undefined
  /** All events without a handler above, including events unknown to this version. */
  readonly '*'?: WebhookHandler | undefined
}

/** Second argument of `onError`. */
export interface WebhookErrorInfo {
  /** Outcome of the delivery. If `status` is `undefined`, always `store-unavailable`, because only the store failed. */
  readonly outcome: WebhookOutcome
  /** HTTP status of the response; `undefined` if the failure did not change a response. */
  readonly status: number | undefined
  /** The event; `undefined` if the delivery was not verified, or if `status` is `undefined`. */
  readonly event: WebhookEvent | undefined
}

/** Options of `createWebhookReceiver`. */
export interface WebhookReceiverOptions {
  /** The organisation's signing secret, or several during a change of secrets. */
  readonly secret: WebhookSecrets
  /**
   * Handlers by event name. `'referral.*'` and `'result.*'` handle the events of their kind that have no handler of
   * their own. `'*'` handles all other events. Mode `inline` requires at least one handler. A name unknown to this
   * version is accepted with a warning in the log.
   *
   * Two kinds of names throw {@link ConfigurationError}:
   *
   * - A name that is not `entity.event` in lower case.
   * - A name that is nearly a known name: one letter is missing, added or replaced, or two letters are swapped.
   */
  readonly on?: WebhookHandlers | undefined
  /**
   * Client for `context.retrieve()`: a `PathologyClient`, or an object with `referrals.retrieve` and
   * `results.retrieve`. The receiver uses this client for nothing else.
   */
  readonly client?: RecordClient | undefined
  /**
   * Condition for a response with the status 200.
   *
   * - `inline`: the handler has succeeded.
   * - `enqueue`: `enqueue` has accepted the event. Run the handlers from your worker with `dispatch`.
   * @defaultValue `'enqueue'` if `enqueue` is given, otherwise `'inline'`
   */
  readonly mode?: 'inline' | 'enqueue' | undefined
  /**
   * Adds each verified event to your queue, except duplicates. The receiver responds with 200 when the promise of
   * `enqueue` resolves. Required in mode `enqueue`, and rejected in mode `inline`.
   */
  readonly enqueue?: WebhookHandler | undefined
  /**
   * Store of handled events. Receivers with the same store and the same `name` handle each event once between them.
   * `false` disables the de-duplication.
   * @defaultValue `memoryDedupeStore()`, for one process
   */
  readonly dedupe?: DedupeStore | false | undefined
  /**
   * Name of this receiver in `dedupe`, for several webhooks that share a store: 1 to 40 letters, digits, `_`, `-` or
   * `.`. Each webhook gets the same event with the same UUID, so each needs a name of its own. The processes of one
   * webhook use the same name. The key in the store is then the name, a colon and the event's UUID. Not accepted with
   * `dedupe: false`.
   * @defaultValue no name: the key is the event's UUID
   */
  readonly name?: string | undefined
  /**
   * Time to live of a handled event in the store, in milliseconds.
   * @defaultValue 86,400,000 (24 hours)
   */
  readonly dedupeTtl?: number | undefined
  /**
   * Maximum time from the request to the response in milliseconds, including the body: 1 to 3,000. The service waits
   * 3,000 ms.
   * @defaultValue 2,500
   */
  readonly timeout?: number | undefined
  /**
   * Maximum size of the body in bytes. The service sends up to about 250 KB.
   * @defaultValue 1,048,576 (1 MiB)
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * Called with each event whose name is unknown to this version of the package. The receiver calls this function for
   * each delivery of the event, including duplicates, and in `dispatch` if the receiver has no `enqueue`. The function
   * does not affect the response.
   */
  readonly onUnknown?: ((event: WebhookEvent) => unknown) | undefined
  /**
   * Called for failures of the de-duplication store, and for each failed delivery, except those with the status 405.
   */
  readonly onError?: ((error: unknown, info: WebhookErrorInfo) => unknown) | undefined
  /**
   * Logger for failures, such as console, pino or winston. The logger never gets a body or a secret. For an error of
   * your own code, the logger gets the error's name and source location, but not its message.
   *
   * Without `logger` and `onError`, the receiver emits process warnings:
   * - for each failure of a handler, the queue, the store or the configuration
   * - for the first signature that does not match
   */
  readonly logger?: Logger | undefined
  /** Clock and timers for tests. */
  readonly clock?: Clock | undefined
}
