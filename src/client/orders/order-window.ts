import { ConfigurationError } from '../../common/configuration-error.js'
import type { CallContext } from '../call/api-client.js'
import { timeOfSince } from '../core/since.js'

const LOOK_BACK_MS = 24 * 3_600_000

/**
 * Extension of the window for differences between clocks, in milliseconds. A long window costs a page; a short
 * one may cost a second order.
 */
const MARGIN_MS = 15 * 60_000

/**
 * Returns the start of a lookup by key, by the server clock. A clock difference only extends the window:
 * `since` may come from another machine with a correct clock.
 */
export function startOfSearch(
  { serverClock }: Pick<CallContext, 'serverClock'>,
  since: Date | string | undefined,
): () => number {
  const now = serverClock.moment()
  const refusal = (message: string): Error => new ConfigurationError(message)
  const given = timeOfSince(since, Number.POSITIVE_INFINITY, refusal)
  return () => {
    const serviceNow = serverClock.at(now)
    const start = given - Math.max(0, now.wall - serviceNow) - MARGIN_MS
    // A time in the future comes from an incorrect clock and is ignored.
    return start <= serviceNow ? start : serviceNow - LOOK_BACK_MS
  }
}
