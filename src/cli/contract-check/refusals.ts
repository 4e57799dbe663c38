import { isFields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { ERROR_CODES, isKnownErrorCode } from '../../contract/error-codes.js'
import { schemaDifferences } from '../../contract/field-differences.js'
import { errorEnvelopeSchema } from '../../contract/schemas/shared.js'
import { DEFAULT_FAKE_OPTIONS } from '../../testing/options/fake-options.js'
import { SERVICE_RULES } from '../../testing/rules/index.js'
import type { Refusal, Samples } from '../../testing/rules/rule.js'
import { checkJson, seenStatus } from './check-response.js'
import type { ListRecords } from './lists.js'
import type { CheckContext } from './pages.js'
import type { ReportPlace } from './report.js'
import type { CheckResponse, Send } from './requester.js'

type Fields = Readonly<Record<string, unknown>>

/** Chooses the records of the environment that the requests of the rules name. */
export function samplesOf(records: ListRecords, run: string): Samples {
  const all = (list: string): readonly Fields[] => records.get(`${list}.list`) ?? []
  const ids = (rows: readonly Fields[], key = 'id'): string[] => rows.map((row) => String(row[key]))
  const tests = [...all('tests')].sort(
    (one, other) => Number(one['priceCents']) - Number(other['priceCents']),
  )
  const provider = all('providers').find(({ hasSignature }) => hasSignature === true)
  return {
    tests: ids(tests.filter(({ medicareListed }) => medicareListed === true)),
    otherTests: ids(tests.filter(({ medicareListed }) => medicareListed === false)),
    bundles: ids(all('bundles')),
    practitioner: provider && {
      name: String(provider['name']),
      address: String(provider['address']),
      providerNumber: String(provider['providerNumber']),
    },
    unsigned: ids(
      all('providers').filter(({ hasSignature }) => hasSignature === false),
      'providerNumber',
    )[0],
    vendors: ids(all('vendors')),
    centres: ids(all('centres'), 'uuid'),
    webhookUrl: `https://contract-check.example.com/${run}`,
  }
}

export function refusalsOf(samples: Samples): readonly Refusal[] {
  return SERVICE_RULES.flatMap(({ refusals }) => refusals?.(samples) ?? [])
}

/** Returns `true` for a request that names no record, or one that does not exist. */
export function needsNoRecord({ endpoint, id }: Refusal): boolean {
  return id !== undefined || !endpoint.path.includes('{')
}

/** Sends a request and checks that it is refused as its rule says. `id` is that of an existing record. */
export async function checkRefusal(
  { requester, report }: CheckContext,
  refusal: Refusal,
  { id = '', send = requester.send }: { readonly id?: string; readonly send?: Send } = {},
): Promise<CheckResponse> {
  const { endpoint, situation, names = [] } = refusal
  const response = await send(endpoint, { id, ...refusal })
  const place = report.at(endpoint.id, situation)
  const { status, json } = response
  const isStatus = checkStatus(place, response, refusal)
  if ((isStatus || status >= 400) && checkJson(place, response)) checkEnvelope(place, json, refusal)
  const list = isFields(json) ? json['errorList'] : undefined
  const text = Array.isArray(list) ? list.join('\n').toLowerCase() : undefined
  const missing = names.filter((name) => text?.includes(name.toLowerCase()) === false)
  const isNamed = status < 400 || missing.length === 0
  place.expect(isNamed, 'errorList', `names ${missing.join(', ')}`, 'other problems', 'reading')
  return response
}

/** Statuses that the interface does not document are those that the fake assumes. */
const ASSUMED = new Map(Object.entries(DEFAULT_FAKE_OPTIONS.errorStatuses))

function checkStatus(place: ReportPlace, response: CheckResponse, { code, documented }: Refusal): boolean {
  const codes = [code].flat()
  const known = codes.map((each) => (isKnownErrorCode(each) ? ERROR_CODES[each].status : null))
  const statuses = known.map((status, index) => status ?? ASSUMED.get(codes[index] ?? '') ?? 400)
  const isDocumented = documented !== false && known.every((status) => status !== null)
  return place.expect(
    statuses.includes(response.status),
    'status',
    statuses.join(' or '),
    seenStatus(response),
    isDocumented ? 'contract' : 'reading',
  )
}

function checkEnvelope(place: ReportPlace, body: unknown, { code: expected, documented }: Refusal): void {
  place.add(schemaDifferences(errorEnvelopeSchema, body))
  const { code, errorList } = isFields(body) ? body : {}
  if (typeof code !== 'string') return
  const codes = [expected].flat()
  const seen = isKnownErrorCode(code) ? code : 'another code'
  const level = documented === undefined ? 'contract' : 'reading'
  const isCode = place.expect(codes.includes(code), 'code', codes.join(' or '), seen, level)
  if (isCode && /^INVALID_(PARAMETER|PAYLOAD)$/.test(code) && Array.isArray(errorList))
    place.expect(errorList.length > 0, 'errorList', 'at least one problem', 'empty array')
}

/** Sends the cursor of another list, if referrals or bundles have one. */
export async function checkForeignCursor(context: CheckContext, records: ListRecords): Promise<void> {
  const source = [endpoints.referrals.list, endpoints.bundles.list].find(({ id }) => records.get(id)?.length)
  if (source === undefined) return
  const { json } = await context.requester.send(source, { query: { count: 1 } })
  const cursor = isFields(json) && isFields(json['cursor']) ? json['cursor']['cursor'] : undefined
  if (typeof cursor !== 'string') return
  const [endpoint, situation] = [endpoints.providers.list, "another list's cursor"]
  await checkRefusal(context, { endpoint, situation, query: { cursor }, code: 'INVALID_PARAMETER' })
}
