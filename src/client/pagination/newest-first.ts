import { timeOf } from '../core/option-values.js'

/** Records created at nearly the same time can change places. */
const DISORDER_MS = 60_000

/** Times can be whole seconds: records of one second show no order. */
const PRECISION_MS = 1_000

/** Computes from `createdAt` how far back a list was read, if it is newest first. */
export class NewestFirst {
  #first = Number.NaN
  #last = Number.NaN
  #oldest = Number.POSITIVE_INFINITY
  #isOrdered = true
  #count = 0

  /** Records the next records of the list. It ignores a `createdAt` that is not readable. */
  take(records: readonly { readonly createdAt?: unknown }[]): void {
    for (const { createdAt } of records) this.#takeTime(timeOf(createdAt))
  }

  /**
   * Returns `true` when all records since a time were read. A list that is not newest first, or has a single
   * record, shows no order and must be read to its end.
   */
  hasPassed(since: number): boolean {
    return (
      this.#count > 1 && this.#isOrdered && this.#last <= this.#first + PRECISION_MS && this.#last < since
    )
  }

  #takeTime(time: number): void {
    if (Number.isNaN(time)) return
    if (Number.isNaN(this.#first)) this.#first = time
    if (time > this.#oldest + DISORDER_MS) this.#isOrdered = false
    this.#oldest = Math.min(this.#oldest, time)
    this.#last = time
    this.#count += 1
  }
}
