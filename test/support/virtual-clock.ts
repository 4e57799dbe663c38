import type { Clock, Timer } from '../../src/common/clock.js'

interface Pending {
  readonly at: number
  readonly callback: () => void
}

/** Virtual time that advances to the next timer as soon as nothing else can run. */
export class VirtualClock implements Clock {
  readonly #pending = new Set<Pending>()
  #now = 1_000_000

  now = (): number => this.#now
  monotonic = (): number => this.#now

  schedule = (callback: () => void, delayMs: number): Timer => {
    const pending = { at: this.#now + delayMs, callback }
    this.#pending.add(pending)
    return { cancel: () => void this.#pending.delete(pending) }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve, ms))
  }

  /** Runs the clock until `goal` is reached. */
  async run<T>(goal: Promise<T>): Promise<T> {
    let reached = false
    const reach = (): void => {
      reached = true
    }
    goal.then(reach, reach)
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (reached) return goal
      const next = this.#next()
      if (next === undefined) throw new Error('nothing will ever happen again')
      this.#pending.delete(next)
      this.#now = next.at
      next.callback()
    }
  }

  #next(): Pending | undefined {
    let next: Pending | undefined
    for (const pending of this.#pending) if (next === undefined || pending.at < next.at) next = pending
    return next
  }
}
