/** A pending timer. */
export interface Timer {
  /** Forgets the callback; once it has run, does nothing. */
  cancel(): void
}

/** Where the package reads time from and sleeps on. Tests pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump when the system's clock is set. */
  now(): number
  /** Milliseconds on a clock that never goes back; it may stand still while the machine sleeps. */
  monotonic(): number
  /** Calls `callback` once after `delayMs` milliseconds. */
  schedule(callback: () => void, delayMs: number): Timer
}

/** Node fires a longer timer at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** The machine's own clocks and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(callback, delayMs) {
    const handle = setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS))
    return { cancel: () => clearTimeout(handle) }
  },
}
