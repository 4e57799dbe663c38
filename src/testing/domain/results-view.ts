import type { Result } from '../../contract/types.js'
import type { FakeContext } from '../server/context.js'
import type { ResultRow } from '../state/orders.js'
import { reportedBiomarkers, summarise } from './results-biomarkers.js'
import { reportMessages } from './results-report.js'
import { resultStatus } from './results-status.js'

type Contents = Pick<Result, 'resultAttachment' | 'report' | 'biomarkerSummary' | 'biomarkers'>

const NOTHING_YET: Contents = { resultAttachment: null, report: null, biomarkerSummary: null, biomarkers: [] }

/** A result as the service answers it (§2.5): the whole current state, with a fresh URL of its PDF. */
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

/** Whether a result has a PDF to show: not before anything arrived, while it is withheld, or once deleted. */
export function hasResultDocument(context: FakeContext, row: ResultRow): boolean {
  return row.arrived !== null && row.deletedAt === null && !isWithheld(context, row)
}

function isWithheld(context: FakeContext, row: ResultRow): boolean {
  return row.held && context.options.heldResults === 'withheld'
}

function contentsOf(context: FakeContext, row: ResultRow): Contents {
  if (row.arrived === null || isWithheld(context, row)) return NOTHING_YET
  const biomarkers = reportedBiomarkers(context, row)
  return {
    resultAttachment: hasResultDocument(context, row)
      ? context.documentUrl({ kind: 'result', uuid: row.uuid })
      : null,
    report: row.keepsReport ? { pit: reportMessages(context, row, biomarkers) } : null,
    biomarkerSummary: row.reportOnly ? null : summarise(biomarkers),
    biomarkers,
  }
}
