import { endpoints } from '../../contract/endpoints.js'
import type { Result } from '../../contract/types.js'
import { FakeApiError } from '../server/api-error.js'
import type { FakeCall, HandlerTable } from '../server/context.js'
import { pageResponse } from '../server/lists.js'
import type { FakeContext } from '../state/context.js'
import { type ResultRow, resultStatus } from '../state/orders.js'
import { documentUrl } from './document-urls.js'
import { reportedBiomarkers, summarise } from './results-biomarkers.js'
import { reportMessages } from './results-report.js'

/** Handlers of the result endpoints (§4.2). */
export const handlers: HandlerTable<FakeContext> = {
  'results.retrieve': (context, call) => resultView(context, findResult(context, call.params['uuid'])),
  'results.list': listResults,
}

function listResults(context: FakeContext, call: FakeCall): unknown {
  return pageResponse(call, {
    endpoint: endpoints.results.list,
    rows: context.state.orders.resultLists.own,
    view: (row) => resultView(context, row),
    sortDefault: context.options.resultSortDefault,
    ...(context.options.resultListWrapper === 'data' && { key: 'data' }),
  })
}

type Contents = Pick<Result, 'resultAttachment' | 'report' | 'biomarkerSummary' | 'biomarkers'>

const EMPTY: Contents = { resultAttachment: null, report: null, biomarkerSummary: null, biomarkers: [] }

/** Converts a result to the service's response (§2.5), with a new URL of the PDF. */
export function resultView(context: FakeContext, row: ResultRow): Result {
  return {
    uuid: row.uuid,
    object: 'result',
    provenance: row.provenance,
    referralUuid: row.referralUuid,
    referenceNumber: row.referenceNumber,
    reference: row.reference,
    status: resultStatus(row),
    person: row.person,
    labPatient: row.labPatient,
    productId: row.productId,
    productName: row.productName,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    deletedAt: row.deletedAt,
    resultDate: row.resultDate,
    reviewedBy: row.reviewedBy,
    metadata: row.metadata,
    ...contentsOf(context, row),
  }
}

/** There is no PDF before the first message of the laboratory, after the deletion, and while the result is withheld. */
export function hasResultDocument(context: FakeContext, row: ResultRow): boolean {
  return row.arrived !== null && row.deletedAt === null && !isWithheld(context, row)
}

function isWithheld(context: FakeContext, row: ResultRow): boolean {
  return row.held && context.options.heldResults === 'withheld'
}

function contentsOf(context: FakeContext, row: ResultRow): Contents {
  if (row.arrived === null || isWithheld(context, row)) return EMPTY
  const biomarkers = reportedBiomarkers(context, row)
  return {
    resultAttachment: hasResultDocument(context, row)
      ? documentUrl(context, { kind: 'result', uuid: row.uuid })
      : null,
    report: row.keepsReport ? { pit: reportMessages(context, row, biomarkers) } : null,
    biomarkerSummary: row.reportOnly ? null : summarise(biomarkers),
    biomarkers,
  }
}

/**
 * Finds a result of the organisation.
 *
 * @throws FakeApiError - RESULT_NOT_FOUND.
 */
function findResult(context: FakeContext, uuid = ''): ResultRow {
  const row = context.state.orders.results.get(uuid.toLowerCase())
  if (row === undefined || row.organisation !== 'own') throw new FakeApiError('RESULT_NOT_FOUND')
  return row
}
