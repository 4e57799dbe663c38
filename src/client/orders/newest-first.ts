import type { Referral } from '../../contract/types.js'
import { timeOf } from '../core/since.js'

/** Records created at nearly the same time can change places. */
const DISORDER_MS = 60_000

/** Tells from their `createdAt` how far back the referrals of a list were read, if the list is newest first at all. */
export class NewestFirst {
  #first = Number.NaN
  #last = Number.NaN
  #oldest = Number.POSITIVE_INFINITY
  #isOrdered = true

  /** Takes the next record of the list. A `createdAt` that cannot be read says nothing. */
  take({ createdAt }: Referral): void {
    const time = timeOf(createdAt)
    if (Number.isNaN(time)) return
    if (Number.isNaN(this.#first)) this.#first = time
    if (time > this.#oldest + DISORDER_MS) this.#isOrdered = false
    this.#oldest = Math.min(this.#oldest, time)
    this.#last = time
  }

  /**
   * Whether all records since then were read. Never true of a list that is not seen to be newest first: it must be read
   * to its end.
   */
  hasPassed(since: number): boolean {
    return this.#isOrdered && this.#last < this.#first && this.#last < since
  }
}
