import pRetry from 'p-retry'
import { ignore, type Outcome } from '../../common/errors.js'
import type { Reconciliation, RetryClass } from '../../contract/endpoint.js'
import { moreSevere } from '../errors/error-texts.js'
import type { Deadline } from './deadline.js'
import { ALL, type FailureKind, pauseMs, RECONCILE_TABLE, RETRY_TABLE } from './retry-policy.js'

/** The failed attempt before the present one, and what was decided after it. */
export interface Before {
  readonly failure: AttemptFailure
  readonly action: Next['action']
}

/** Makes attempts until one succeeds or {@link decide} says that its failure is thrown. */
export async function withRetries<C extends RetryContext, A extends Attempts, T>(
  context: C,
  attempts: A,
  attempt: (context: C, attempts: A, before: Before | undefined) => Promise<T>,
): Promise<T> {
  let before: Before | undefined
  // p-retry drops a result that arrives after an abort, so it does not get a signal. The pauses are made here instead.
  const result = await pRetry(() => attempt(context, attempts, before), {
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
  if (context.budget.left < CAPACITY) context.budget.succeeded(attempts.budgetTaken)
  return result
}

/** A call, a token request or a download: what permits its attempts, and their state. */
export interface Attempts {
  readonly retry: RetryClass
  /** Lookup that shows whether a lost request was carried out; `undefined` without one. */
  readonly reconcile: Reconciliation | undefined
  readonly maxRetries: number
  readonly deadline: Deadline
  /** `true` when a rate limiter pauses the operation after a 429. Otherwise it waits by itself. */
  readonly isPaced: boolean
  retries: number
  /** Number of times that the request was sent with a new token after a 401. */
  replays: number
  /** Tokens of the retry budget that the retries took. */
  budgetTaken: number
  /** Most severe outcome of the attempts before the present one. */
  outcomeBefore: Outcome
}

/** Returns the state of an operation before its first attempt: one without a lookup and without a rate limiter. */
export function newAttempts(retry: RetryClass, maxRetries: number, deadline: Deadline): Attempts {
  const state = { retries: 0, replays: 0, budgetTaken: 0, outcomeBefore: 'not-sent' } as const
  return { retry, reconcile: undefined, maxRetries, deadline, isPaced: false, ...state }
}

/** What comes after a failed attempt. `afterMs`: pause before it. */
export interface Next {
  readonly action: 'throw' | 'retry' | 'new-token' | 'wait-turn' | 'look-up'
  readonly afterMs: number
}

const THROW: Next = { action: 'throw', afterMs: 0 }
const NEW_TOKEN: Next = { action: 'new-token', afterMs: 0 }
const WAIT_TURN: Next = { action: 'wait-turn', afterMs: 0 }
const LOOK_UP: Next = { action: 'look-up', afterMs: 0 }

/** What the operations of a client share. */
export interface RetryContext {
  readonly budget: RetryBudget
  readonly options: { readonly random: () => number }
}

/**
 * Says what comes after a failed attempt, and counts it:
 * - 401: the request is sent with a new token, once. If that token came from another process, once more.
 * - Held back by the rate limiter: it waits for its turn. This is not a retry.
 * - Lost, with a lookup: the lookup shows whether the request was carried out. If not, any failure may be retried.
 * - Anything else: as the table of retries says, unless the pause is longer than the deadline or 60 s, or the retry
 *   budget is used up.
 */
export function decide(failure: AttemptFailure, attempts: Attempts, { budget, options }: RetryContext): Next {
  const { kind, outcome, hadNoEffect, retryCost } = failure
  const { retry, reconcile, maxRetries, deadline } = attempts
  if (kind === 'held-back') return WAIT_TURN
  if (kind === 'token-rejected') {
    if (attempts.replays >= failure.maxReplays) return THROW
    attempts.replays += 1
    attempts.outcomeBefore = moreSevere(attempts.outcomeBefore, outcome)
    return NEW_TOKEN
  }
  if (!hadNoEffect && reconcile !== undefined && RECONCILE_TABLE[reconcile].has(kind)) return LOOK_UP
  const isRepeatable = hadNoEffect && kind !== 'done-before'
  const most = isRepeatable ? ALL : (RETRY_TABLE[retry][kind] ?? 0)
  if (attempts.retries >= Math.min(most, maxRetries)) return THROW
  const afterMs = pauseMs(attempts.retries + 1, options.random(), failure.retryAfterMs)
  if (afterMs >= deadline.remainingMs || !budget.take(retryCost)) return THROW
  attempts.retries += 1
  attempts.budgetTaken += retryCost
  attempts.outcomeBefore = moreSevere(attempts.outcomeBefore, outcome)
  return kind === 'rate-limited' && attempts.isPaced ? WAIT_TURN : { action: 'retry', afterMs }
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
  /** Number of times that the request of a call may be sent with a new token after a 401. */
  readonly maxReplays?: number | undefined
}

/** Failed attempt, with the facts that `decide` needs and the public error. */
export class AttemptFailure extends Error {
  readonly kind: FailureKind
  readonly outcome: Outcome
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly retryCost: number
  readonly maxReplays: number
  readonly toPublic: () => Error
  /** `true` when a lookup has shown that the request was not carried out. */
  hadNoEffect = false

  constructor(kind: FailureKind, facts: AttemptFacts) {
    super(kind)
    this.kind = kind
    this.outcome = facts.outcome
    this.status = facts.status
    this.retryAfterMs = facts.retryAfterMs
    this.retryCost = facts.retryCost ?? retryCost(facts)
    this.maxReplays = facts.maxReplays ?? 0
    this.toPublic = facts.toPublic
  }
}

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
  /** Tokens that are left. */
  left = CAPACITY

  /** Takes the tokens of one retry; returns `false` when too few are left. */
  take(cost: number): boolean {
    if (this.left < cost) return false
    this.left -= cost
    return true
  }

  /** Records a success whose retries took `taken` tokens. */
  succeeded(taken: number): void {
    this.left = Math.min(CAPACITY, this.left + Math.max(taken, SUCCESS))
  }
}
