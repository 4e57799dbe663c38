/** Upper bounds of the pauses between attempts, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000

/** Longest Retry-After that the client waits for, in milliseconds. */
export const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * Returns the pause before a retry, in milliseconds: full jitter, or the Retry-After plus up to a tenth. The
 * addition spreads the clients that were rejected together. A Retry-After above 60 s is not waited for: the
 * pause is infinite.
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
 * Reads a Retry-After header in milliseconds; `undefined` unless it is an integer or an HTTP date.
 *
 * @param nowMs - Current time of the server clock.
 */
export function parseRetryAfter(value: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (SECONDS.test(text)) return Number(text) * 1_000
  if (!HTTP_DATE.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
