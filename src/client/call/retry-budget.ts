/** In tenths of a retry, so that sums come out whole. */
const CAPACITY = 100
const RETRY = 10
const EARNED_BY_CALL = 1

/**
 * Keeps retries from multiplying the load on a service that fails: ten retries to begin with, a tenth of one earned by
 * each call that succeeds without any; a call that succeeds after retries gets them back.
 */
export class RetryBudget {
  #left = CAPACITY

  /** Takes what one retry costs; `false` when there is not enough. */
  take(): boolean {
    if (this.#left < RETRY) return false
    this.#left -= RETRY
    return true
  }

  /** Notes a call that succeeded after `retries` retries. */
  succeeded(retries: number): void {
    this.#left = Math.min(CAPACITY, this.#left + Math.max(retries * RETRY, EARNED_BY_CALL))
  }
}
