/** Source of time and timers. Tests can pass their own implementation. */
export interface Clock {
  /** Milliseconds since the Unix epoch. The value jumps if the system's clock is set. */
  now(): number
  /** Milliseconds of a clock that never goes back. It may stop while the machine sleeps. */
  monotonic(): number
  /** Calls `callback` once after `delayMs` milliseconds. Returns the pending timer. */
  schedule(
    callback: () => void,
    delayMs: number,
  ): {
    /** Cancels the callback. Has no effect after the callback has run. */
    cancel(): void
  }
}

/** A pending timer. */
export type Timer = ReturnType<Clock['schedule']>

/**
 * One point in time on two clocks. Neither clock is reliable alone: the wall clock may be set, and the monotonic clock
 * may stop while the machine sleeps. Times are in milliseconds.
 */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** Returns the present time on the wall clock and on the monotonic clock, in milliseconds. */
export function momentOf(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() }
}

export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(resolve, delayMs)
  })
}

/** Maximum timer duration, in milliseconds. Node runs the callback of a longer timer immediately. */
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

/** Time of the service, from its Date headers: the local clock may be set incorrectly. */
export class ServerClock {
  readonly #clock: Clock
  #seen: { readonly header: string; readonly at: Moment } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  observe(header: string | string[] | undefined): void {
    if (typeof header !== 'string') return
    const seen = this.#seen
    // The header has a resolution of one second. The first response with a new value is nearest to the start of that
    // second.
    const monotonic = this.#clock.monotonic()
    if (header === seen?.header && monotonic - seen.at.monotonic < 1_000) return
    this.#seen = { header, at: { wall: this.#clock.now(), monotonic } }
  }

  /** Returns the present moment, which `at` converts to the time of the service. */
  moment(): Moment {
    return momentOf(this.#clock)
  }

  /** Returns the time of the service, in milliseconds since the Unix epoch. */
  now(): number {
    return this.at(this.moment())
  }

  /**
   * Converts a local moment to the time of the service, in milliseconds since the Unix epoch. Computes the time by both
   * local clocks, because either can be wrong. Returns the earlier result, so that the time is never too late. Returns
   * the local time before the first Date header, and while the last one is invalid.
   */
  at({ wall, monotonic }: Moment): number {
    const seen = this.#seen
    if (seen === undefined) return wall
    const date = Date.parse(seen.header)
    if (Number.isNaN(date)) return wall
    return date - Math.max(seen.at.wall - wall, seen.at.monotonic - monotonic)
  }
}
