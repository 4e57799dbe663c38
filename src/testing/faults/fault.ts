import { type RandomState, seedRandom } from '../server/random.js'
import type { RateLimitState } from './rate-limit.js'

/**
 * Fault of one request. A fault without fields does not change the response. Fields can be combined, but only one field
 * affects the connection. `loseResponse` resets it, unless `status`, `stall: 'headers'` or `malformed: 'http'` is set.
 * Otherwise this field is the first of these that is set: `reset`, `stall`, `malformed: 'http'`, `truncate`, `drip`.
 */
export interface Fault {
  /**
   * HTTP status, 200 to 599, of a response that replaces the normal response. The request is not carried out, unless
   * `loseResponse` is `true`.
   */
  readonly status?: number | undefined
  /**
   * Body of the response; needs `status`. A string is sent as it is, any other value as JSON. Default: the error
   * envelope.
   */
  readonly body?: unknown
  /** `code` of the default body; needs `status`. Default: `INTERNAL_ERROR`, or `TOO_MANY_REQUESTS` with status 429. */
  readonly code?: string | undefined
  /** Headers to add to the response. They replace headers of the response with the same names. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The `Retry-After` header: a number of seconds, or any text. */
  readonly retryAfter?: number | string | undefined
  /** Milliseconds of real time before the request is handled. */
  readonly latencyMs?: number | undefined
  /**
   * Resets the connection. `before`: before any byte of the response; the request is carried out only with
   * `loseResponse`. `mid-body`: after half the response body.
   */
  readonly reset?: 'before' | 'mid-body' | undefined
  /** Closes the connection normally after half the body; `Content-Length` states the full length. */
  readonly truncate?: boolean | undefined
  /**
   * `http`: sends bytes that are not HTTP; the request is carried out only with `loseResponse`. `json`: sends half the
   * JSON text, with a matching `Content-Length`.
   */
  readonly malformed?: 'http' | 'json' | undefined
  /**
   * Keeps the connection open. `headers`: sends no response; the request is carried out only with `loseResponse`.
   * `body`: sends half the response body and then stops.
   */
  readonly stall?: 'headers' | 'body' | undefined
  /** Sends the body a few bytes at a time. */
  readonly drip?:
    | {
        /** Number of bytes of each write. */
        readonly bytes: number
        /** Milliseconds of real time between two writes. */
        readonly everyMs: number
      }
    | undefined
  /**
   * Carries out the request, then loses the response: the connection is reset. With `status`, the client gets that
   * status instead, such as the 502 of a gateway after the order was placed. With `stall: 'headers'`, the client gets
   * nothing, and the connection stays open. With `malformed: 'http'`, the client gets bytes that are not HTTP.
   */
  readonly loseResponse?: boolean | undefined
}

/** Selects the requests that a fault applies to. */
export interface FaultWhen {
  /** Number of requests that get the fault; `Infinity` for all matching requests. Default 1. */
  readonly times?: number | undefined
  /**
   * Number of the first matching request to which the fault applies. Requests that get an earlier fault are not
   * counted. Default 1.
   */
  readonly nth?: number | undefined
  /** Probability for each matching request, from 0 to 1. The choice depends on the seed. Default 1. */
  readonly probability?: number | undefined
}

export interface FaultRule {
  readonly id: number
  /** Method and path, such as `GET /v1/referrals/{uuid}`. `*` selects any method, any path or any request. */
  readonly route: string
  readonly fault: Fault
  readonly probability: number
  /** Number of further matching requests before the fault applies. */
  skip: number
  /** Number of requests to which the fault still applies; `null` for all. */
  left: number | null
  /** Number of requests to which the fault was applied. */
  used: number
}

export interface FaultState extends RateLimitState {
  rules: FaultRule[]
  sequence: number
  readonly random: RandomState
}

/** Creates the state of a fault injector without faults and without a rate limit. */
export function createFaultState(seed: number): FaultState {
  return { rules: [], sequence: 0, quota: null, random: seedRandom(seed, 'faults') }
}
