import pRetry from 'p-retry'
import { ignore } from '../../common/ignore.js'
import type { Deadline } from './deadline.js'

/** How an operation is retried. */
export interface RetryPlan<T> {
  /** Maximum number of retries. */
  readonly maxRetries: number
  readonly deadline: Deadline
  attempt(): Promise<T>
  /** Milliseconds to wait before the next attempt; `undefined` when the error is final. `retries` counts the earlier ones. */
  pauseAfter(error: unknown, retries: number): number | undefined
}

/** Runs an attempt and retries it as the plan says. Every pause ends with the deadline. */
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
    // Every option of p-retry, so that none is read from a polluted `Object.prototype`.
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
