import { isFields } from '../../contract/check.js'
import { endpoints } from '../../contract/endpoints.js'
import { ERROR_CODES, isKnownErrorCode } from '../../contract/error-codes.js'
import { DEFAULT_FAKE_OPTIONS } from '../../testing/options/fake-options.js'
import { SERVICE_RULES } from '../../testing/rules/index.js'
import type { Refusal, Samples } from '../../testing/rules/rule.js'
import { checkError, type ExpectedError } from './check-response.js'
import type { ListRecords } from './lists.js'
import type { CheckContext } from './pages.js'
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

/** The requests that the service must refuse. */
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
  checkError(place, response, expectedError(refusal))
  const list = isFields(response.json) ? response.json['errorList'] : undefined
  const text = Array.isArray(list) ? list.join('\n').toLowerCase() : undefined
  const missing = names.filter((name) => text?.includes(name.toLowerCase()) === false)
  const isNamed = response.status < 400 || missing.length === 0
  place.expect(isNamed, 'errorList', `names ${missing.join(', ')}`, 'other problems', 'reading')
  return response
}

/** Statuses that the interface does not document are those that the fake assumes. */
const ASSUMED = new Map(Object.entries(DEFAULT_FAKE_OPTIONS.errorStatuses))

function expectedError({ code, documented }: Refusal): ExpectedError {
  const codes = [code].flat()
  const rows = codes.map((each) => (isKnownErrorCode(each) ? ERROR_CODES[each].status : null))
  const hasStatus = documented !== false && rows.every((status) => status !== null)
  return {
    status: rows.map((status, index) => status ?? ASSUMED.get(codes[index] ?? '') ?? 400),
    code: codes,
    statusLevel: hasStatus ? 'contract' : 'reading',
    codeLevel: documented === undefined ? 'contract' : 'reading',
  }
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
