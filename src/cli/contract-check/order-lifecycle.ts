import { setTimeout as sleep } from 'node:timers/promises'
import { isFields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { isKnownReferralStatus } from '../../contract/enums.js'
import { typeName } from '../../contract/field-differences.js'
import type { Refusal } from '../../testing/rules/rule.js'
import { checkError, expect, type ReportPlace } from './check-response.js'
import { checkPdf, compare, type RecordContext, retrieve } from './records.js'
import { checkRefusal, needsNoRecord } from './refusals.js'
import type { CheckRequest, CheckResponse } from './requester.js'

const { update, delete: remove, generateResults, retrieve: read } = endpoints.referrals

/** Context of the checks that write. */
export interface WriteContext extends RecordContext {
  /** UUID of this run. Each record of the run contains this UUID, except one from an order without metadata. */
  readonly run: string
  readonly refusals: readonly Refusal[]
  /** Maximum wait for a referral's PDF, in milliseconds. */
  readonly pdfTimeoutMs: number
  /** Receives a message for each record of the check that may still exist. */
  readonly onWarning: (message: string) => void
}

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
    const referral = await retrieve(context, read, uuid)
    const status = referral?.['status']
    if (status === 'ISSUED') {
      await checkIssued(context, referral?.['referralAttachment'], place)
      return true
    }
    const isPending = status === 'CREATED' || status === 'SCHEDULED_REISSUE'
    if (!isPending || performance.now() > end) {
      return expect(place, false, ['status', 'ISSUED in time', statusName(status), 'reading'])
    }
    await sleep(Math.min(1_000, context.pdfTimeoutMs / 5), undefined, { signal: context.signal })
  }
}

function statusName(status: unknown): string {
  return typeof status === 'string' && isKnownReferralStatus(status) ? status : 'another status'
}

async function checkIssued(context: WriteContext, url: unknown, place: ReportPlace): Promise<void> {
  if (expect(place, typeof url === 'string', ['referralAttachment', 'string once ISSUED', typeName(url)]))
    await checkPdf(context, 'referrals.document', String(url))
}

/** Sends a request that changes a referral. */
export function sendChange(
  { requester }: Pick<WriteContext, 'requester'>,
  method: 'PATCH' | 'PUT' | 'DELETE',
  uuid: string,
  content: Pick<CheckRequest, 'body' | 'query' | 'isCleanUp'> = {},
): Promise<CheckResponse> {
  const endpoint = { PATCH: update, PUT: generateResults, DELETE: remove }[method]
  return requester.send({ endpoint: endpoint.id, method, path: `/v1/referrals/${uuid}`, ...content })
}

/** Sends invalid updates of an issued referral, then a valid update. */
export async function checkUpdate(context: WriteContext, uuid: string): Promise<void> {
  const { report } = context
  const refused = context.refusals.filter((each) => each.endpoint === update && !needsNoRecord(each))
  for (const refusal of refused) {
    const { json } = await checkRefusal(context, refusal, { id: uuid })
    const problems = isFields(json) ? json['errorList'] : undefined
    const isNamed =
      !Array.isArray(problems) || problems.every((entry) => /\[field: [^\]]+\]$/.test(String(entry)))
    report.expect(isNamed, update.id, refusal.situation, [
      'errorList[]',
      '<message> [field: <name>]',
      'another form',
    ])
  }
  const body = { firstName: 'Contrast', metadata: { contractCheck: null, updated: 'yes' } }
  const place: ReportPlace = { report, endpoint: update.id, situation: 'update' }
  const updated = compare(context, update, 'record', await sendChange(context, 'PATCH', uuid, { body }))
  if (updated === undefined) return
  const { status, person, metadata } = updated
  expect(place, status === 'SCHEDULED_REISSUE', ['status', 'SCHEDULED_REISSUE', 'another status'])
  const isChanged = isFields(person) && person['firstName'] === body.firstName
  expect(place, isChanged, ['person.firstName', 'as updated', 'another value'])
  const isMerged =
    isFields(metadata) && metadata['updated'] === 'yes' && !Object.hasOwn(metadata, 'contractCheck')
  expect(place, isMerged, [
    'metadata',
    'merged; the key that the update set to null is removed',
    'another value',
  ])
}

