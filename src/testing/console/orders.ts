import { REFERRAL_ACTIONS, RESULT_ACTIONS } from '../control/order-actions.js'
import { canMove, REFERRAL_MOVES, type ReferralMoveName } from '../domain/referrals-moves.js'
import { referralView } from '../domain/referrals-view.js'
import { resultStatus } from '../domain/results-status.js'
import { resultView } from '../domain/results-view.js'
import type { FakeContext } from '../server/context.js'
import type { ReferralRow, ResultRow } from '../state/orders.js'
import { equals, every, finds, type NewestPage, newestFirst } from './newest-first.js'
import { timelineOf } from './timeline.js'
import type { ConsoleMove, ReferralDetail, ReferralSummary, ResultDetail, ResultSummary } from './views.js'

/** The driver of each move that has another name. */
const DRIVER_NAMES: Partial<Record<ReferralMoveName, string>> = { scheduleReissue: 'reissue' }

/** When each driver of a result can be used (§3.2). */
const RESULT_MOVES: Readonly<Record<string, (row: ResultRow) => boolean>> = {
  complete: (row) => row.referralUuid === null && row.arrived !== 'COMPLETE',
  hold: (row) => row.arrived !== null && !row.held,
  release: (row) => row.held,
  review: (row) => row.arrived !== null,
  softDelete: (row) => row.deletedAt === null,
}

/** Referrals of the organisation, newest first; `?status=` and `?search=` narrow. */
export function listReferrals(context: FakeContext, query: URLSearchParams): NewestPage<ReferralSummary> {
  return newestFirst(
    {
      rows: context.state.orders.referralLists.own,
      position: (row) => row.sequence,
      fits: every<ReferralRow>(
        equals(query, 'status', (row) => row.status),
        finds(query, (row) => [nameOf(row), row.reference, row.referenceNumber, row.uuid]),
      ),
      show: referralSummary,
    },
    query,
  )
}

/** One referral; an error when the organisation has no such. */
export function showReferral(context: FakeContext, uuid = ''): ReferralDetail {
  const { referrals, results } = context.state.orders
  const row = referrals.get(uuid)
  if (row === undefined || row.organisation !== 'own') throw new Error(`the fake has no referral ${uuid}`)
  return {
    referral: referralView(context, row),
    moves: referralMoves(row),
    timeline: timelineOf(context, row, results.get(row.resultsUuid ?? '')),
    siblingUuid: row.siblingUuid,
  }
}

/** Results of the organisation, newest first; `?status=` and `?search=` narrow. */
export function listResults(context: FakeContext, query: URLSearchParams): NewestPage<ResultSummary> {
  return newestFirst(
    {
      rows: context.state.orders.resultLists.own,
      position: (row) => row.sequence,
      fits: every<ResultRow>(
        equals(query, 'status', resultStatus),
        finds(query, (row) => [nameOf(row), row.reference, row.referenceNumber, row.uuid, row.referralUuid]),
      ),
      show: resultSummary,
    },
    query,
  )
}

/** One result; an error when the organisation has no such. */
export function showResult(context: FakeContext, uuid = ''): ResultDetail {
  const { referrals, results } = context.state.orders
  const row = results.get(uuid)
  if (row === undefined || row.organisation !== 'own') throw new Error(`the fake has no result ${uuid}`)
  return {
    result: resultView(context, row),
    moves: resultMoves(row, referrals.get(row.referralUuid ?? '')),
    timeline: timelineOf(context, undefined, row),
  }
}

function referralMoves(row: ReferralRow): ConsoleMove[] {
  return Object.keys(REFERRAL_MOVES)
    .filter(isMove)
    .filter((name) => canMove(row, name))
    .flatMap((name) => moveOf(REFERRAL_ACTIONS, DRIVER_NAMES[name] ?? name, row.uuid))
}

function resultMoves(row: ResultRow, referral: ReferralRow | undefined): ConsoleMove[] {
  const own = Object.entries(RESULT_MOVES)
    .filter(([, can]) => can(row))
    .flatMap(([name]) => moveOf(RESULT_ACTIONS, name, row.uuid))
  const arrivals = (['partialResults', 'complete'] as const).filter(
    (name) => referral !== undefined && canMove(referral, name),
  )
  return [...arrivals.flatMap((name) => moveOf(REFERRAL_ACTIONS, name, referral?.uuid ?? '')), ...own]
}

/** The control action behind a driver, with the record's UUID in its path. */
function moveOf(actions: typeof REFERRAL_ACTIONS, driver: string, uuid: string): ConsoleMove[] {
  const action = actions.find((row) => row.driver?.[1] === driver)
  if (action === undefined) return []
  return [{ name: driver, path: action.path.replace('{uuid}', uuid), description: action.description }]
}

function isMove(name: string): name is ReferralMoveName {
  return Object.hasOwn(REFERRAL_MOVES, name)
}

function nameOf({ person }: ReferralRow | ResultRow): string {
  return `${person.firstName} ${person.lastName}`.trim()
}

function referralSummary(row: ReferralRow): ReferralSummary {
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

function resultSummary(row: ResultRow): ResultSummary {
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
