import type { Clock } from '../../common/clock.js'

const SECOND_MS = 1_000

/** A moment on our own two clocks. */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** The service's time, as far as its Date headers tell: ours may be set wrongly. */
export class ServerClock {
  readonly #clock: Clock
  #seen: { readonly header: string; readonly at: Moment } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Reads the Date header of a response. */
  observe(header: string | string[] | undefined): void {
    if (typeof header !== 'string') return
    const seen = this.#seen
    // The header counts whole seconds: the first answer that shows one is the nearest to its beginning.
    const isKnown = header === seen?.header && this.#clock.monotonic() - seen.at.monotonic < SECOND_MS
    if (!isKnown) this.#seen = { header, at: this.moment() }
  }

  /** The present moment on our own clocks, for `at`. */
  moment(): Moment {
    return { wall: this.#clock.now(), monotonic: this.#clock.monotonic() }
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.at(this.moment())
  }

  /**
   * What the service's clock showed at a moment of ours. Since then the wall clock may have been set, and the monotonic
   * one may have stood still while the machine slept: the earlier of what they say is never too late.
   */
  at({ wall, monotonic }: Moment): number {
    const seen = this.#seen
    const date = seen === undefined ? Number.NaN : Date.parse(seen.header)
    if (seen === undefined || Number.isNaN(date)) return wall
    return date - Math.max(seen.at.wall - wall, seen.at.monotonic - monotonic)
  }
}
