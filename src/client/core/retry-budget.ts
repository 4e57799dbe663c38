/** Tokens of a budget that is full, and what it gives and takes: the numbers of the AWS SDKs. */
const CAPACITY = 500
const RETRY = 5
const RETRY_AFTER_TIMEOUT = 10

/** Ten successes earn one retry. */
const SUCCESS = 0.5

/** The facts of a failure that decide what a retry after it costs. */
export interface RetryReason {
  readonly status?: number | undefined
  /** The connection error's reason. */
  readonly reason?: string | undefined
}

/**
 * Tokens that a retry after this failure takes. A time-out has kept a connection or a worker of the service busy for
 * long, so that a retry after it costs twice as much.
 */
export function retryCost({ status, reason }: RetryReason): number {
  const isTimeout = status === 408 || status === 504 || reason === 'connect-timeout'
  return isTimeout ? RETRY_AFTER_TIMEOUT : RETRY
}

/**
 * Keeps retries from multiplying the load on a service that fails: 100 retries to begin with, then a tenth of a retry
 * for each success. What succeeds after retries gets their tokens back.
 */
export class RetryBudget {
  #left = CAPACITY

  /** Takes the tokens of one retry; `false` when there are not enough. */
  take(cost: number): boolean {
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }

  /** Records a success whose retries took `taken` tokens. */
  succeeded(taken: number): void {
    this.#left = Math.min(CAPACITY, this.#left + Math.max(taken, SUCCESS))
  }
}
