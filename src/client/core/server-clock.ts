import { type Clock, type Moment, momentOf } from '../../common/clock.js'

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
    const isKnown = header === seen?.header && this.#clock.monotonic() - seen.at.monotonic < 1_000
    if (!isKnown) this.#seen = { header, at: this.moment() }
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
   * Returns the service's time at a local moment. The wall clock may have been set since, and the monotonic clock stops
   * while a machine sleeps. Returns the earlier of the two results, which is never too late.
   */
  at({ wall, monotonic }: Moment): number {
    const seen = this.#seen
    if (seen === undefined) return wall
    const date = Date.parse(seen.header)
    if (Number.isNaN(date)) return wall
    return date - Math.max(seen.at.wall - wall, seen.at.monotonic - monotonic)
  }
}
