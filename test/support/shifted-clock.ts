import { type Clock, systemClock, type Timer } from '../../src/common/clock.js'

/**
 * The machine's clock. A test can set it forward, so that tokens expire, or speed it up. Only `speed` affects timers.
 */
export class ShiftedClock implements Clock {
  readonly #speed: number
  readonly #startedAt = systemClock.now()
  readonly #startedMonotonic = systemClock.monotonic()
  #shiftMs = 0

  constructor({ speed = 1 }: { readonly speed?: number } = {}) {
    this.#speed = speed
  }

  now = (): number => this.#startedAt + this.monotonic()

  monotonic = (): number => (systemClock.monotonic() - this.#startedMonotonic) * this.#speed + this.#shiftMs

  schedule = (callback: () => void, delayMs: number): Timer =>
    systemClock.schedule(callback, delayMs / this.#speed)

  advance(ms: number): void {
    this.#shiftMs += ms
  }
}
