import type { FakeContext } from '../server/context.js'
import type { ReferralRow, ResultRow } from '../state/orders.js'
import { move } from './referrals-moves.js'
import { discardMessages, receiveMessage, resultOfReferral } from './results-arrivals.js'
import { checkedValues } from './results-values.js'

/** What a laboratory's message for a referral is to hold. */
export interface ArrivalSettings {
  /** Values to report, by biomarker id; the others are made. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** Throw away what has arrived before. Default `false`. */
  readonly anew?: boolean | undefined
}

/** Lets results arrive for a referral (§3.1): the result's events come first, then the referral's. */
export function receiveResults(
  context: FakeContext,
  referral: ReferralRow,
  name: 'partialResults' | 'complete',
  settings: ArrivalSettings = {},
): ResultRow {
  const values = checkedValues(context, settings.values)
  const result = resultOfReferral(context, referral)
  if (settings.anew === true) discardMessages(context, result)
  result.values = { ...result.values, ...values }
  receiveMessage(context, result, name === 'complete' ? 'COMPLETE' : 'PARTIAL_RESULTS')
  move(context, referral, name)
  return result
}
