import { nextTurn } from './runtime.js'

/** Knows whether requests are being worked on, so that the clock does not move under their feet. */
export class Activity {
  #busy = 0

  /** Counts as busy until the work ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await work()
    } finally {
      this.#busy -= 1
    }
  }

  /** Does not count while it waits for `pause`: for time to pass, for example. */
  async outside(pause: Promise<void>): Promise<void> {
    this.#busy -= 1
    try {
      await pause
    } finally {
      this.#busy += 1
    }
  }

  /** Resolves once every request is answered or waits for time to pass. */
  async quiet(): Promise<void> {
    do await nextTurn()
    while (this.#busy > 0)
  }
}
