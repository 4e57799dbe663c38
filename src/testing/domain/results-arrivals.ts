import type { FakeContext } from '../state/context.js'
import type { ArrivedStatus, LaboratoryMessage, ReferralRow, ResultRow } from '../state/orders.js'
import { emitResultEvent } from './deliveries.js'
import { transition } from './referrals-transitions.js'
import { biomarkerIdsOf } from './results-biomarkers.js'
import { checkedValues } from './results-values.js'

const MAX_SEED = 2 ** 31 - 1

/** A result without the fields that are generated (§2.5). */
export type NewResult = Omit<ResultRow, GeneratedField | OptionalField> &
  Partial<Pick<ResultRow, OptionalField>>

type OptionalField = 'keepsReport' | 'reportOnly' | 'values' | 'createdAt'
type GeneratedField =
  | ('sequence' | 'uuid' | 'arrived' | 'held' | 'messages' | 'valueSeed')
  | ('updatedAt' | 'deletedAt' | 'resultDate' | 'reviewedBy')

/** The fields of an INCOMING result that belong to no order. */
export const INCOMING_RESULT = {
  organisation: 'own',
  provenance: 'INCOMING',
  referralUuid: null,
  referenceNumber: null,
  // `reference` is the referral's reference (§2.5), and an INCOMING result has no referral.
  reference: '',
  productId: null,
  productName: null,
  metadata: {},
} as const

/** Stores a new result, without an event. */
export function addResult(context: FakeContext, fields: NewResult): ResultRow {
  const { orders } = context.state
  const createdAt = fields.createdAt ?? context.clock.tick()
  const row: ResultRow = {
    keepsReport: true,
    reportOnly: false,
    values: {},
    ...fields,
    sequence: orders.nextSequence,
    uuid: context.random.uuid(),
    arrived: null,
    held: false,
    messages: [],
    valueSeed: context.random.integer(0, MAX_SEED),
    createdAt,
    updatedAt: createdAt,
    deletedAt: null,
    resultDate: createdAt,
    reviewedBy: null,
  }
  orders.nextSequence += 1
  orders.results.set(row.uuid, row)
  orders.resultLists[row.organisation].push(row)
  return row
}

/** Returns the result of a referral. If the referral has no result, creates one and sends `result.created`. */
export function resultOfReferral(context: FakeContext, referral: ReferralRow): ResultRow {
  const known = context.state.orders.results.get(referral.resultsUuid ?? '')
  if (known !== undefined) return known
  const row = addResult(context, orderedResult(referral))
  referral.resultsUuid = row.uuid
  emitResultEvent(context, 'result.created', row)
  return row
}

/** Returns the fields of an ordered result that come from its referral (§2.5). */
export function orderedResult(referral: ReferralRow): NewResult {
  return {
    organisation: referral.organisation,
    provenance: 'ORDERED',
    referralUuid: referral.uuid,
    referenceNumber: referral.referenceNumber,
    reference: referral.reference,
    person: referral.person,
    labPatient: null,
    productId: referral.productId,
    productName: referral.productName,
    tests: referral.tests,
    metadata: referral.metadata ?? {},
    profileUuid: referral.profileUuid,
  }
}

/**
 * Receives a laboratory message (§3.2) and sends the result's events. With `options.reviewHold`, an ORDERED result is
 * held for review.
 */
export function receiveMessage(context: FakeContext, row: ResultRow, status: ArrivedStatus): void {
  const first = row.arrived === null
  recordMessage(context, row, status, context.clock.tick())
  announceMessage(context, row, first)
}

/** Receives a correction of a complete result, and sends `result.updated` and the event of the status. */
export function receiveCorrection(
  context: FakeContext,
  row: ResultRow,
  values: Readonly<Record<string, string>>,
): void {
  const receivedAt = context.clock.tick()
  row.values = { ...row.values, ...values }
  const reported = row.messages.at(-1)?.reported ?? 0
  addMessage(row, { reported, receivedAt, kind: 'corrected', values: row.values })
  announceMessage(context, row, false)
}

function announceMessage(context: FakeContext, row: ResultRow, first: boolean): void {
  // The organisation has already released an INCOMING result (§1), so `reviewHold` does not hold it.
  row.held = row.held || (context.options.reviewHold && row.provenance === 'ORDERED')
  if (!first) emitResultEvent(context, 'result.updated', row)
  emitStatusEvent(context, row)
}

/** Stores a laboratory message, without an event. */
export function recordMessage(
  context: FakeContext,
  row: ResultRow,
  status: ArrivedStatus,
  receivedAt: string,
): void {
  const total = row.reportOnly ? 0 : biomarkerIdsOf(context, row.tests).length
  const before = row.messages.at(-1)?.reported ?? 0
  const half = Math.max(1, Math.floor((total - before) / 2))
  const reported = status === 'COMPLETE' ? total : Math.min(total, before + half)
  const kind = status === 'COMPLETE' ? 'final' : 'interim'
  row.arrived = status
  addMessage(row, { reported, receivedAt, kind, values: row.values })
}

function addMessage(row: ResultRow, message: LaboratoryMessage): void {
  row.messages.push(message)
  row.updatedAt = message.receivedAt
  row.resultDate = message.receivedAt
}

/** Discards the messages and sets a new seed, so that new dummy values are generated (§4.1, PUT). */
export function discardMessages(context: FakeContext, row: ResultRow): void {
  row.messages = []
  row.valueSeed = context.random.integer(0, MAX_SEED)
}

/** Sends the event of a result's status (§6). */
export function emitStatusEvent(context: FakeContext, row: ResultRow): void {
  if (row.arrived === null) return
  if (row.held) emitResultEvent(context, 'result.in_review', row)
  else if (row.arrived === 'COMPLETE') emitResultEvent(context, 'result.complete', row)
  else emitResultEvent(context, 'result.partial_results', row)
}

/** Content of a laboratory's message for a referral. */
export interface ArrivalOptions {
  /**
   * Values by biomarker id, in standard units. The result must have each of these biomarkers. The other values are
   * generated. The `canonical` of a numeric biomarker has the given value. The biomarker's own `value` can be in
   * another unit, because some laboratories report other units.
   */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** Discards the earlier messages and generates new values. Values that a caller set stay. Default `false`. */
  readonly replace?: boolean | undefined
}

/** Delivers results for a referral (§3.1). Sends the result's events, then the referral's event. */
export function receiveResults(
  context: FakeContext,
  referral: ReferralRow,
  name: 'partialResults' | 'complete',
  options: ArrivalOptions = {},
): ResultRow {
  const values = checkedValues(context, biomarkerIdsOf(context, referral.tests), options.values)
  const result = resultOfReferral(context, referral)
  if (options.replace === true) discardMessages(context, result)
  result.values = { ...result.values, ...values }
  receiveMessage(context, result, name === 'complete' ? 'COMPLETE' : 'PARTIAL_RESULTS')
  transition(context, referral, name)
  return result
}
