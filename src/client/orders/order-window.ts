import type { ServerClock } from '../../common/clock.js'
import { ConfigurationError } from '../../common/errors.js'
import { givenTime } from '../core/caller-input.js'

/** Time from the start of the lookup window to the request, in milliseconds. Needed because clocks differ. */
export const LOOKUP_MARGIN_MS = 5 * 60_000

/** Time from the start of the lookup window to the call, for a lookup by key without `since`, in milliseconds. */
const LOOK_BACK_MS = 24 * 3_600_000

/** Time from the start of the lookup window to the caller's `since`, in milliseconds. Needed because clocks differ. */
const SINCE_MARGIN_MS = 15 * 60_000

/** Difference between clocks up to which the ledger's `since` is not corrected, in milliseconds. */
const MIN_CLOCK_ERROR_MS = 60_000

function readSince(since: Date | string | undefined): number {
  return givenTime('since', since, Number.POSITIVE_INFINITY, (message) => new ConfigurationError(message))
}

/**
 * Returns the start of the window of a lookup by key: the caller's `since`, less the margin and the difference between
 * the local clock and the server clock. The difference only extends the window, because either clock can be wrong:
 * `since` may come from another machine, and a gateway may send an incorrect Date header. Returns `undefined` without
 * `since`. Also returns `undefined` for a start that is in the future by both clocks: such a start comes from a third,
 * incorrect clock.
 *
 * @param given - The caller's `since`, in milliseconds; infinite without `since`.
 * @param toleratedMs - Clock difference up to which the start is not changed.
 */
function startOf(given: number, wall: number, serviceNow: number, toleratedMs: number): number | undefined {
  const start = given - SINCE_MARGIN_MS
  if (start > Math.max(wall, serviceNow)) return undefined
  const differenceMs = Math.abs(wall - serviceNow)
  // Not before 1970: a ledger or a `Date` may not be able to represent an earlier time.
  return Math.max(0, differenceMs > toleratedMs ? start - differenceMs : start)
}

/** Returns the start of the lookup window as the ledger's `since`; `undefined` for the ledger's default. */
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
