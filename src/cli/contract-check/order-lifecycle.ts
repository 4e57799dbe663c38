import { setTimeout as sleep } from 'node:timers/promises'
import { isFields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { isKnownReferralStatus } from '../../contract/enums.js'
import { typeName } from '../../contract/field-differences.js'
import type { CreatedRecords, WriteContext } from './created-records.js'
import { checkPdf, compare, compareSent } from './records.js'
import { checkRefusal, needsNoRecord } from './refusals.js'
import type { ReportPlace } from './report.js'

const { update, delete: remove, generateResults, retrieve } = endpoints.referrals

/**
 * Reads a referral while it is CREATED or SCHEDULED_REISSUE, at most for `pdfTimeoutMs`. Checks the PDF of an issued
 * referral. Returns whether the referral was issued.
 */
export async function waitUntilIssued(
  context: WriteContext,
  uuid: string,
  place: ReportPlace,
): Promise<boolean> {
  const end = performance.now() + context.pdfTimeoutMs
  for (;;) {
    const referral = await compareSent(context, retrieve, 'record', { id: uuid })
    const status = referral?.['status']
    if (status === 'ISSUED') {
      await checkIssued(context, referral?.['referralAttachment'], place)
      return true
    }
    const isPending = status === 'CREATED' || status === 'SCHEDULED_REISSUE'
    if (!isPending || performance.now() > end)
      return place.expect(false, 'status', 'ISSUED in time', statusName(status), 'reading')
    await sleep(Math.min(1_000, context.pdfTimeoutMs / 5), undefined, { signal: context.signal })
  }
}

function statusName(status: unknown): string {
  return typeof status === 'string' && isKnownReferralStatus(status) ? status : 'another status'
}

async function checkIssued(context: WriteContext, url: unknown, place: ReportPlace): Promise<void> {
  if (place.expect(typeof url === 'string', 'referralAttachment', 'string once ISSUED', typeName(url)))
    await checkPdf(context, 'referrals.document', String(url))
}

/** Sends invalid updates of an issued referral, then a valid update. */
export async function checkUpdate(context: WriteContext, id: string): Promise<void> {
  const { report } = context
  for (const refusal of context.refusals) {
    if (refusal.endpoint !== update || needsNoRecord(refusal)) continue
    const { json } = await checkRefusal(context, refusal, { id })
    const problems = isFields(json) ? json['errorList'] : undefined
    const isNamed =
      !Array.isArray(problems) || problems.every((entry) => /\[field: [^\]]+\]$/.test(String(entry)))
    const place = report.at(update.id, refusal.situation)
    place.expect(isNamed, 'errorList[]', '<message> [field: <name>]', 'another form')
  }
  const body = { firstName: 'Contrast', metadata: { contractCheck: null, updated: 'yes' } }
  const updated = await compareSent(context, update, 'record', { id, body })
  if (updated === undefined) return
  const { status, person, metadata } = updated
  const place = report.at(update.id, 'update')
  place.expect(status === 'SCHEDULED_REISSUE', 'status', 'SCHEDULED_REISSUE', 'another status')
  const isChanged = isFields(person) && person['firstName'] === body.firstName
  place.expect(isChanged, 'person.firstName', 'as updated', 'another value')
  const isMerged =
    isFields(metadata) && metadata['updated'] === 'yes' && !Object.hasOwn(metadata, 'contractCheck')
  const merged = 'merged; the key that the update set to null is removed'
  place.expect(isMerged, 'metadata', merged, 'another value')
}

/** Generates and checks dummy results: partial results, then complete results. */
export async function checkResults(context: WriteContext, id: string): Promise<void> {
  const { report, requester } = context
  for (const [situation, query, expected] of [
    ['dummy results, partial', { partial: '' }, 'PARTIAL_RESULTS'],
    ['dummy results', {}, 'COMPLETE'],
  ] as const) {
    const referral = await compareSent(context, generateResults, 'record', { id, query })
    if (referral === undefined) return
    const place = report.at(generateResults.id, situation)
    const { status, resultsUuid: result } = referral
    place.expect(status === expected, 'status', expected, 'another status')
    if (!place.expect(typeof result === 'string', 'resultsUuid', 'UUID', typeName(result))) return
    await checkResult(context, String(result), expected)
  }
  const { status } = await requester.send(generateResults, { id })
  const again = report.at(generateResults.id, 'dummy results again')
  again.expect(status === 200, 'status', '200', String(status), 'reading')
  const late = { endpoint: update, situation: 'update of a COMPLETE referral', code: 'INVALID_STATUS' }
  await checkRefusal(context, { ...late, body: { firstName: 'Contract' } }, { id })
}

async function checkResult(context: WriteContext, id: string, expected: string): Promise<void> {
  const result = await compareSent(context, endpoints.results.retrieve, 'record', { id })
  if (result === undefined) return
  const { status, biomarkers, resultAttachment: url } = result
  const place = context.report.at('results.retrieve', 'dummy results')
  const isHeld = status === 'IN_REVIEW'
  const level = isHeld ? 'reading' : 'contract'
  place.expect(status === expected, 'status', expected, isHeld ? 'IN_REVIEW' : 'another status', level)
  const hasContent = Array.isArray(biomarkers) && biomarkers.length > 0
  place.expect(hasContent, 'biomarkers', 'at least one biomarker', 'empty array', level)
  if (typeof url === 'string') await checkPdf(context, 'results.document', url)
}

/** Deletes a referral, and checks the later responses for the referral. */
export async function checkDeletion(
  context: WriteContext,
  id: string,
  created: CreatedRecords,
): Promise<void> {
  const { report, requester } = context
  const before = await compareSent(context, retrieve, 'record', { id })
  const deleted = compare(context, remove, 'record', await created.delete(id))
  if (deleted === undefined) return
  const place = report.at(remove.id, 'deletion')
  const { deletedAt, referralAttachment: attachment, status } = deleted
  place.expect(typeof deletedAt === 'string', 'deletedAt', 'timestamp', typeName(deletedAt))
  place.expect(attachment === null, 'referralAttachment', 'null', typeName(attachment))
  place.expect(status === before?.['status'], 'status', 'unchanged', 'another status')
  const found = await requester.send(retrieve, { id })
  const after = report.at(retrieve.id, 'deleted referral')
  after.expect(found.status === 200, 'status', '200', String(found.status), 'reading')
}
