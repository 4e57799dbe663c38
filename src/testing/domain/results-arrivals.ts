import { FakeApiError } from '../server/api-error.js'
import type { FakeContext } from '../server/context.js'
import type { ArrivedStatus, ReferralRow, ResultRow } from '../state/orders.js'
import { emitResultEvent } from './events.js'
import { biomarkerIdsOf } from './results-biomarkers.js'

const MAX_SEED = 2 ** 31 - 1

/** A new result that nothing has arrived for (§3.2). */
export type NewResult = Pick<
  ResultRow,
  | 'organisation'
  | 'provenance'
  | 'referralUuid'
  | 'referenceNumber'
  | 'reference'
  | 'person'
  | 'labPatient'
  | 'productId'
  | 'productName'
  | 'tests'
  | 'metadata'
  | 'profileUuid'
> &
  Partial<Pick<ResultRow, 'keepsReport' | 'reportOnly' | 'values' | 'createdAt'>>

/** Keeps a new result, without an event. */
export function addResult(context: FakeContext, fields: NewResult): ResultRow {
  const { orders } = context.state
  const createdAt = fields.createdAt ?? context.clock.iso()
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

/** The result of a referral: the one it has, or a new one with its event. */
export function resultOfReferral(context: FakeContext, referral: ReferralRow): ResultRow {
  const known = context.state.orders.results.get(referral.resultsUuid ?? '')
  if (known !== undefined) return known
  const row = addResult(context, orderedResult(referral))
  referral.resultsUuid = row.uuid
  emitResultEvent(context, 'result.created', row)
  return row
}

/** What an ordered result takes from its referral (§2.5). */
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
 * Lets a laboratory message arrive (§3.2), with its result events: what arrived is announced as partial or
 * complete, or as in review while the organisation holds its results.
 */
export function receiveMessage(context: FakeContext, row: ResultRow, status: ArrivedStatus): void {
  const first = row.arrived === null
  recordMessage(context, row, status, context.clock.iso())
  // An INCOMING result is seen once the organisation has released it (§1), so it is never held.
  row.held = row.held || (context.options.reviewHold && row.provenance === 'ORDERED')
  if (!first) emitResultEvent(context, 'result.updated', row)
  announce(context, row)
}

/** Keeps a laboratory message, without an event. */
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
  row.messages.push({ reported, receivedAt })
  row.arrived = status
  row.updatedAt = receivedAt
  row.resultDate = receivedAt
}

/** Throws away what has arrived, so that other dummy values follow (§4.1, PUT). */
export function discardMessages(context: FakeContext, row: ResultRow): void {
  row.messages = []
  row.valueSeed = context.random.integer(0, MAX_SEED)
}

/** The event of the status that a result shows (§6). */
export function announce(context: FakeContext, row: ResultRow): void {
  if (row.arrived === null) return
  if (row.held) emitResultEvent(context, 'result.in_review', row)
  else if (row.arrived === 'COMPLETE') emitResultEvent(context, 'result.complete', row)
  else emitResultEvent(context, 'result.partial_results', row)
}

/**
 * The organisation's own result.
 *
 * @throws FakeApiError - RESULT_NOT_FOUND.
 */
export function findResult(context: FakeContext, uuid = ''): ResultRow {
  const row = context.state.orders.results.get(uuid.toLowerCase())
  if (row === undefined || row.organisation !== 'own') throw new FakeApiError('RESULT_NOT_FOUND')
  return row
}
