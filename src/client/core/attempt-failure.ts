import type { Outcome } from '../../common/errors.js'
import type { InvalidResponseReason } from '../errors/errors.js'
import { retryCost } from './retry.js'
import type { FailureKind } from './retry-policy.js'

/** Failed attempt, with the facts that the retry table needs and the public error. */
export class AttemptFailure extends Error {
  readonly kind: FailureKind
  /** Effect of this attempt, as far as it is known. */
  readonly outcome: Outcome
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Retry budget tokens that a retry after this failure takes. */
  readonly retryCost: number
  /** Creates the public error after a number of attempts. */
  readonly toPublic: (attempts: number) => Error

  constructor(
    kind: FailureKind,
    facts: {
      readonly outcome: Outcome
      readonly toPublic: (attempts: number) => Error
      readonly status?: number | undefined
      readonly retryAfterMs?: number | undefined
      /** Cause of a failed connection. */
      readonly reason?: string | undefined
      /** Overrides the cost that follows from status and reason. */
      readonly retryCost?: number | undefined
    },
  ) {
    super(kind)
    this.kind = kind
    this.outcome = facts.outcome
    this.status = facts.status
    this.retryAfterMs = facts.retryAfterMs
    this.retryCost = facts.retryCost ?? retryCost(facts)
    this.toPublic = facts.toPublic
  }
}

/** Success response that is not usable. `detail` names fields, never values. */
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
