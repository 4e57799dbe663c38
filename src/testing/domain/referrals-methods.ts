import type { Person, Referral } from '../../contract/types.js'
import type { OrderOutcome } from '../options/orders-options.js'
import { anyValue, boolean, checkFields, integer } from '../server/value-rules.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow, SentEmail } from '../state/orders.js'
import { checkedReplacement } from './person-input.js'
import { planTransition } from './referrals-timing.js'
import {
  canTransition,
  leadsToDocument,
  REFERRAL_TRANSITIONS,
  type ReferralTransition,
  type ReferralTransitionName,
  transition,
} from './referrals-transitions.js'
import { referralView } from './referrals-view.js'
import { type ArrivalOptions, receiveResults } from './results-arrivals.js'

const OUTCOMES: readonly OrderOutcome[] = ['accepted', 'pending-verification', 'billing-failed']

/** The fake stores an entry for each queued outcome, so the number of outcomes in one call is limited. */
const TIMES = integer(1, 1_000_000)

function transitionMethod(name: ReferralTransitionName): (context: FakeContext, uuid: string) => Referral {
  return (context, uuid) => {
    const row = referralFor(context, uuid, name)
    transition(context, row, name)
    return referralView(context, row)
  }
}

const ARRIVAL_RULES = { values: anyValue, replace: boolean }

function arrivalMethod(
  name: 'partialResults' | 'complete',
): (context: FakeContext, uuid: string, options?: ArrivalOptions) => Referral {
  return (context, uuid, options = {}) => {
    checkFields(options, ARRIVAL_RULES, name)
    const row = referralFor(context, uuid, name)
    receiveResults(context, row, name, options)
    return referralView(context, row)
  }
}

/**
 * Control methods of referrals. A method for a transition (§3.1) takes a referral's UUID, sends the events, and returns
 * the changed referral. The method throws an Error if the referral does not exist, or if its status or deletion does
 * not permit the transition. It throws a RangeError for an invalid option, value or person.
 */
export const referralMethods = {
  /** Issues a CREATED or SCHEDULED_REISSUE referral and creates its PDF. The status becomes ISSUED. */
  issue: transitionMethod('issue'),
  /** Asks the patient of a CREATED referral to verify their profile. The status becomes PENDING_VERIFICATION. */
  pendingVerification: transitionMethod('pendingVerification'),
  /** Verifies the patient's profile of a PENDING_VERIFICATION referral. The status becomes ISSUED. */
  verify: transitionMethod('verify'),
  /** Fails the billing of a CREATED referral. The status becomes BILLING_FAILED. */
  failBilling: transitionMethod('failBilling'),
  /**
   * Delivers a part of the results of an ISSUED, PARTIAL_RESULTS or INSUFFICIENT_DATA referral. The status becomes
   * PARTIAL_RESULTS. `values` sets values by biomarker id, in standard units. `replace` discards the earlier messages
   * and generates new values. Values that you set earlier stay.
   */
  partialResults: arrivalMethod('partialResults'),
  /**
   * Delivers the remaining results of an ISSUED, PARTIAL_RESULTS or INSUFFICIENT_DATA referral. The status becomes
   * COMPLETE. `values` sets values by biomarker id, in standard units. `replace` discards the earlier messages and
   * generates new values. Values that you set earlier stay.
   */
  complete: arrivalMethod('complete'),
  /** Sets the status of an ISSUED or PARTIAL_RESULTS referral to INSUFFICIENT_DATA. Results can still arrive. */
  insufficientData: transitionMethod('insufficientData'),
  /**
   * Refunds a referral with the status PENDING_VERIFICATION, CREATED, ISSUED, SCHEDULED_REISSUE, INSUFFICIENT_DATA or
   * FAILED_TEST. The status becomes REFUNDED.
   */
  refund: transitionMethod('refund'),
  /**
   * Fails a test of an ISSUED or PARTIAL_RESULTS referral, so that a new referral is required. The status becomes
   * FAILED_TEST.
   */
  failTest: transitionMethod('failTest'),
  /**
   * Transfers a referral with the status PENDING_VERIFICATION, CREATED, ISSUED or SCHEDULED_REISSUE to another person.
   * The status becomes TRANSFERRED. `person` sets the fields in which the other person differs; other fields do not
   * change. An address replaces the complete address.
   */
  transfer(context: FakeContext, uuid: string, person: Partial<Person> = {}): Referral {
    const row = referralFor(context, uuid, 'transfer')
    row.person = { ...row.person, ...checkedReplacement(person) }
    transition(context, row, 'transfer')
    return referralView(context, row)
  },
  /**
   * Schedules a reissue of a CREATED or ISSUED referral, as after an update. The status becomes SCHEDULED_REISSUE. The
   * option `reissueTiming` sets the time of the reissue.
   */
  reissue(context: FakeContext, uuid: string): Referral {
    const row = referralFor(context, uuid, 'reissue')
    transition(context, row, 'reissue')
    planTransition(context, row, 'issue', context.options.reissueTiming)
    return referralView(context, row)
  },
  /**
   * Queues the outcome of the next `times` orders (default 1), after outcomes that are already queued. Later orders
   * have the outcome of the option `orderOutcome`. Throws a RangeError for an invalid outcome or number; the maximum is
   * 1,000,000.
   */
  nextOrders(context: FakeContext, outcome: OrderOutcome, times = 1): void {
    if (!OUTCOMES.includes(outcome)) throw new RangeError(`outcome must be one of ${OUTCOMES.join(', ')}`)
    if (!TIMES.accepts(times)) throw new RangeError(`times must be ${TIMES.words}`)
    const { nextOrderOutcomes } = context.state.orders
    for (let count = 0; count < times; count += 1) nextOrderOutcomes.push(outcome)
  },
  /**
   * Returns the emails that the service would have sent to patients, oldest first: one for each order, with every PDF.
   * The fake stores the newest `journalLimit` emails.
   */
  emails(context: FakeContext): SentEmail[] {
    return context.state.orders.emails
  },
  /** Returns a referral of any organisation. Throws an Error if the fake has no such referral. */
  retrieve(context: FakeContext, uuid: string): Referral {
    return referralView(context, anyReferral(context, uuid))
  },
  /** Returns every referral of the client's organisation, in order of creation. */
  all(context: FakeContext): Referral[] {
    return context.state.orders.referralLists.own.map((row) => referralView(context, row))
  },
  /** Returns every referral of another organisation. The API responds to their ids with REFERRAL_NOT_FOUND. */
  ofOtherOrganisation(context: FakeContext): Referral[] {
    return context.state.orders.referralLists.other.map((row) => referralView(context, row))
  },
} as const

function anyReferral(context: FakeContext, uuid: string): ReferralRow {
  const row = context.state.orders.referrals.get(uuid)
  if (row === undefined) throw new Error(`the fake has no referral ${uuid}`)
  return row
}

function referralFor(context: FakeContext, uuid: string, name: ReferralTransitionName): ReferralRow {
  const row = anyReferral(context, uuid)
  if (canTransition(row, name)) return row
  const { from, to }: ReferralTransition = REFERRAL_TRANSITIONS[name]
  const deleted = row.deletedAt === null ? '' : ' and deleted'
  const condition = deleted !== '' && leadsToDocument(name) ? ', and only if the referral is not deleted' : ''
  throw new Error(
    `referral ${uuid} is ${row.status}${deleted}: a transition to ${to} is possible only from ` +
      `${from.join(', ')}${condition}`,
  )
}
