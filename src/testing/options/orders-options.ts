import type { OrderOutcome } from '../state/orders.js'

/**
 * When the service makes a move by itself.
 *
 * - `immediate`: right after the answer to the request that caused it.
 * - `{ afterMs }`: so many milliseconds later on the fake's clock.
 * - `{ afterReads }`: after the referral has been retrieved so many times in its old status.
 * - `manual`: never; a method of the fake does it.
 */
export type TransitionTiming =
  | 'immediate'
  | 'manual'
  | {
      /** Milliseconds on the fake's clock. */
      readonly afterMs: number
    }
  | {
      /** How many times the referral is retrieved in its old status. */
      readonly afterReads: number
    }

/** The fake's options about referrals, results and webhooks, all with a value. */
export interface OrdersOptions {
  /** How many orders there are at the start, both organisations together, with their results. Default 60. */
  readonly seedReferrals: number
  /**
   * How the answer to an order is shaped.
   *
   * - `documented`: a list under version 1.1.0, one object under 1.0.0, as §9 says. The default: §9 is the later
   *   and plainer statement, and a client that reads it reads the others too.
   * - `medicare-only`: a list only when `medicareTests` was present, as §4.1 says.
   * - `object-when-one`: a list only when there are two referrals.
   */
  readonly createShape: 'documented' | 'medicare-only' | 'object-when-one'
  /** What the answer to an order shows; §3.1 allows either. Default `CREATED`: it shows what a client must wait for. */
  readonly createdStatus: 'CREATED' | 'ISSUED'
  /** How orders end when `referrals.nextOrders()` said nothing (§3.1). Default `accepted`. */
  readonly orderOutcome: OrderOutcome
  /** When a CREATED referral is issued (§3.1). Default `immediate`: tests need not wait. */
  readonly issueTiming: TransitionTiming
  /** When a SCHEDULED_REISSUE referral is issued again (§3.1). Default `immediate`. */
  readonly reissueTiming: TransitionTiming
  /** When a PENDING_VERIFICATION referral is verified (§3.1). Default `manual`: a person completes the profile. */
  readonly verifyTiming: TransitionTiming
  /**
   * The code for a ten-digit card with `medicareTests`. Default `INVALID_PAYLOAD`, as §4.1 rule 7 says; §7 names
   * a card that lacks the IRN under the other.
   */
  readonly shortMedicareCardCode: 'INVALID_PAYLOAD' | 'INVALID_MEDICARE_NUMBER'
  /** The field that tells a Medicare referral. Default `medicare`; an older description has the other (§2.4). */
  readonly medicareFieldName: 'medicare' | 'bulkBilled'
  /**
   * What becomes of a deleted referral, which the specification shows only in the answer to the delete.
   *
   * - `shown`, the default, because §2.4 describes `referralAttachment` and `deletedAt` of deleted referrals: it is
   *   read, listed and deleted again as before; an update or dummy results give INVALID_STATUS.
   * - `gone`: no list shows it, and every endpoint answers REFERRAL_NOT_FOUND.
   */
  readonly deletedReferrals: 'shown' | 'gone'
  /**
   * Whether dummy results may be generated for a referral that is COMPLETE already (§4.1 does not say). Default
   * `regenerate`: new values replace the old. `refuse` gives INVALID_STATUS.
   */
  readonly repeatedResults: 'regenerate' | 'refuse'
  /** Whether ORDERED results are held in review until released; §6 says that some organisations' are. Default `false`. */
  readonly reviewHold: boolean
  /**
   * What a held result shows of its biomarkers, report and PDF, which §3.2 leaves open. Default `shown`: the hold
   * is the organisation's own, and a client must look at the status.
   */
  readonly heldResults: 'shown' | 'withheld'
  /** The wrapper of the result list, which §4.2 does not show. Default `keyed`: `results`, like the other lists. */
  readonly resultListWrapper: 'keyed' | 'data'
  /**
   * What events carry that §6 names without a table. Default `as-documented`: the fields of the events it does
   * show. `uuid-only` finds code that relies on them.
   */
  readonly undocumentedPayloads: 'as-documented' | 'uuid-only'
  /**
   * When a failed delivery is tried again. §6 says N squared minutes later, picked up once a minute. Default
   * `from-first-attempt`: the minutes count from the delivery's own first attempt, so a test knows the moment.
   * `whole-minutes`: at the next whole minute of the clock.
   */
  readonly deliveryPickUp: 'from-first-attempt' | 'whole-minutes'
  /** Accept loopback URLs, http and https, as webhook URLs, for receivers in tests (§4.6 refuses them). Default `false`. */
  readonly allowLoopbackWebhooks: boolean
  /** How many events, settled deliveries, emails and requests are kept; the newest stay. Default 1,000. */
  readonly journalLimit: number
}
