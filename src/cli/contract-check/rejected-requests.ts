import { isFields } from '../../contract/check.js'
import { checkError, type ExpectedError } from './check-response.js'
import type { ListRecords } from './lists.js'
import type { CheckContext } from './pages.js'
import type { CheckRequest } from './requester.js'

/** A UUID that no record has. */
export const UNKNOWN_UUID = '00000000-0000-4000-8000-000000000000'

const INVALID_PARAMETER: ExpectedError = { status: 400, code: 'INVALID_PARAMETER' }

/** A request that the service must reject. */
interface RejectedRequest {
  readonly situation: string
  readonly request: Omit<CheckRequest, 'method'> & { readonly method?: string }
  readonly expected: ExpectedError
}

const rejected = (
  endpoint: string,
  situation: string,
  request: Omit<RejectedRequest['request'], 'endpoint'>,
  expected = INVALID_PARAMETER,
): RejectedRequest => ({ situation, request: { endpoint, ...request }, expected })

const notFound = (code: string): ExpectedError => ({ status: 404, code })

const UNKNOWN: readonly RejectedRequest[] = [
  ['referrals', '/v1/referrals', 'REFERRAL_NOT_FOUND'] as const,
  ['results', '/v1/results', 'RESULT_NOT_FOUND'] as const,
  ['centres', '/v1/collection-centres', 'COLLECTION_CENTRE_NOT_FOUND'] as const,
  ['webhooks', '/v1/webhooks', 'WEBHOOK_NOT_FOUND'] as const,
].flatMap(([resource, path, code]) => [
  rejected(`${resource}.retrieve`, 'unknown UUID', { path: `${path}/${UNKNOWN_UUID}` }, notFound(code)),
  rejected(`${resource}.retrieve`, 'malformed identifier', { path: `${path}/not-a-uuid` }),
])

const PAGING: readonly RejectedRequest[] = [
  ['referrals.list', '/v1/referrals'] as const,
  ['results.list', '/v1/results'] as const,
  ['bundles.list', '/v1/bundles'] as const,
  ['providers.list', '/v1/providers'] as const,
  ['webhooks.list', '/v1/webhooks'] as const,
].flatMap(([endpoint, path]) => [
  rejected(endpoint, 'negative count', { path, query: { count: -1 } }),
  rejected(endpoint, 'unknown sort', { path, query: { sort: 'sideways' } }),
  rejected(endpoint, 'unreadable cursor', { path, query: { cursor: 'not-a-cursor' } }),
])

const CENTRES: readonly RejectedRequest[] = (
  [
    ['unknown parameter', { colour: 'red' }],
    ['unknown value', { states: 'XX' }],
    ['count of 0', { count: 0 }],
    ['count with a fraction', { count: 1.5 }],
    ['lat without lng', { lat: -33.87 }],
    ['radius without a point', { radiusKm: 5 }],
    ['radius above the maximum', { lat: -33.87, lng: 151.21, radiusKm: 5_001 }],
    ['incomplete box', { north: -33, south: -34 }],
    ['box with swapped edges', { north: -34, south: -33, east: 152, west: 151 }],
    ['postcode of three digits', { postcodes: '810' }],
    ['search of 101 characters', { search: 'a'.repeat(101) }],
    ['unreadable changedSince', { changedSince: 'yesterday' }],
    ['unreadable cursor', { cursor: 'not-a-cursor' }],
  ] as const
).map(([situation, query]) => rejected('centres.list', situation, { path: '/v1/collection-centres', query }))

/** Requests for which the interface does not document the error or its status. The expected values are assumptions. */
const UNDOCUMENTED: readonly RejectedRequest[] = [
  rejected(
    'providers.retrieve',
    'unknown provider number',
    { path: '/v1/providers/0000000X' },
    { status: 404, code: 'PROVIDER_NOT_FOUND', statusLevel: 'reading' },
  ),
  rejected(
    'vendors.list',
    'unknown version in the Accept header',
    { path: '/v1/vendors', version: '1.99.0' },
    { ...INVALID_PARAMETER, statusLevel: 'reading', codeLevel: 'reading' },
  ),
  rejected(
    'referrals.list',
    'unknown parameter',
    { path: '/v1/referrals', query: { colour: 'red' } },
    { ...INVALID_PARAMETER, statusLevel: 'reading', codeLevel: 'reading' },
  ),
]

const NO_TOKEN: ExpectedError = { status: 401, code: 'MISSING_AUTHORIZATION_HEADER' }
const BAD_TOKEN: ExpectedError = { status: 401, code: ['INVALID_JWT', 'INVALID_JWT_SIGNATURE'] }

const AUTHENTICATION: readonly RejectedRequest[] = [
  rejected(
    'referrals.list',
    'without the Authorization header',
    { path: '/v1/referrals', token: null },
    NO_TOKEN,
  ),
  rejected(
    'referrals.list',
    'invalid access token',
    { path: '/v1/referrals', token: 'not-a-jwt' },
    BAD_TOKEN,
  ),
  rejected(
    'vendors.list',
    'without the Authorization header',
    { path: '/v1/vendors', token: null },
    NO_TOKEN,
  ),
]

const OTHER_ENDPOINTS: readonly RejectedRequest[] = [
  rejected('tests.list', 'unknown include', { path: '/v1/tests', query: { include: 'colours' } }),
  rejected('referrals.retrieve', 'error without an Accept header', {
    path: '/v1/referrals/not-a-uuid',
    version: null,
  }),
  rejected(
    'prices.calculate',
    'neither tests nor a bundle',
    { method: 'POST', path: '/v1/calculate', body: {} },
    { status: 400, code: 'INVALID_PAYLOAD', statusLevel: 'reading', codeLevel: 'reading' },
  ),
]

/** Sends requests that the service must reject. None of them changes records. */
export async function checkRejectedRequests(context: CheckContext, records: ListRecords): Promise<void> {
  const foreignCursor = await foreignCursorRequest(context, records)
  for (const row of [
    ...AUTHENTICATION,
    ...UNKNOWN,
    ...PAGING,
    ...CENTRES,
    ...OTHER_ENDPOINTS,
    ...UNDOCUMENTED,
    ...foreignCursor,
  ]) {
    await checkRejection(context, row)
  }
}

/** Sends a request and checks that it is rejected as expected. Returns the status and the JSON of the response. */
export async function checkRejection(
  { requester, report }: CheckContext,
  { situation, request, expected }: RejectedRequest,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const response = await requester.send({ method: 'GET', ...request })
  checkError({ report, endpoint: request.endpoint, situation }, response, expected)
  return response
}

/** Returns a list of one request with the cursor of another list; empty if referrals and bundles have no cursor. */
async function foreignCursorRequest(
  { requester }: CheckContext,
  records: ListRecords,
): Promise<RejectedRequest[]> {
  const source = (['referrals', 'bundles'] as const).find(
    (name) => (records.get(`${name}.list`)?.length ?? 0) > 0,
  )
  if (source === undefined) return []
  const page = { endpoint: `${source}.list`, method: 'GET', path: `/v1/${source}`, query: { count: 1 } }
  const { json } = await requester.send(page)
  const cursor = isFields(json) && isFields(json['cursor']) ? json['cursor']['cursor'] : undefined
  if (typeof cursor !== 'string') return []
  return [rejected('providers.list', "another list's cursor", { path: '/v1/providers', query: { cursor } })]
}
