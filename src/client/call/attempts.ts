import pRetry from 'p-retry'
import type { Deadline } from './deadline.js'

/** How to repeat something that can fail. */
export interface AttemptPlan<T> {
  /** Retries at the most. */
  readonly maxRetries: number
  readonly deadline: Deadline
  attempt(): Promise<T>
  /** Milliseconds to wait before the next attempt after this failure; `undefined` gives up. */
  pauseAfter(error: unknown, retries: number): number | undefined
}

/** Runs an attempt, and again as long as the plan says so. Every wait ends with the deadline. */
export async function withRetries<T>(plan: AttemptPlan<T>): Promise<T> {
  try {
    return await plan.attempt()
  } catch (error) {
    return retryAfter(error, plan)
  }
}

/** Goes on after a first attempt that failed with `error`. */
export function retryAfter<T>(error: unknown, plan: AttemptPlan<T>): Promise<T> {
  const pause = plan.maxRetries > 0 ? plan.pauseAfter(error, 0) : undefined
  return pause === undefined ? Promise.reject(error) : repeat(plan, pause)
}

function repeat<T>(plan: AttemptPlan<T>, firstPause: number): Promise<T> {
  let pause = firstPause
  const attempt = async (): Promise<T> => {
    await plan.deadline.sleep(pause)
    return plan.attempt()
  }
  // The pauses and the caller's signal are the plan's: p-retry drops an answer that arrives after an abort.
  return pRetry(attempt, {
    retries: plan.maxRetries - 1,
    minTimeout: 0,
    maxTimeout: 0,
    shouldRetry: ({ error, attemptNumber }) => {
      const next = plan.pauseAfter(error, attemptNumber)
      if (next === undefined) return false
      pause = next
      return true
    },
  })
}
