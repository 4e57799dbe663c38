import pRetry from 'p-retry'
import { ignore } from '../../common/ignore.js'
import type { Deadline } from './deadline.js'

/** Retry rules of an operation. */
export interface RetryPlan<T> {
  /** Maximum number of retries. */
  readonly maxRetries: number
  readonly deadline: Deadline
  attempt(): Promise<T>
  /**
   * Returns the pause before the next attempt in milliseconds; `undefined` for a final error. `retries` is the
   * number of retries so far.
   */
  pauseAfter(error: unknown, retries: number): number | undefined
}

/** Runs an attempt and retries it by the plan. Each pause ends early with the deadline. */
export function withRetries<T>(plan: RetryPlan<T>): Promise<T> {
  let pause: number | undefined
  const attempt = async (): Promise<T> => {
    if (pause !== undefined && pause > 0) await plan.deadline.sleep(pause)
    return plan.attempt()
  }
  // p-retry drops a result that arrives after an abort, so it gets neither the caller's signal nor the pauses.
  return pRetry(attempt, {
    retries: plan.maxRetries,
    minTimeout: 0,
    maxTimeout: 0,
    // Sets every option of p-retry, so that none is read from a polluted `Object.prototype`.
    factor: 1,
    maxRetryTime: Number.POSITIVE_INFINITY,
    randomize: false,
    signal: undefined,
    unref: false,
    onFailedAttempt: ignore,
    shouldConsumeRetry: () => true,
    shouldRetry: ({ error, retriesConsumed }) => {
      pause = plan.pauseAfter(error, retriesConsumed)
      return pause !== undefined
    },
  })
}
