import type { Person, Referral } from '../../contract/types.js'
import type { FakeContext } from '../server/context.js'
import type { OrderOutcome, ReferralRow, SentEmail } from '../state/orders.js'
import { canMove, move, REFERRAL_MOVES, type ReferralMove, type ReferralMoveName } from './referrals-moves.js'
import { type ArrivalSettings, receiveResults } from './referrals-results.js'
import { planMove } from './referrals-timing.js'
import { referralView } from './referrals-view.js'

const OUTCOMES: readonly OrderOutcome[] = ['accepted', 'pending-verification', 'billing-failed']

/** A move by itself, with its event. */
function mover(name: ReferralMoveName): (context: FakeContext, uuid: string) => Referral {
  return (context, uuid) => {
    const row = movable(context, uuid, name)
    move(context, row, name)
    return referralView(context, row)
  }
}

function arrival(
  name: 'partialResults' | 'complete',
): (context: FakeContext, uuid: string, settings?: ArrivalSettings) => Referral {
  return (context, uuid, settings = {}) => {
    const row = movable(context, uuid, name)
    receiveResults(context, row, name, settings)
    return referralView(context, row)
  }
}

/**
 * Moves of a referral that the service or a laboratory makes (§3.1), each with its events. All take a referral's
 * UUID, answer the referral as it then is, and throw an Error that names the status when the move cannot be made.
 */
export const referralDrivers = {
  /** CREATED or SCHEDULED_REISSUE to ISSUED: the PDF is there. */
  issue: mover('issue'),
  /** CREATED to PENDING_VERIFICATION. */
  pendingVerification: mover('pendingVerification'),
  /** PENDING_VERIFICATION to ISSUED. */
  verify: mover('verify'),
  /** CREATED to BILLING_FAILED. */
  failBilling: mover('failBilling'),
  /** Some results, or some more, arrive: to PARTIAL_RESULTS. `values` reports values of your own by biomarker id. */
  partialResults: arrival('partialResults'),
  /** The remaining results arrive: to COMPLETE. `values` reports values of your own by biomarker id. */
  complete: arrival('complete'),
  /** To INSUFFICIENT_DATA; results may still follow. */
  insufficientData: mover('insufficientData'),
  /** To REFUNDED. */
  refund: mover('refund'),
  /** A test failed and a new referral is required: to FAILED_TEST. */
  failTest: mover('failTest'),
  /** To TRANSFERRED; `person` is whom it moved to, where that matters. */
  transfer(context: FakeContext, uuid: string, person: Partial<Person> = {}): Referral {
    const row = movable(context, uuid, 'transfer')
    row.person = { ...row.person, ...person }
    move(context, row, 'transfer')
    return referralView(context, row)
  },
  /** To SCHEDULED_REISSUE, as after an edit; the new PDF comes as `options.reissueTiming` says. */
  reissue(context: FakeContext, uuid: string): Referral {
    const row = movable(context, uuid, 'scheduleReissue')
    move(context, row, 'scheduleReissue')
    planMove(context, row, 'issue', context.options.reissueTiming)
    return referralView(context, row)
  },
  /** How the next orders end; those after them follow `options.orderOutcome` again. */
  nextOrders(context: FakeContext, outcome: OrderOutcome, times = 1): void {
    if (!OUTCOMES.includes(outcome)) throw new RangeError(`outcome must be one of ${OUTCOMES.join(', ')}`)
    if (!Number.isInteger(times) || times < 1) throw new RangeError('times must be a whole number from 1')
    const outcomes = Array.from({ length: times }, () => outcome)
    context.state.orders.nextOrderOutcomes.push(...outcomes)
  },
  /** The emails that patients would have got, oldest first: one an order, with the PDF of each referral. */
  emails(context: FakeContext): SentEmail[] {
    return context.state.orders.emails
  },
  /** A referral of either organisation, as the service would answer it. */
  retrieve(context: FakeContext, uuid: string): Referral {
    return referralView(context, anyReferral(context, uuid))
  },
  /** Every referral of the organisation behind the credentials, in order of creation. */
  all(context: FakeContext): Referral[] {
    return context.state.orders.referralLists.own.map((row) => referralView(context, row))
  },
  /** Every referral of the other organisation: the API finds none of them (§1). */
  ofOtherOrganisation(context: FakeContext): Referral[] {
    return context.state.orders.referralLists.other.map((row) => referralView(context, row))
  },
} as const

function anyReferral(context: FakeContext, uuid: string): ReferralRow {
  const row = context.state.orders.referrals.get(uuid)
  if (row === undefined) throw new Error(`the fake has no referral ${uuid}`)
  return row
}

function movable(context: FakeContext, uuid: string, name: ReferralMoveName): ReferralRow {
  const row = anyReferral(context, uuid)
  if (canMove(row, name)) return row
  const { from, to }: ReferralMove = REFERRAL_MOVES[name]
  const deleted = row.deletedAt === null ? '' : ' and deleted'
  throw new Error(
    `referral ${uuid} is ${row.status}${deleted}: it can become ${to} from ${from.join(', ')} only (§3.1)`,
  )
}
