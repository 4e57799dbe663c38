import type { Clock, Timer } from '../../src/common/clock.js'

interface Pending {
  readonly due: number
  readonly run: () => void
}

/**
 * A clock that is stopped. A wait for which `skip` returns `true` ends at once and advances the clock by its
 * length. Other waits (the deadlines of calls) end when skipped waits or `advance` have advanced the clock
 * that far.
 */
export class SkippingClock implements Clock {
  /** The lengths of the waits that were skipped, in order. */
  readonly slept: number[] = []
  readonly #skip: (delayMs: number) => boolean
  readonly #pending = new Set<Pending>()
  #wall: number
  #elapsed = 0

  constructor({
    skip = (delayMs) => delayMs <= 9_000,
    now = Date.now(),
  }: { skip?: (delayMs: number) => boolean; now?: number } = {}) {
    this.#skip = skip
    this.#wall = now
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#elapsed
  }

  /** Number of timers that have neither run nor been cancelled. */
  get pending(): number {
    return this.#pending.size
  }

  schedule(callback: () => void, delayMs: number): Timer {
    const timer: Pending = { due: this.#elapsed + delayMs, run: callback }
    this.#pending.add(timer)
    if (this.#skip(delayMs)) {
      setImmediate(() => {
        if (!this.#pending.has(timer)) return
        this.slept.push(delayMs)
        this.advance(Math.max(0, timer.due - this.#elapsed))
      })
    }
    return { cancel: () => this.#pending.delete(timer) }
  }

  /** Advances both clocks and runs the timers that are due. */
  advance(ms: number): void {
    this.#wall += ms
    this.#elapsed += ms
    const due = [...this.#pending].filter((timer) => timer.due <= this.#elapsed)
    for (const timer of due.sort((a, b) => a.due - b.due)) {
      if (this.#pending.delete(timer)) timer.run()
    }
  }

  /** Sets only the wall clock, as an administrator or NTP does. */
  jumpWall(ms: number): void {
    this.#wall += ms
  }
}
