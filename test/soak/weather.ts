import type { Fault } from 'pathology-sdk/testing'
import { ENDPOINTS } from '../../src/contract/endpoints.js'
import { referral } from '../support/samples.js'

/** One kind of fault, and how often it comes in relation to the others. */
export interface Gust {
  readonly fault: Fault
  /** Routes that it comes to; every one where it is left out. */
  readonly routes?: readonly string[]
  readonly weight: number
}

const API = ENDPOINTS.map(({ method, path }) => `${method} ${path}`)

/** Half a document of the right length is nothing that anyone could notice. */
const JSON_ROUTES = ['POST /oauth/token', ...API]

const LIST = ['GET /v1/referrals']

/** The time of records that no request made. */
export const MADE_UP_AT = '2099-01-01T00:00:00.000Z'

/** An HTTP date that has passed: come back at once. */
const LONG_AGO = 'Mon, 02 Mar 2020 00:00:00 GMT'

/** What goes wrong with requests to any part of the service. */
const STORM: readonly Gust[] = [
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
  { fault: { status: 429, retryAfter: LONG_AGO }, weight: 4 },
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

/** What goes wrong with orders and their list besides: a client that believes it orders twice. */
const UNREADABLE: readonly Gust[] = [
  ...malformed(['POST /v1/referrals'], [null], 1),
  ...malformed(LIST, { referrals: [null] }, 2),
  ...malformed(LIST, { referrals: [{}] }, 2),
  ...malformed(LIST, { referrals: {} }, 1),
  ...malformed(LIST, [], 1),
  ...malformed(LIST, fullPage(), 2),
]

/** The gusts of a storm in which `share` of the requests meet a fault, and a third more of those for the list of orders. */
export function stormOf(share: number): readonly (Gust & { readonly probability: number })[] {
  return [...chances(STORM, share), ...chances(UNREADABLE, share / 3)]
}

/** A response with status 200 that is not the service's, whether or not the request was carried out. */
function malformed(routes: readonly string[], body: unknown, weight: number): readonly Gust[] {
  return [
    { fault: { status: 200, body }, routes, weight: weight / 2 },
    { fault: { status: 200, body, loseResponse: true }, routes, weight: weight / 2 },
  ]
}

/** A page that says nothing of the pages after it: its records are newer than any other. */
function fullPage(): unknown {
  return { referrals: Array.from({ length: 20 }, () => referral({ createdAt: MADE_UP_AT })) }
}

/** Each gust with the chance that a request meets it, so that `share` of the requests meet one. */
function chances(storm: readonly Gust[], share: number): (Gust & { probability: number })[] {
  const whole = storm.reduce((sum, { weight }) => sum + weight, 0)
  let left = 1
  return storm.map((gust) => {
    const wanted = (share * gust.weight) / whole
    // The fake asks its rules one after another: those before have let only a part of the requests pass.
    const probability = wanted / left
    left -= wanted
    return { ...gust, probability }
  })
}
