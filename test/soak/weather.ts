import type { Fault } from 'pathology-sdk/testing'

/** One kind of fault, and how often it comes in relation to the others. */
export interface Gust {
  readonly fault: Fault
  /** It comes only where JSON is: half a document of the right length is nothing that anyone could notice. */
  readonly jsonOnly?: true
  readonly weight: number
}

/** An HTTP date that has passed: come back at once. */
const LONG_AGO = 'Mon, 02 Mar 2020 00:00:00 GMT'

/** What goes wrong with requests to any part of the service. */
export const STORM: readonly Gust[] = [
  { fault: { reset: 'before' }, weight: 20 },
  { fault: { reset: 'mid-body' }, weight: 15 },
  { fault: { truncate: true }, weight: 15 },
  { fault: { malformed: 'http' }, weight: 10 },
  { fault: { malformed: 'json' }, jsonOnly: true, weight: 15 },
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
]

/** Each gust with the chance that a request meets it, so that `share` of the requests meet one. */
export function chances(storm: readonly Gust[], share: number): (Gust & { probability: number })[] {
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
