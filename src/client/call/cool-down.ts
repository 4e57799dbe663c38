import type { Clock } from '../../common/clock.js'
import { LONGEST_RETRY_AFTER_MS } from './backoff.js'
import type { Deadline } from './deadline.js'

/** After a 429 all calls of the client wait as long as the service asked, and a little more, each for itself (§8). */
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

  /** The end of the cool-down; `undefined` when there is none, or when it would outlast the call. */
  wait(deadline: Deadline): Promise<void> | undefined {
    if (this.#until === 0) return undefined
    const left = this.#until - this.#clock.monotonic()
    if (left <= 0) this.#until = 0
    if (left <= 0 || left >= deadline.remainingMs) return undefined
    const more = (this.#random() * left) / 10
    return deadline.sleep(left + more < deadline.remainingMs ? left + more : left)
  }
}
