/** A pending timer. */
export interface Timer {
  /** Cancels the callback. Has no effect after the callback has run. */
  cancel(): void
}

/** Source of time and timers. Tests can pass their own implementation. */
export interface Clock {
  /** Milliseconds since the Unix epoch. The value jumps if the system's clock is set. */
  now(): number
  /** Milliseconds of a clock that never goes back. It may stop while the machine sleeps. */
  monotonic(): number
  /** Calls `callback` once after `delayMs` milliseconds. */
  schedule(callback: () => void, delayMs: number): Timer
}

/**
 * One point in time on two clocks. Neither clock is reliable alone: the wall clock may be set, and the monotonic clock
 * may stop while the machine sleeps.
 */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** Returns the present time on the wall clock and on the monotonic clock, in milliseconds. */
export function momentOf(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() }
}

/** Waits for a number of milliseconds. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(resolve, delayMs)
  })
}

/** Maximum timer duration. Node runs the callback of a longer timer immediately. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** The machine's own clocks and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(callback, delayMs) {
    if (delayMs <= LONGEST_TIMER_MS) {
      const handle = setTimeout(callback, delayMs)
      return { cancel: () => clearTimeout(handle) }
    }
    const scheduleRest = (): void => {
      timer = systemClock.schedule(callback, delayMs - LONGEST_TIMER_MS)
    }
    let timer = systemClock.schedule(scheduleRest, LONGEST_TIMER_MS)
    return { cancel: () => timer.cancel() }
  },
}
