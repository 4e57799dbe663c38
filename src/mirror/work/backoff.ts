import { setTimeout as sleep } from 'node:timers/promises'

/** Delays between failed attempts. */
export interface Backoff {
  readonly firstMs: number
  readonly factor: number
  readonly maxMs: number
}

/** Delays between failed reads of the service. The delays between 12 attempts are about 105 minutes in total. */
export const FETCH_BACKOFF: Backoff = { firstMs: 1_000, factor: 3, maxMs: 1_800_000 }

/** Delays between failed calls of a handler. The delays between 12 attempts are about 20 minutes in total. */
export const HANDLER_BACKOFF: Backoff = { firstMs: 1_000, factor: 2, maxMs: 600_000 }

/** Delays before a record is read again, after the service returned an old state of the record. */
export const REREAD_DELAYS_MS = [5_000, 25_000, 60_000] as const

/** Maximum number of repeated reads until the service returns the state that an event promised. */
export const PROMISE_REREADS = 5

/**
 * Returns the delay before the next attempt. Jitter spreads the attempts of work that failed at the same time.
 *
 * @param failures - Number of failed attempts, at least 1.
 */
export function delayAfter(
  { firstMs, factor, maxMs }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  const full = Math.min(maxMs, firstMs * factor ** (failures - 1))
  return Math.round(full * (0.5 + random() / 2))
}

/** Waits, or rejects with the reason of the signal. */
export async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(delayMs, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    // The timer's error has the reason as its cause.
    signal?.throwIfAborted()
    throw error
  }
}
