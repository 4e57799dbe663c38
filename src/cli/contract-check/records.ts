import { isPrivateHost } from '../../common/private-addresses.js'
import { isFields } from '../../contract/check.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { endpoints } from '../../contract/endpoints.js'
import { EVENT_NAMES } from '../../contract/events.js'
import { checkSuccess, checkWrapper, seenStatus, seenType } from './check-response.js'
import type { ListRecords } from './lists.js'
import type { CheckContext } from './pages.js'
import { recordDifferences } from './record-rules.js'
import { type CheckResponse, exchange, type RequestContent } from './requester.js'

type Fields = Readonly<Record<string, unknown>>

/** Maximum number of records of each kind that are retrieved one by one. */
const SAMPLE_SIZE = 6

const RETRIEVED: readonly (readonly [list: string, endpoint: Endpoint, key: string])[] = [
  ['referrals.list', endpoints.referrals.retrieve, 'uuid'],
  ['results.list', endpoints.results.retrieve, 'uuid'],
  ['providers.list', endpoints.providers.retrieve, 'providerNumber'],
  ['centres.list', endpoints.centres.retrieve, 'uuid'],
  ['webhooks.list', endpoints.webhooks.retrieve, 'id'],
]

export interface RecordContext extends CheckContext {
  readonly signal: AbortSignal
  /** `true` when the service runs on this machine. The documents of the service can then have private addresses. */
  readonly isLocal: boolean
}

/** Retrieves and checks records of each kind in `RETRIEVED`, with their PDFs. Also checks event names and prices. */
export async function checkRecords(context: RecordContext, records: ListRecords): Promise<void> {
  for (const [list, endpoint, key] of RETRIEVED) {
    const chosen = sampleOf(records.get(list) ?? [])
    if (chosen.length === 0) context.report.notChecked(endpoint.id, 'the list has no record')
    for (const record of chosen) {
      const found = await compareSent(context, endpoint, 'record', { id: String(record[key]) })
      if (found !== undefined) await checkDocuments(context, endpoint, found)
    }
  }
  await checkEventNames(context)
  await checkPrice(context, records)
}

/** Chooses up to `SAMPLE_SIZE` records that differ in status, provenance or `medicare`. */
function sampleOf(records: readonly Fields[]): readonly Fields[] {
  const kinds = new Map(
    records.map((record) => [`${record['status']} ${record['provenance']} ${record['medicare']}`, record]),
  )
  return [...kinds.values()].slice(0, SAMPLE_SIZE)
}

/** Sends a request, and compares and returns the object in its success response, as `compare` does. */
export async function compareSent(
  context: CheckContext,
  endpoint: Endpoint,
  situation: string,
  content?: RequestContent,
): Promise<Fields | undefined> {
  return compare(context, endpoint, situation, await context.requester.send(endpoint, content))
}

/** Compares and returns the object in a success response; `undefined` if the response has no object. */
export function compare(
  { report }: CheckContext,
  endpoint: Endpoint,
  situation: string,
  response: CheckResponse,
): Fields | undefined {
  const place = report.at(endpoint.id, situation)
  if (!checkSuccess(place, response)) return undefined
  const { response: wrapper } = endpoint
  report.countRecords(endpoint.id, 1)
  const content = checkWrapper(place, wrapper, response.json) ?? response.json
  const prefix = wrapper.kind === 'under' && content !== response.json ? wrapper.key : ''
  const found = recordDifferences(wrapper.schema, content)
  place.add(
    found.map((each) => ({ ...each, path: each.path || (prefix ? '' : '(whole response)') })),
    prefix,
  )
  return isFields(content) ? content : undefined
}

async function checkDocuments(context: RecordContext, { id }: Endpoint, record: Fields): Promise<void> {
  const attachment = record['referralAttachment'] ?? record['resultAttachment']
  if (typeof attachment !== 'string' || !URL.canParse(attachment)) return
  await checkPdf(context, id.replace('retrieve', 'document'), attachment)
}

/** Downloads a PDF from its signed URL, without the access token, and checks the response. */
export async function checkPdf(context: RecordContext, endpoint: string, url: string): Promise<void> {
  const { report, signal, isLocal } = context
  const place = report.at(endpoint, 'PDF')
  const { protocol, hostname } = new URL(url)
  const isSafe = isLocal || (protocol === 'https:' && !isPrivateHost(hostname))
  if (!place.expect(isSafe, 'signed URL', 'public https URL', 'another URL')) return
  report.countRequest(endpoint)
  const response = await exchange(url, { method: 'GET', signal })
  if (!place.expect(response.status === 200, 'status', '200', seenStatus(response))) return
  const isPdf = response.mediaType === 'application/pdf'
  place.expect(isPdf, 'content-type header', 'application/pdf', seenType(response))
  const begins = new TextDecoder('latin1').decode(response.bytes.subarray(0, 1_024)).includes('%PDF-')
  place.expect(begins, '(content)', 'PDF', 'another format')
}

async function checkEventNames(context: CheckContext): Promise<void> {
  const endpoint = endpoints.webhooks.eventNames
  const names = (await compareSent(context, endpoint, 'names'))?.['events']
  if (!Array.isArray(names)) return
  const place = context.report.at(endpoint.id, 'names')
  for (const name of EVENT_NAMES) place.expect(names.includes(name), 'events[]', name, 'missing')
}

async function checkPrice(context: CheckContext, records: ListRecords): Promise<void> {
  const endpoint = endpoints.prices.calculate
  const [test] = records.get('tests.list') ?? []
  const [bundle] = records.get('bundles.list') ?? []
  if (test === undefined) return context.report.notChecked(endpoint.id, 'the list of tests is empty')
  await compareSent(context, endpoint, 'tests', { body: { tests: [test['id']] } })
  if (bundle !== undefined)
    await compareSent(context, endpoint, 'bundle', { body: { bundleId: bundle['id'] } })
}
