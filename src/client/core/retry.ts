import pRetry from 'p-retry'
import { ignore } from '../../common/errors.js'
import { AttemptFailure } from './attempt-failure.js'
import { type Attempts, decide, type Next, type RetryContext } from './decide.js'

/** The failed attempt before the present one, and what was decided after it. */
export interface Before {
  readonly failure: AttemptFailure
  readonly action: Next['action']
}

/** Makes attempts until one succeeds or {@link decide} says that its failure is thrown. */
export async function withRetries<T>(
  attempts: Attempts,
  context: RetryContext,
  attempt: (before: Before | undefined) => Promise<T>,
): Promise<T> {
  let before: Before | undefined
  // p-retry drops a result that arrives after an abort, so it does not get a signal. The pauses are made here instead.
  const result = await pRetry(() => attempt(before), {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 0,
    maxTimeout: 0,
    // Set, because a default that p-retry adds to its copy of the options is slow: without `randomize`, a call took 5 µs
    // more.
    factor: 1,
    maxRetryTime: Number.POSITIVE_INFINITY,
    randomize: false,
    signal: undefined,
    onFailedAttempt: ignore,
    shouldConsumeRetry: () => true,
    shouldRetry: async ({ error }) => {
      if (!(error instanceof AttemptFailure)) return false
      const { action, afterMs } = decide(error, attempts, context)
      if (action === 'throw') return false
      if (afterMs > 0) await attempts.deadline.sleep(afterMs)
      before = { failure: error, action }
      return true
    },
  })
  context.budget.succeeded(attempts.budgetTaken)
  return result
}
