import type { KnownReferralStatus } from '../../contract/enums.js'
import type { ReferralEventName } from '../../contract/events.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow } from '../state/orders.js'
import { emitReferralEvent } from './deliveries.js'
import { addToJournal } from './journals.js'

/** One transition of a referral (§3.1). */
export interface ReferralTransition {
  readonly from: readonly KnownReferralStatus[]
  readonly to: KnownReferralStatus
  readonly event: ReferralEventName
  /** `true` when the PDF exists after the transition; absent if the transition does not affect the PDF. */
  readonly document?: boolean
  /** `true` when the specification describes the transition. For other transitions, §3.1 lists only an event. */
  readonly isDocumented: boolean
}

/** Statuses of an issued referral that waits for results. Results can also arrive in INSUFFICIENT_DATA. */
const REPORTABLE = ['ISSUED', 'PARTIAL_RESULTS'] as const
const BEFORE_RESULTS = ['PENDING_VERIFICATION', 'CREATED', 'ISSUED', 'SCHEDULED_REISSUE'] as const

/** Statuses of referrals that wait for their PDF. */
const AWAITED = ['CREATED', 'PENDING_VERIFICATION', 'SCHEDULED_REISSUE'] as const

/** Every transition of a referral (§3.1), by the name of its control method. */
export const REFERRAL_TRANSITIONS = {
  issue: {
    from: ['CREATED', 'SCHEDULED_REISSUE'],
    to: 'ISSUED',
    event: 'referral.issued',
    document: true,
    isDocumented: true,
  },
  pendingVerification: {
    from: ['CREATED'],
    to: 'PENDING_VERIFICATION',
    event: 'referral.pending_verification',
    document: false,
    isDocumented: true,
  },
  verify: {
    from: ['PENDING_VERIFICATION'],
    to: 'ISSUED',
    event: 'referral.issued',
    document: true,
    isDocumented: true,
  },
  failBilling: {
    from: ['CREATED'],
    to: 'BILLING_FAILED',
    event: 'referral.billing_failed',
    document: false,
    isDocumented: true,
  },
  reissue: {
    from: ['CREATED', 'ISSUED'],
    to: 'SCHEDULED_REISSUE',
    event: 'referral.scheduled_reissue',
    document: false,
    isDocumented: true,
  },
  partialResults: {
    from: [...REPORTABLE, 'INSUFFICIENT_DATA'],
    to: 'PARTIAL_RESULTS',
    event: 'referral.partial_results',
    isDocumented: true,
  },
  complete: {
    from: [...REPORTABLE, 'INSUFFICIENT_DATA'],
    to: 'COMPLETE',
    event: 'referral.complete',
    isDocumented: true,
  },
  insufficientData: {
    from: REPORTABLE,
    to: 'INSUFFICIENT_DATA',
    event: 'referral.insufficient_data',
    isDocumented: false,
  },
  failTest: { from: REPORTABLE, to: 'FAILED_TEST', event: 'referral.failed_test', isDocumented: false },
  refund: {
    from: [...BEFORE_RESULTS, 'INSUFFICIENT_DATA', 'FAILED_TEST'],
    to: 'REFUNDED',
    event: 'referral.refunded',
    document: false,
    isDocumented: false,
  },
  transfer: {
    from: BEFORE_RESULTS,
    to: 'TRANSFERRED',
    event: 'referral.transferred',
    document: false,
    isDocumented: false,
  },
} as const satisfies Record<string, ReferralTransition>

export type ReferralTransitionName = keyof typeof REFERRAL_TRANSITIONS

/** Returns `true` when a transition is possible now. A deleted referral can get results, but not a PDF. */
export function canTransition(row: ReferralRow, name: ReferralTransitionName): boolean {
  const { from }: ReferralTransition = REFERRAL_TRANSITIONS[name]
  return from.includes(row.status) && !(row.deletedAt !== null && leadsToDocument(name))
}

/** Returns `true` for a transition after which the PDF exists or is awaited. */
export function leadsToDocument(name: ReferralTransitionName): boolean {
  const { to, document }: ReferralTransition = REFERRAL_TRANSITIONS[name]
  return document === true || isAwaitedStatus(to)
}

/** Makes a transition, records an email if it is due, and sends the event. Call `canTransition` first. */
export function transition(context: FakeContext, row: ReferralRow, name: ReferralTransitionName): void {
  const { to, event, document }: ReferralTransition = REFERRAL_TRANSITIONS[name]
  row.status = to
  row.updatedAt = context.clock.tick()
  row.pending = null
  row.transitions += 1
  if (document !== undefined) row.hasDocument = document
  if (document === true) row.issuedAt = row.updatedAt
  emailPatient(context, row)
  emitReferralEvent(context, event, row)
}

/**
 * Records one email for the order if all these conditions hold (§4.1 rule 4):
 * - The order requests an email.
 * - The order has a PDF that was not emailed before.
 * - No referral of the order waits for its PDF.
 */
export function emailPatient(context: FakeContext, row: ReferralRow): void {
  const { orders } = context.state
  const referrals = [orders.referrals.get(row.siblingUuid ?? ''), row].filter((each) => each !== undefined)
  const rows = referrals.filter(
    (each) => each.hasDocument && each.deletedAt === null && each.emailSentAt === null,
  )
  if (!row.emailsPatient || rows.length === 0 || referrals.some(isAwaited)) return
  const sentAt = context.clock.iso()
  for (const each of rows) each.emailSentAt = sentAt
  addToJournal(context, orders.emails, { sentAt, referralUuids: rows.map((each) => each.uuid) })
}

function isAwaited({ status, emailSentAt, deletedAt }: ReferralRow): boolean {
  return emailSentAt === null && deletedAt === null && isAwaitedStatus(status)
}

function isAwaitedStatus(status: ReferralRow['status']): boolean {
  return AWAITED.some((one) => one === status)
}
