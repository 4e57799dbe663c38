import type { SortOrder } from '../../contract/enums.js'

/** Outcome of a new order. `billing-failed` applies to the commercial referral only: Medicare tests are not billed. */
export type OrderOutcome = 'accepted' | 'pending-verification' | 'billing-failed'

/**
 * Time at which the fake changes a referral's status without a request. An initial referral keeps its status until a
 * request or a control method changes the status.
 *
 * - `immediate`: directly after the request or the control method that caused the change. The response still shows the
 *   old status.
 * - `{ afterMs }`: after this many milliseconds on the fake's clock.
 * - `{ afterReads }`: after `GET /v1/referrals/{uuid}` has returned the referral this many times in its old status.
 * - `manual`: never; call a control method instead.
 */
export type TransitionTiming =
  | 'immediate'
  | 'manual'
  | {
      /** Milliseconds on the fake's clock. */
      readonly afterMs: number
    }
  | {
      /** Number of times the referral is retrieved in its old status. */
      readonly afterReads: number
    }

/** Options about referrals, results, documents and webhooks, with defaults applied. */
export interface OrdersOptions {
  /**
   * Number of initial orders with their results, 0 to 200,000. One order in eight belongs to another organisation. For
   * every nine orders, there is also an INCOMING result. Default 60.
   */
  readonly seedReferrals: number
  /**
   * Shape of the response to an order. The service's documentation contradicts itself about this shape.
   *
   * - `documented` (default): a list in version 1.1.0, one object in version 1.0.0.
   * - `medicare-only`: a list only for an order with `medicareTests`.
   * - `object-when-one`: a list only for two referrals.
   */
  readonly createShape: 'documented' | 'medicare-only' | 'object-when-one'
  /** Status of an accepted order in the response. Default `CREATED`: the client has to wait for the status ISSUED. */
  readonly createdStatus: 'CREATED' | 'ISSUED'
  /** Outcome of orders, unless `referrals.nextOrders()` sets another outcome. Default `accepted`. */
  readonly orderOutcome: OrderOutcome
  /** Time at which a CREATED referral is issued. Has no effect with `createdStatus: 'ISSUED'`. Default `immediate`. */
  readonly issueTiming: TransitionTiming
  /** Time at which a SCHEDULED_REISSUE referral is issued again. Default `immediate`. */
  readonly reissueTiming: TransitionTiming
  /**
   * Time at which a PENDING_VERIFICATION referral is verified. Default `manual`, because a person completes the
   * profile.
   */
  readonly verifyTiming: TransitionTiming
  /** Error code for a ten-digit Medicare card (without its IRN) with `medicareTests`. Default `INVALID_PAYLOAD`. */
  readonly shortMedicareCardCode: 'INVALID_PAYLOAD' | 'INVALID_MEDICARE_NUMBER'
  /** Name of the field that marks a Medicare referral. Default `medicare`; `bulkBilled` is an older name. */
  readonly medicareFieldName: 'medicare' | 'bulkBilled'
  /**
   * Visibility of deleted referrals. The service does not document it.
   *
   * - `shown` (default): a deleted referral can still be retrieved, listed and deleted again. An update, or a request
   *   for dummy results, fails with INVALID_STATUS.
   * - `gone`: no list shows a deleted referral, and the response to a request with its UUID is REFERRAL_NOT_FOUND.
   */
  readonly deletedReferrals: 'shown' | 'gone'
  /**
   * Effect of a request for dummy results of a COMPLETE referral. The service does not document this effect. Default
   * `regenerate`: new values replace the generated values. `reject`: the request fails with INVALID_STATUS.
   */
  readonly repeatedResults: 'regenerate' | 'reject'
  /**
   * `true`: an ORDERED result is held for review when a part of it or a correction arrives, until `results.release()`.
   * The initial results are not held. Default `false`.
   */
  readonly reviewHold: boolean
  /**
   * Contents of a held result: with or without its biomarkers, report and PDF. The service does not document this.
   * Default `shown`, so that tests find a client that does not check the status.
   */
  readonly heldResults: 'shown' | 'withheld'
  /**
   * Wrapper of the result list. The service does not document it. Default `keyed`: an object with the list under
   * `results`. `data`: under `data`.
   */
  readonly resultListWrapper: 'keyed' | 'data'
  /** Order of `GET /v1/results` without `sort`. The service does not document it. Default `asc`, as for referrals. */
  readonly resultSortDefault: SortOrder
  /**
   * Payload of the events whose payload is not documented. Default `as-documented`: the fields of the documented
   * events. `uuid-only`: only the UUID, to find code that relies on the other fields.
   */
  readonly undocumentedPayloads: 'as-documented' | 'uuid-only'
  /** Lifetime of a signed document URL, in milliseconds on the fake's clock. Default 15 minutes. */
  readonly documentUrlLifetimeMs: number
  /** HTTP status of the response to a request for a deleted document. Default 410. */
  readonly deletedDocumentStatus: 404 | 410
  /** Secret that signs deliveries. Default `fake-signing-secret`. */
  readonly signingSecret: string
  /**
   * URL of an initial webhook that is subscribed to every event: https with a public host, or http or https with a
   * loopback host. Default none.
   */
  readonly webhookUrl: string | undefined
  /** `false`: the fake queues and signs deliveries, but does not send them, and every attempt fails. Default `true`. */
  readonly sendWebhooks: boolean
  /** Time limit for a receiver's response, in milliseconds of real time. Default 3000. */
  readonly webhookTimeoutMs: number
  /**
   * Time of a retry: N squared minutes after the failed attempt N. Default `from-first-attempt`: exactly at this time,
   * so that a test can compute the time from the first attempt. `whole-minutes`: this time, rounded up to a full minute
   * of the clock.
   */
  readonly deliveryPickUp: 'from-first-attempt' | 'whole-minutes'
  /**
   * Handling of deliveries that are queued when a webhook is paused. The service documents only that a paused webhook
   * receives nothing. Default `sent`: the pause stops only new events, as a delete does. `dropped`: a delivery fails
   * without a further attempt if its attempt is due while the webhook is paused. Resent deliveries are always sent.
   */
  readonly pausedDeliveries: 'sent' | 'dropped'
  /**
   * Accepts loopback URLs, with http or https, as webhook URLs for receivers in tests. Default `false`, as on the
   * service.
   */
  readonly allowLoopbackWebhooks: boolean
}
