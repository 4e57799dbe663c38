/** Capacity and costs of the retry budget, in tokens. The values are those of the AWS SDKs. */
const CAPACITY = 500
const RETRY = 5
const RETRY_AFTER_TIMEOUT = 10

/** Tokens that a success without a retry gives back: ten such successes give back the tokens of one retry. */
const SUCCESS = 0.5

interface FailureCause {
  readonly status?: number | undefined
  /** Cause of a failed connection. */
  readonly reason?: string | undefined
}

/**
 * Returns the tokens that a retry after this failure takes. A timeout costs twice as much as any other
 * failure: it occupied a connection or a server process for a long time.
 */
export function retryCost({ status, reason }: FailureCause): number {
  const isTimeout = status === 408 || status === 504 || reason === 'connect-timeout'
  return isTimeout ? RETRY_AFTER_TIMEOUT : RETRY
}

/**
 * Limits the load that retries add to a failing service: 100 retries at first, then one more for each ten successes. A
 * retry after a timeout counts as two. A call that succeeds after retries gives back the tokens of these retries.
 */
export class RetryBudget {
  #left = CAPACITY

  /** Takes the tokens of one retry; returns `false` when too few are left. */
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
