import type { Outcome } from '../../common/errors.js'
import type { Reconciliation, RetryClass } from '../../contract/endpoint.js'
import { moreSevere } from '../errors/error-texts.js'
import type { AttemptFailure } from './attempt-failure.js'
import type { Deadline } from './deadline.js'
import type { RetryBudget } from './retry-budget.js'
import { ALL, pauseMs, RECONCILE_TABLE, RETRY_TABLE } from './retry-policy.js'

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
