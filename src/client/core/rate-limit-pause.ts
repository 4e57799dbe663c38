import type { Clock } from '../../common/clock.js'
import { LONGEST_RETRY_AFTER_MS } from './backoff.js'
import type { Deadline } from './deadline.js'

/**
 * After a 429 all calls of the client wait as long as the service asked, and a little more, each for itself (§8). A
 * minute at the most: what one answer says must not stop a client for good.
 */
export class CoolDown {
  readonly #clock: Clock
  readonly #random: () => number
  #until = 0

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  start(retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) return
    const until = this.#clock.monotonic() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
    this.#until = Math.max(this.#until, until)
  }

  /** Milliseconds until it ends; 0 where there is none. */
  get leftMs(): number {
    if (this.#until === 0) return 0
    const left = this.#until - this.#clock.monotonic()
    if (left <= 0) this.#until = 0
    return Math.max(0, left)
  }

  /** Waits until it ends, or a little longer. */
  wait(deadline: Deadline): Promise<void> {
    const left = this.leftMs
    const more = (this.#random() * left) / 10
    return deadline.sleep(left + more < deadline.remainingMs ? left + more : left)
  }
}
