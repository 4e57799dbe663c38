import { ConfigurationError } from '../../common/configuration-error.js'
import type { CallContext } from '../call/api-client.js'
import { timeOfSince } from '../core/since.js'

const LOOK_BACK_MS = 24 * 3_600_000

/** Clocks differ. A key is exact: to look too far back costs a page, to look not far enough a second order. */
const MARGIN_MS = 15 * 60_000

/**
 * How far back an order is looked for by its key, by the service's clock as far as it is known by then. What is known
 * only widens the look: the time may come from another machine, whose clock is right.
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
    // A time to come is a wrong clock's, and tells nothing.
    return start <= serviceNow ? start : serviceNow - LOOK_BACK_MS
  }
}
