import { REFERRAL_ACTIONS, RESULT_ACTIONS } from '../control/order-actions.js'
import {
  canTransition,
  REFERRAL_TRANSITIONS,
  type ReferralTransitionName,
} from '../domain/referrals-transitions.js'
import { referralView } from '../domain/referrals-view.js'
import { resultView } from '../domain/results.js'
import type { FakeContext } from '../state/context.js'
import { type ReferralRow, type ResultRow, resultStatus } from '../state/orders.js'
import { newestFirst } from './lists.js'
import { timelineOf } from './timeline.js'

/** A possible change of a record: a `POST` to `path` with the fields of `body`. */
export interface RecordAction {
  readonly name: string
  readonly path: string
  readonly description: string
  readonly body?: Readonly<Record<string, string>>
}

/** Conditions under which the console offers a change of a result, by the name of the control method (§3.2). */
const RESULT_CHANGES: Readonly<Record<string, (row: ResultRow) => boolean>> = {
  complete: (row) => row.referralUuid === null && row.arrived !== 'COMPLETE',
  amend: (row) => row.arrived === 'COMPLETE' && !row.reportOnly,
  hold: (row) => row.arrived !== null && !row.held,
  release: (row) => row.held,
  review: (row) => row.arrived !== null,
  softDelete: (row) => row.deletedAt === null,
}

/** Returns the organisation's referrals, newest first, filtered by `?status=` and `?search=`. */
export function listReferrals(context: FakeContext, query: URLSearchParams) {
  return newestFirst(
    {
      rows: context.state.orders.referralLists.own,
      position: (row) => row.sequence,
      filters: { status: (row, wanted) => row.status === wanted },
      texts: (row) => [nameOf(row), row.reference, row.referenceNumber, row.uuid],
      show: referralSummary,
    },
    query,
  )
}

/** Returns a referral. Throws an Error if the client's organisation does not have the referral. */
export function showReferral(context: FakeContext, uuid = '') {
  const { referrals, results } = context.state.orders
  const row = referrals.get(uuid)
  if (row === undefined || row.organisation !== 'own') throw new Error(`the fake has no referral ${uuid}`)
  return {
    referral: referralView(context, row),
    actions: referralActions(row),
    timeline: timelineOf(context, row, results.get(row.resultsUuid ?? '')),
    siblingUuid: row.siblingUuid,
  }
}

/** Returns the organisation's results, newest first, filtered by `?status=` and `?search=`. */
export function listResults(context: FakeContext, query: URLSearchParams) {
  return newestFirst(
    {
      rows: context.state.orders.resultLists.own,
      position: (row) => row.sequence,
      filters: { status: (row, wanted) => resultStatus(row) === wanted },
      texts: (row) => [nameOf(row), row.reference, row.referenceNumber, row.uuid, row.referralUuid],
      show: resultSummary,
    },
    query,
  )
}

/** Returns a result. Throws an Error if the client's organisation does not have the result. */
export function showResult(context: FakeContext, uuid = '') {
  const { referrals, results } = context.state.orders
  const row = results.get(uuid)
  if (row === undefined || row.organisation !== 'own') throw new Error(`the fake has no result ${uuid}`)
  return {
    result: resultView(context, row),
    actions: resultActions(row, referrals.get(row.referralUuid ?? '')),
    timeline: timelineOf(context, undefined, row),
  }
}

function referralActions(row: ReferralRow): RecordAction[] {
  return Object.keys(REFERRAL_TRANSITIONS)
    .filter(isTransition)
    .filter((name) => canTransition(row, name))
    .flatMap((name) => actionOf(REFERRAL_ACTIONS, name, row.uuid))
}

function resultActions(row: ResultRow, referral: ReferralRow | undefined): RecordAction[] {
  const own = Object.entries(RESULT_CHANGES)
    .filter(([, can]) => can(row))
    .flatMap(([name]) => actionOf(RESULT_ACTIONS, name, row.uuid))
  const arrivals = (['partialResults', 'complete'] as const).filter(
    (name) => referral !== undefined && canTransition(referral, name),
  )
  return [...arrivals.flatMap((name) => actionOf(REFERRAL_ACTIONS, name, referral?.uuid ?? '')), ...own]
}

/** Returns the control action of a method, with the record's UUID in its path. */
function actionOf(actions: typeof REFERRAL_ACTIONS, method: string, uuid: string): RecordAction[] {
  const action = actions.find((row) => row.calls?.endsWith(`.${method}`))
  if (action === undefined) return []
  const { path, description, body } = action
  return [{ name: method, path: path.replace('{uuid}', uuid), description, ...(body && { body }) }]
}

function isTransition(name: string): name is ReferralTransitionName {
  return Object.hasOwn(REFERRAL_TRANSITIONS, name)
}

function nameOf({ person }: ReferralRow | ResultRow): string {
  return `${person.firstName} ${person.lastName}`.trim()
}

function referralSummary(row: ReferralRow) {
  const { uuid, status, reference, referenceNumber, medicare, createdAt, updatedAt } = row
  return {
    position: row.sequence,
    uuid,
    status,
    name: nameOf(row),
    reference,
    referenceNumber,
    tests: row.tests.length,
    medicare,
    createdAt,
    updatedAt,
    deleted: row.deletedAt !== null,
  }
}

function resultSummary(row: ResultRow) {
  const { uuid, provenance, reference, referralUuid, resultDate, updatedAt } = row
  return {
    position: row.sequence,
    uuid,
    status: resultStatus(row),
    name: nameOf(row),
    provenance,
    reference,
    referralUuid,
    resultDate,
    updatedAt,
    deleted: row.deletedAt !== null,
  }
}
