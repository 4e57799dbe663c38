import { timeOf } from '../core/since.js'

/** Records created at nearly the same time can change places. */
const DISORDER_MS = 60_000

/** Times can be whole seconds: records of one second show no order. */
const PRECISION_MS = 1_000

/** Tells from their `createdAt` how far back the records of a list were read, if the list is newest first at all. */
export class NewestFirst {
  #first = Number.NaN
  #last = Number.NaN
  #oldest = Number.POSITIVE_INFINITY
  #isOrdered = true
  #count = 0

  /** Takes the next records of the list. A `createdAt` that cannot be read says nothing. */
  take(records: readonly { readonly createdAt?: unknown }[]): void {
    for (const { createdAt } of records) this.#takeTime(timeOf(createdAt))
  }

  /**
   * Whether all records since then were read. Never true of a list that is not newest first, nor after a single record,
   * which shows no order: such a list must be read to its end.
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
