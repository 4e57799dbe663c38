import { LONGEST_TIMER_MS } from '../../common/clock.js'
import type { Reconciliation, RetryClass } from '../../contract/endpoint.js'

/** Kind of failure of an attempt. */
export type FailureKind =
  /** The request was certainly not sent. */
  | 'not-sent'
  /** Status 429: rejected before any work. */
  | 'rate-limited'
  /** Status 408. */
  | 'request-timeout'
  /** Status 500. */
  | 'server-error'
  /** Status 501 or more, such as 502, 503, 504, and 520 to 524 of a proxy. The request may have been carried out. */
  | 'gateway'
  /** Sent without a usable response: reset, timeout, truncated, not JSON, an error envelope, or no list or object. */
  | 'ambiguous'
  /** A response that a retry cannot repair: it is too large, cannot be decoded, or contradicts the request. */
  | 'unusable'
  /** A redirect, which is not followed. It may show the result of the request. */
  | 'redirect'
  /** An error response to a retry, which shows that an earlier attempt succeeded. */
  | 'done-before'
  /** Status 401 of a call: its access token was rejected. */
  | 'token-rejected'
  /** Not sent, because a 429 arrived while the request waited for a connection. */
  | 'held-back'
  /** A final response, or a failure that a retry cannot repair. */
  | 'final'

/** Maximum number of retries by kind of failure. A failure that is missing is not retried. */
type Row = Readonly<Partial<Record<FailureKind, number>>>

/** As many retries as the option `maxRetries` permits. */
export const ALL = Number.POSITIVE_INFINITY

/** Row of requests that have the same effect however often they are sent. */
const HARMLESS: Row = {
  'not-sent': ALL,
  'rate-limited': ALL,
  'request-timeout': ALL,
  'server-error': ALL,
  gateway: ALL,
  ambiguous: ALL,
}

/**
 * Permitted retries by retry class. `decide` reads the table. A 401 is not in it: in every class, the request is sent
 * again with a new token.
 */
export const RETRY_TABLE: Readonly<Record<RetryClass, Row>> = {
  safe: HARMLESS,
  repeatable: HARMLESS,
  once: { 'not-sent': ALL, 'rate-limited': 2 },
}

/** Failures that start a lookup of the request's effect, by kind of reconciliation. */
export const RECONCILE_TABLE: Readonly<Record<Reconciliation, ReadonlySet<FailureKind>>> = {
  order: new Set(['request-timeout', 'server-error', 'gateway', 'ambiguous', 'unusable', 'redirect']),
  update: new Set(['request-timeout', 'server-error', 'gateway', 'ambiguous', 'unusable', 'done-before']),
  subscription: new Set(['server-error', 'gateway', 'ambiguous', 'unusable', 'done-before']),
  gone: new Set(['done-before']),
}

/** Status and codes of the error response to a retry if an earlier attempt succeeded. */
const DONE_BEFORE: Readonly<
  Record<Reconciliation, { readonly status?: number; readonly codes: readonly string[] }>
> = {
  order: { codes: [] },
  update: { codes: ['INVALID_STATUS'] },
  subscription: { status: 409, codes: ['DUPLICATE_WEBHOOK_SUBSCRIPTION'] },
  gone: { status: 404, codes: ['REFERRAL_NOT_FOUND', 'PROVIDER_NOT_FOUND', 'WEBHOOK_NOT_FOUND'] },
}

/** Returns `true` when an error response shows that an earlier attempt was carried out. */
export function showsDoneBefore(reconcile: Reconciliation, status: number, code?: string): boolean {
  const shown = DONE_BEFORE[reconcile]
  return status === shown.status || (code !== undefined && shown.codes.includes(code))
}

/** Returns the failure kind of an HTTP status. */
export function failureOfStatus(status: number): FailureKind {
  if (status === 429) return 'rate-limited'
  if (status === 408) return 'request-timeout'
  if (status >= 300 && status < 400) return 'redirect'
  if (status < 500) return 'final'
  return status === 500 ? 'server-error' : 'gateway'
}

/**
 * First and highest upper limit of a pause without a Retry-After, in milliseconds. The limit doubles with each retry.
 */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000

/** Longest Retry-After that the client waits for, in milliseconds. */
export const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * Returns the pause before a retry, in milliseconds: a random part of the upper limit of this retry, or the Retry-After
 * plus a random addition. The addition is at most a tenth of the Retry-After and at most the upper limit. The addition
 * spreads the clients that were rejected together. A Retry-After above 60 s is not waited for: the pause is infinite.
 *
 * @param retry - 1 for the first retry.
 * @param random - Number from 0 up to, but not including, 1.
 */
export function pauseMs(retry: number, random: number, retryAfterMs: number | undefined): number {
  const bound = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (retry - 1))
  if (retryAfterMs === undefined) return random * bound
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return Number.POSITIVE_INFINITY
  return retryAfterMs + random * Math.min(bound, retryAfterMs / 10)
}

const SECONDS = /^\d+$/
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Reads a Retry-After header; `undefined` unless it is an integer or an HTTP date. Returns integer milliseconds, at
 * most the maximum duration of a timer: Node would run a longer timer at once.
 *
 * @param nowMs - Current time in milliseconds: of the server clock, or of the local clock for a token request.
 */
export function parseRetryAfter(value: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const isSeconds = SECONDS.test(text)
  if (!isSeconds && !HTTP_DATE.test(text)) return undefined
  const delayMs = isSeconds ? Number(text) * 1_000 : Math.ceil(Date.parse(text) - nowMs)
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS)
}
