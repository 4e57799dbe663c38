import type { ReferralEventData } from '../../contract/events.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { fieldOf, ownFieldOf } from '../../contract/read.js'
import type { Referral } from '../../contract/types.js'
import { InvalidRequestError } from '../errors/errors.js'
import type { LedgerSession } from '../ledger/ledger-session.js'
import { orderKeyOf } from './order-key.js'

/** Webhook event about a referral. */
export interface ReferralEvent {
  /** Name of the event, such as `referral.created`. */
  readonly eventName: string
  /** Data of the event. */
  readonly data: ReferralEventData
}

/** Records in the ledger that the order of a referral was placed. Returns `false` when the ledger has no entry. */
export async function recordOrder(
  session: LedgerSession,
  source: Referral | ReferralEvent,
): Promise<boolean> {
  const uuid = referralUuidOf(source)
  const key = orderKeyOf(source)
  if (key === undefined || uuid === undefined) return false
  return session.run('resolve', session.nameOf(key), { placed: [uuid] })
}

/** Returns `undefined` for an event without the UUID of a referral. Throws for data of another kind. */
function referralUuidOf(source: unknown): string | undefined {
  const eventName = ownFieldOf(source, 'eventName')
  const isEvent = typeof eventName === 'string'
  if (isEvent && !eventName.startsWith('referral.')) return undefined
  const uuid = ownFieldOf(isEvent ? ownFieldOf(source, 'data') : source, 'uuid')
  // A result has a UUID and the order key too, but the UUID of a result is not the UUID of a referral.
  const isResult = !isEvent && fieldOf(source, 'provenance') !== undefined
  if (typeof uuid === 'string' && UUID_PATTERN.test(uuid) && !isResult) return uuid
  // The service documents the data of only some events, so an event may have no UUID.
  if (isEvent) return undefined
  const message = 'referralOrEvent must be a referral or a webhook event about a referral'
  throw new InvalidRequestError('referrals.recordOrder', [{ message, field: 'referralOrEvent' }])
}
