import type { Biomarker, Result } from '../contract/types.js'
import { CONCEPTS, discipline, PROFILES } from './codes.js'
import * as element from './elements.js'
import { type Observation, type ObservationStatus, observationOf } from './observation.js'
import type { Context } from './options.js'
import type { Reference } from './types.js'

/** Status of a DiagnosticReport. */
export type ReportStatus = keyof typeof STATUSES | 'amended' | 'entered-in-error' | 'unknown'

/** A result. */
export interface DiagnosticReport extends ReturnType<typeof diagnosticReportOf> {
  basedOn?: Reference[]
  result?: Reference[]
}

const STATUSES = {
  registered: ['CREATED'],
  preliminary: ['IN_REVIEW'],
  partial: ['PARTIAL_RESULTS'],
  final: ['COMPLETE'],
}

function statusOf({ deletedAt, status, ...result }: Result, previous: Result | undefined): ReportStatus {
  if (deletedAt !== null) return 'entered-in-error'
  const wasComplete = status === 'COMPLETE' && previous?.status === 'COMPLETE'
  if (wasComplete && valuesOf(result) !== valuesOf(previous)) return 'amended'
  return element.statusIn(STATUSES, status, 'unknown')
}

/** Returns the values of a result, or the text of a result without values, for comparison. */
function valuesOf({ biomarkers, report }: Pick<Result, 'biomarkers' | 'report'>): string {
  const values = numbered(biomarkers).map(([key, biomarker]) => key + contentOf(biomarker))
  return JSON.stringify(values.length > 0 ? values.sort() : report?.pit)
}

const contentOf = (biomarker: Biomarker | undefined): string =>
  JSON.stringify([biomarker?.value, biomarker?.unit])

/** Returns biomarkers with keys: several biomarkers of a result can have the same id. */
function numbered(biomarkers: readonly Biomarker[]): (readonly [key: string, biomarker: Biomarker])[] {
  return biomarkers.map((biomarker, index) => {
    const before = biomarkers.slice(0, index).filter(({ id }) => id === biomarker.id)
    return [JSON.stringify([biomarker.id, before.length]), biomarker]
  })
}

export function reportOf(result: Result, basedOn: Reference[], context: Context) {
  const id = element.idOf(result.uuid)
  const status = statusOf(result, context.previous)
  const earlier = new Map(numbered(context.previous?.biomarkers ?? []))
  const observations = numbered(result.biomarkers).map(([key, biomarker]): Observation => {
    const isAmended = status === 'amended' && contentOf(biomarker) !== contentOf(earlier.get(key))
    earlier.delete(key)
    const own = isAmended ? status : rowStatus(status)
    return observationOf(element.derivedId(id, 'Observation', key), biomarker, own, context)
  })
  for (const { id: biomarker } of earlier.values())
    context.gaps.push({ element: 'Observation', reason: 'vanished', biomarker })
  const report = diagnosticReportOf(id, status, result, context)
  const [first] = observations
  for (const { resourceType: type, effectiveDateTime, performer } of first ? [report, first] : [report]) {
    if (!effectiveDateTime) context.gaps.push({ element: `${type}.effective`, reason: 'not-in-service' })
    if (!performer) context.gaps.push({ element: `${type}.performer`, reason: 'not-in-service' })
  }
  if (!report.issued) context.gaps.push({ element: 'DiagnosticReport.issued', reason: 'not-recorded' })
  if ((result.biomarkerSummary?.critical ?? 0) > 0)
    context.gaps.push({ element: 'Observation.interpretation', reason: 'no-row' })
  const links = element.filled({ basedOn, result: observations.map(element.referenceTo) })
  return [...observations, { ...report, ...links }]
}

/** The service has no status of a single value. */
function rowStatus(status: ReportStatus): ObservationStatus {
  if (status === 'entered-in-error') return status
  return status === 'final' || status === 'amended' ? 'final' : 'preliminary'
}

function diagnosticReportOf(id: string, status: ReportStatus, result: Result, context: Context) {
  const { uuid, reference, referenceNumber, productName: text, reviewedBy } = result
  const issued = element.instantOf(result.resultDate)
  const display = element.textsOf(reviewedBy?.firstName, reviewedBy?.lastName).join(' ')
  const [identifier] = element.identifiersOf(context.base, { doctor: reviewedBy?.uuid })
  const interprets = context.reviewerInterprets === true && display !== ''
  const texts = (result.report?.pit ?? []).filter((message) => message.trim() !== '')
  return element.filled({
    ...element.head('DiagnosticReport', id, PROFILES.report),
    identifier: element.identifiersOf(context.base, {
      result: uuid,
      reference,
      'reference-number': referenceNumber,
    }),
    status,
    category: [...new Set(['LAB', ...element.textsOf(context.discipline)])].map(discipline),
    code: element.filled({ ...CONCEPTS.laboratoryReport, text }),
    subject: context.subject,
    ...element.effective(context.collectedAt),
    issued,
    _issued: element.absentUnless(issued),
    performer: element.named(context.laboratory),
    resultsInterpreter: interprets ? [element.filled({ identifier, display })] : [],
    presentedForm: [
      ...texts.map((content) => attachment('text/plain; charset=utf-8', content)),
      ...(context.pdf ? [attachment('application/pdf', context.pdf)] : []),
    ],
  })
}

function attachment(contentType: string, content: string | Uint8Array) {
  return { contentType, data: Buffer.from(content).toString('base64') }
}
