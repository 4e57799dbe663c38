import type { PathologyClient, PathologyErrorName } from 'pathology-sdk'
import { CANARIES } from '../support/canary-values.js'
import { medicareOrder, PROVIDER_NUMBER, page as pageOf, referral, UUID } from '../support/samples.js'
import { confession, everything, type HostileScript, page } from './hostile-service.js'
import { answered, type Provocation } from './world.js'

/** Calls whose requests contain patients' details or the id of a patient's record. */
const CALLS: Readonly<Record<string, (client: PathologyClient) => unknown>> = {
  'an order': (client) => client.referrals.create(medicareOrder(), { maxRetries: 0 }),
  'a read': (client) => client.referrals.retrieve(UUID),
  'a change': (client) =>
    client.referrals.update(UUID, { phone: CANARIES.phone, metadata: { why: CANARIES.clinicalNotes } }),
  'a list': (client) => client.results.list().toArray(),
  'a search': (client) => client.centres.list({ search: CANARIES.lastName }).toArray(),
  'a provider record': (client) =>
    client.providers.update(PROVIDER_NUMBER, { name: CANARIES.lastName, email: CANARIES.email }),
}

const STATUSES: readonly (readonly [number, PathologyErrorName])[] = [
  [400, 'BadRequestError'],
  [401, 'AuthenticationError'],
  [403, 'PermissionError'],
  [404, 'NotFoundError'],
  [409, 'ConflictError'],
  [418, 'ApiError'],
  [422, 'ApiError'],
  [429, 'RateLimitError'],
]

const othersOf = (status: number, error: PathologyErrorName, call: (client: PathologyClient) => unknown) => [
  answered(
    `${status} with a known code to a read`,
    error,
    (request) => confession(request, status, 'INVALID_PAYLOAD'),
    call,
  ),
  answered(`${status} with a page to a read`, error, (request) => page(request, status), call),
]

const refusals: Provocation[] = Object.entries(CALLS).flatMap(([what, call]) =>
  STATUSES.flatMap(([status, error]) => [
    answered(`${status} to ${what}`, error, (request) => confession(request, status), call),
    ...(what === 'a read' ? othersOf(status, error, call) : []),
  ]),
)

const serverErrors: Provocation[] = Object.entries(CALLS)
  .filter(([what]) => what !== 'an order')
  .flatMap(([what, call]) => [
    answered(`500 to ${what}`, 'ServerError', (request) => confession(request, 500), call),
    answered(`502 with a page to ${what}`, 'ServerError', (request) => page(request, 502), call),
  ])

const read = (client: PathologyClient): unknown => client.referrals.retrieve(UUID)

const person = { ...referral().person, dob: 19_610_723, gender: CANARIES.firstName }

/** Responses to a read that are not usable. */
const UNUSABLE: Readonly<Record<string, HostileScript>> = {
  'a page in place of JSON': (request) => page(request, 200),
  'half a JSON': (request) => ({ text: `{"person":"${everything(request)}` }),
  'an empty response': { text: '' },
  'a text where an object should be': (request) => ({ json: everything(request) }),
  'a redirect with everything in its address': (request) => ({
    status: 307,
    headers: { location: `https://evil.example/?${encodeURIComponent(everything(request))}` },
  }),
  'an unknown encoding': (request) => ({ text: everything(request), headers: { 'content-encoding': 'br' } }),
}

const unusable: Provocation[] = [
  ...Object.entries(UNUSABLE).map(([title, script]) => answered(title, 'InvalidResponseError', script, read)),
  answered(
    'a failed referral with everything in the time of its deletion',
    'ReferralFailedError',
    (request) => ({
      json: { ...referral({ uuid: UUID }), status: 'BILLING_FAILED', deletedAt: everything(request) },
    }),
    (client) => client.referrals.waitFor(UUID, { status: 'ISSUED' }),
  ),
  answered(
    'a response that is too large',
    'InvalidResponseError',
    (request) => ({ text: JSON.stringify([everything(request).repeat(20)]) }),
    read,
    { maxResponseBytes: 1_000 },
  ),
  answered(
    'a broken contract, strictly',
    'InvalidResponseError',
    { json: { ...referral(), person, status: [CANARIES.lastName], [CANARIES.lastName]: 1 } },
    read,
    { responseValidation: 'strict' },
  ),
  answered(
    'a cursor that comes again',
    'InvalidResponseError',
    { json: pageOf('referrals', [referral()], `${CANARIES.lastName}-cursor`) },
    (client) => client.referrals.list().toArray(),
  ),
]

/** Responses that are errors or not usable, from a service that repeats all data that it knows. */
export const RESPONSES: readonly Provocation[] = [...refusals, ...serverErrors, ...unusable]
