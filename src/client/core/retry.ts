import pRetry from 'p-retry'
import { ignore, type Outcome } from '../../common/errors.js'
import type { RetryClass } from '../../contract/endpoint.js'
import type { InvalidResponseReason } from '../errors/errors.js'
import type { Deadline } from './deadline.js'
import { decideRetry, type FailureKind, pauseMs } from './retry-policy.js'

export interface RetryPlan<T> {
  readonly maxRetries: number
  readonly deadline: Deadline
  readonly attempt: () => Promise<T>
  /**
   * Returns the pause before the next attempt in milliseconds, such as that of `pauseMs` in retry-policy.ts;
   * `undefined` to end with the error. Called once after each failed attempt, until there were `maxRetries` retries.
   * May have effects, such as taking tokens of the retry budget. `retries` is the number of retries so far.
   */
  pauseAfter(error: unknown, retries: number): number | undefined
}

/** Runs an attempt and retries it by the plan. Each pause ends early with the deadline. */
export function withRetries<T>(plan: RetryPlan<T>): Promise<T> {
  // p-retry drops a result that arrives after an abort, so it does not get a signal. The pauses are made here instead.
  return pRetry(plan.attempt, {
    retries: plan.maxRetries,
    minTimeout: 0,
    maxTimeout: 0,
    // Set, so that p-retry does not read them from a polluted `Object.prototype`. A default that p-retry adds to its
    // copy of the options is slow: without `randomize`, a call took 5 µs more.
    factor: 1,
    maxRetryTime: Number.POSITIVE_INFINITY,
    randomize: false,
    signal: undefined,
    onFailedAttempt: ignore,
    shouldConsumeRetry: () => true,
    shouldRetry: async ({ error, retriesConsumed }) => {
      const pause = plan.pauseAfter(error, retriesConsumed)
      if (pause === undefined) return false
      if (pause > 0) await plan.deadline.sleep(pause)
      return true
    },
  })
}

/** Rules of an operation that is retried by the table of retries in retry-policy.ts, without reconciliation. */
export interface RetryRules {
  readonly retry: RetryClass
  readonly maxRetries: number
  readonly deadline: Deadline
  readonly random: () => number
  readonly budget: RetryBudget
}

/** Runs an attempt and retries it by the table. A retry takes tokens from the budget, and a success gives them back. */
export async function retryByTable<T>(rules: RetryRules, attempt: () => Promise<T>): Promise<T> {
  const { retry, maxRetries, deadline, random, budget } = rules
  let taken = 0
  const pauseAfter = (error: unknown, retries: number): number | undefined => {
    if (!(error instanceof AttemptFailure)) return undefined
    const facts = { retry, reconcile: undefined, failure: error.kind, retries, maxRetries }
    if (decideRetry(facts) !== 'retry') return undefined
    const pause = pauseMs(retries + 1, random(), error.retryAfterMs)
    if (pause >= deadline.remainingMs || !budget.take(error.retryCost)) return undefined
    taken += error.retryCost
    return pause
  }
  const result = await withRetries({ maxRetries, deadline, attempt, pauseAfter })
  budget.succeeded(taken)
  return result
}

/** Capacity and costs of the retry budget, in tokens. The values are those of the AWS SDKs. */
const CAPACITY = 500
const RETRY = 5
const RETRY_AFTER_TIMEOUT = 10

/** Tokens that a success without a retry gives back: ten such successes give back the tokens of one retry. */
const SUCCESS = 0.5

/**
 * Returns the tokens that a retry after this failure takes. A timeout costs twice as much as any other
 * failure: it occupied a connection or a server process for a long time.
 */
export function retryCost({ status, reason }: Pick<AttemptFacts, 'status' | 'reason'>): number {
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

interface AttemptFacts {
  /** Effect of this attempt, as far as it is known. */
  readonly outcome: Outcome
  /** Creates the public error, from the present state of the operation. */
  readonly toPublic: () => Error
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  /** Cause of a failed connection. */
  readonly reason?: string | undefined
  /** Retry budget tokens that a retry takes. Default: the cost that follows from status and reason. */
  readonly retryCost?: number | undefined
}

/** Failed attempt, with the facts that the retry table needs and the public error. */
export class AttemptFailure extends Error {
  readonly kind: FailureKind
  readonly outcome: Outcome
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly retryCost: number
  readonly toPublic: () => Error

  constructor(kind: FailureKind, facts: AttemptFacts) {
    super(kind)
    this.kind = kind
    this.outcome = facts.outcome
    this.status = facts.status
    this.retryAfterMs = facts.retryAfterMs
    this.retryCost = facts.retryCost ?? retryCost(facts)
    this.toPublic = facts.toPublic
  }
}

/** Success response that is not usable. `detail` is safe to show: names of fields, rules or a known error code. */
export class ReadFailure extends Error {
  readonly reason: InvalidResponseReason
  readonly kind: FailureKind
  readonly detail: string | undefined

  constructor(reason: InvalidResponseReason, kind: FailureKind, detail?: string) {
    super(reason)
    this.reason = reason
    this.kind = kind
    this.detail = detail
  }
}
