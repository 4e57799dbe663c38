/** Upper bounds of the pauses between attempts, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000

/** The longest wait that is made because the service asks for it, in milliseconds. */
export const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * How long to wait before a retry, in milliseconds: full jitter, or what the service asked for and a little more,
 * so that callers turned away together do not come back together. What asks for longer than a minute is not waited for,
 * nor is anything sent earlier: the pause has no end.
 *
 * @param retry - 1 for the first retry.
 * @param random - A number from 0 up to, but not including, 1.
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
 * A Retry-After header in milliseconds; `undefined` when it is missing or neither whole seconds nor an HTTP date.
 *
 * @param nowMs - The current time by the service's clock.
 */
export function parseRetryAfter(value: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (SECONDS.test(text)) return Number(text) * 1_000
  if (!HTTP_DATE.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
