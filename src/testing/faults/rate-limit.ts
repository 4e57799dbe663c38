import type { Clock } from '../server/clock.js'
import { errorResponse, type ResponseDraft } from '../server/http.js'
import { checkFields, integer, type ValueRule } from '../server/value-rules.js'

/** A request limit of the API. Requests above the limit get 429. */
export interface Quota {
  /** Number of requests allowed in each period. With 0, every request gets 429. */
  readonly limit: number
  /** Length of the period, in milliseconds on the fake's clock. */
  readonly perMs: number
}

export interface RateLimitState {
  /** The limit, with the start of the current period and its number of requests; `null` without a limit. */
  quota: (Quota & { windowStart: number; used: number }) | null
}

const QUOTA_RULES: { readonly [Field in keyof Quota]: ValueRule } = { limit: integer(0), perMs: integer(1) }

/**
 * Checks a request limit.
 *
 * @throws RangeError - A field is missing or unknown, or breaks its rule.
 */
export function checkQuota(given: object): asserts given is Quota {
  checkFields(given, QUOTA_RULES, 'quota', Object.keys(QUOTA_RULES))
}

/** Returns `true` when the period of a limit has ended. The next request then starts a new period. */
export function isPeriodOver(
  { windowStart, perMs }: { windowStart: number; perMs: number },
  now: number,
): boolean {
  return now >= windowStart + perMs
}

/** Counter of the requests to the API. It rejects the requests above the limit of `faults.quota()`. */
export class RateLimit {
  readonly #state: () => RateLimitState
  readonly #clock: Clock

  constructor(state: () => RateLimitState, clock: Clock) {
    this.#state = state
    this.#clock = clock
  }

  /** Sets the limit and starts its first period. `null` removes the limit. */
  set(quota: Quota | null): void {
    if (quota !== null) checkQuota(quota)
    this.#state().quota = quota === null ? null : { ...quota, windowStart: this.#clock.now(), used: 0 }
  }

  /** Counts a request. Returns the response with 429 if the request exceeds the limit. */
  count(): ResponseDraft | undefined {
    const { quota } = this.#state()
    if (quota === null) return undefined
    const now = this.#clock.now()
    if (isPeriodOver(quota, now)) {
      quota.windowStart = now
      quota.used = 0
    }
    quota.used += 1
    if (quota.used <= quota.limit) return undefined
    return tooManyRequestsResponse(Math.max(1, Math.ceil((quota.windowStart + quota.perMs - now) / 1_000)))
  }
}

/** Creates the response to a request above the limit. §8 does not document its status; the fake uses HTTP's 429. */
function tooManyRequestsResponse(retryAfterSeconds: number): ResponseDraft {
  return errorResponse(429, 'TOO_MANY_REQUESTS', 'the organisation has reached its request limit', [], {
    'retry-after': String(retryAfterSeconds),
  })
}
