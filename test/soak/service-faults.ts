import type { Fault } from 'pathology-sdk/testing'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { referral } from '../support/samples.js'

/** One kind of fault, and its weight. */
export interface FaultKind {
  readonly fault: Fault
  /** Routes with this fault. Default: all. */
  readonly routes?: readonly string[]
  readonly weight: number
}

const API = ENDPOINTS.map(({ method, path }) => `${method} ${path}`)

/** A client cannot detect half a document of the declared length. */
const JSON_ROUTES = ['POST /oauth/token', ...API]

const LIST = ['GET /v1/referrals']

/** Creation time of the records that only this file generates. */
export const GENERATED_AT = '2099-01-01T00:00:00.000Z'

/** An HTTP date in the past. The client retries at once. */
const PAST_DATE = 'Mon, 02 Mar 2020 00:00:00 GMT'

/** Faults of requests to any part of the service. */
const SERVICE_FAULTS: readonly FaultKind[] = [
  { fault: { reset: 'before' }, weight: 20 },
  { fault: { reset: 'mid-body' }, weight: 15 },
  { fault: { truncate: true }, weight: 15 },
  { fault: { malformed: 'http' }, weight: 10 },
  { fault: { malformed: 'json' }, routes: JSON_ROUTES, weight: 15 },
  { fault: { loseResponse: true }, weight: 30 },
  { fault: { loseResponse: true, status: 502, body: '<html>Bad gateway</html>' }, weight: 10 },
  { fault: { loseResponse: true, status: 500 }, weight: 8 },
  { fault: { loseResponse: true, status: 200, body: '{"ok":' }, weight: 4 },
  { fault: { loseResponse: true, stall: 'headers' }, weight: 1 },
  { fault: { status: 429, retryAfter: 1 }, weight: 12 },
  { fault: { status: 429, retryAfter: PAST_DATE }, weight: 4 },
  { fault: { status: 429, retryAfter: 'soon' }, weight: 4 },
  { fault: { status: 500 }, weight: 12 },
  { fault: { status: 502, body: '<html>Bad gateway</html>' }, weight: 8 },
  { fault: { status: 503, retryAfter: 1 }, weight: 8 },
  { fault: { status: 504, body: '' }, weight: 5 },
  { fault: { status: 408 }, weight: 4 },
  { fault: { latencyMs: 30 }, weight: 10 },
  { fault: { drip: { bytes: 512, everyMs: 1 } }, weight: 8 },
  { fault: { stall: 'body' }, weight: 1 },
  ...malformed(API, {}, 6),
  ...malformed(API, { error: true, code: 'INTERNAL_ERROR', message: 'no', errorList: [] }, 6),
]

/** Additional faults of orders and their list: a client that trusts them orders twice. */
const LIST_FAULTS: readonly FaultKind[] = [
  ...malformed(['POST /v1/referrals'], [null], 1),
  ...malformed(LIST, { referrals: [null] }, 2),
  ...malformed(LIST, { referrals: [{}] }, 2),
  ...malformed(LIST, { referrals: {} }, 1),
  ...malformed(LIST, [], 1),
  ...malformed(LIST, fullPage(), 2),
]

/** Kinds of faults: `share` of the requests get a fault, and a third more of those to the list of orders. */
export function faultKinds(share: number): readonly (FaultKind & { readonly probability: number })[] {
  return [...probabilities(SERVICE_FAULTS, share), ...probabilities(LIST_FAULTS, share / 3)]
}

/** A response with status 200 that is not the service's, whether or not the request was carried out. */
function malformed(routes: readonly string[], body: unknown, weight: number): readonly FaultKind[] {
  return [
    { fault: { status: 200, body }, routes, weight: weight / 2 },
    { fault: { status: 200, body, loseResponse: true }, routes, weight: weight / 2 },
  ]
}

/** A page without information about later pages. Its records are newer than all others. */
function fullPage(): unknown {
  return { referrals: Array.from({ length: 20 }, () => referral({ createdAt: GENERATED_AT })) }
}

/** Each kind of fault with its probability, so that `share` of the requests get one. */
function probabilities(kinds: readonly FaultKind[], share: number): (FaultKind & { probability: number })[] {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0)
  let left = 1
  return kinds.map((kind) => {
    const wanted = (share * kind.weight) / total
    // The fake applies its rules one after another, so a later rule applies only to the remaining requests.
    const probability = wanted / left
    left -= wanted
    return { ...kind, probability }
  })
}