/** Generates and checks dummy results: partial results, then complete results. */
export async function checkResults(context: WriteContext, uuid: string): Promise<void> {
  for (const [situation, query, expected] of [
    ['dummy results, partial', { partial: '' }, 'PARTIAL_RESULTS'],
    ['dummy results', {}, 'COMPLETE'],
  ] as const) {
    const place: ReportPlace = { report: context.report, endpoint: generateResults.id, situation }
    const referral = compare(
      context,
      generateResults,
      'record',
      await sendChange(context, 'PUT', uuid, { query }),
    )
    if (referral === undefined) return
    expect(place, referral['status'] === expected, ['status', expected, 'another status'])
    const result = referral['resultsUuid']
    const hasResult = typeof result === 'string'
    if (!expect(place, hasResult, ['resultsUuid', 'UUID', typeName(result)])) return
    await checkResult(context, String(result), expected)
  }
  const again: ReportPlace = {
    report: context.report,
    endpoint: generateResults.id,
    situation: 'dummy results again',
  }
  const { status } = await sendChange(context, 'PUT', uuid)
  expect(again, status === 200, ['status', '200', String(status), 'reading'])
  const late: ReportPlace = {
    report: context.report,
    endpoint: update.id,
    situation: 'update of a COMPLETE referral',
  }
  const rejected = await sendChange(context, 'PATCH', uuid, { body: { firstName: 'Contract' } })
  checkError(late, rejected, { status: 400, code: 'INVALID_STATUS' })
}

async function checkResult(context: WriteContext, uuid: string, expected: string): Promise<void> {
  const result = await retrieve(context, endpoints.results.retrieve, uuid)
  if (result === undefined) return
  const { status, biomarkers, resultAttachment: url } = result
  const place: ReportPlace = {
    report: context.report,
    endpoint: 'results.retrieve',
    situation: 'dummy results',
  }
  const isHeld = status === 'IN_REVIEW'
  const level = isHeld ? 'reading' : 'contract'
  expect(place, status === expected, ['status', expected, isHeld ? 'IN_REVIEW' : 'another status', level])
  const hasContent = Array.isArray(biomarkers) && biomarkers.length > 0
  expect(place, hasContent, ['biomarkers', 'at least one biomarker', 'empty array', level])
  if (typeof url === 'string') await checkPdf(context, 'results.document', url)
}

/** Deletes a referral, removes it from `created`, and checks the later responses for the referral. */
export async function checkDeletion(
  context: WriteContext,
  uuid: string,
  created: Set<string>,
): Promise<void> {
  const before = await retrieve(context, read, uuid)
  const response = await sendChange(context, 'DELETE', uuid)
  if (response.status < 300) created.delete(uuid)
  const deleted = compare(context, remove, 'record', response)
  if (deleted === undefined) return
  const place: ReportPlace = { report: context.report, endpoint: remove.id, situation: 'deletion' }
  const { deletedAt, referralAttachment: attachment, status } = deleted
  expect(place, typeof deletedAt === 'string', ['deletedAt', 'timestamp', typeName(deletedAt)])
  expect(place, attachment === null, ['referralAttachment', 'null', typeName(attachment)])
  expect(place, status === before?.['status'], ['status', 'unchanged', 'another status'])
  const { requester } = context
  const path = `/v1/referrals/${uuid}`
  const found = await requester.send({ endpoint: read.id, method: 'GET', path })
  const after: ReportPlace = { ...place, endpoint: read.id, situation: 'deleted referral' }
  const seen = String(found.status)
  expect(after, found.status === 200, ['status', '200', seen, 'reading'])
}
