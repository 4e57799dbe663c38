import type { ServerClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { givenTime } from '../core/caller-input.js'

/** Time before the request at which the lookup window starts, in milliseconds, because clocks differ. */
export const LOOKUP_MARGIN_MS = 5 * 60_000

/** Time before the call at which a lookup by key starts by default, in milliseconds. */
const LOOK_BACK_MS = 24 * 3_600_000

/** Time before the caller's `since` at which the lookup starts, in milliseconds, because clocks differ. */
const SINCE_MARGIN_MS = 15 * 60_000

/** Difference between clocks up to which the ledger's `since` is not corrected, in milliseconds. */
const MIN_CLOCK_ERROR_MS = 60_000

function readSince(since: Date | string | undefined): number {
  return givenTime('since', since, Number.POSITIVE_INFINITY, (message) => new ConfigurationError(message))
}

/**
 * Returns the start of a lookup by key: the caller's `since`, less the margin and the difference between the two
 * clocks. The difference only extends the window: `since` may come from another machine, and a gateway may send an
 * incorrect Date header. Returns `undefined` without `since`, and for a start that is in the future by both clocks,
 * because it comes from a third, incorrect clock.
 *
 * @param toleratedMs - Clock difference up to which the start is not changed.
 */
function startOf(given: number, wall: number, serviceNow: number, toleratedMs: number): number | undefined {
  const start = given - SINCE_MARGIN_MS
  if (start > Math.max(wall, serviceNow)) return undefined
  const differenceMs = Math.abs(wall - serviceNow)
  return differenceMs > toleratedMs ? start - differenceMs : start
}

/** Returns the start of the lookup as the ledger's `since`; `undefined` for the ledger's default. */
export function sinceOf(serverClock: ServerClock, since: Date | string | undefined): Date | undefined {
  const now = serverClock.moment()
  const start = startOf(readSince(since), now.wall, serverClock.at(now), MIN_CLOCK_ERROR_MS)
  return start === undefined ? undefined : new Date(start)
}

export function windowStartOf(serverClock: ServerClock, since: Date | string | undefined): () => number {
  const now = serverClock.moment()
  const given = readSince(since)
  return () => {
    const serviceNow = serverClock.at(now)
    return startOf(given, now.wall, serviceNow, 0) ?? Math.min(now.wall, serviceNow) - LOOK_BACK_MS
  }
}
