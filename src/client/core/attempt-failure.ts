import type { Outcome } from '../../common/errors.js'
import type { InvalidResponseReason } from '../errors/errors.js'
import { retryCost } from './retry-budget.js'
import type { FailureKind } from './retry-policy.js'

/** A failed attempt inside the pipeline: what the retry table needs, and how to tell the caller. */
export class AttemptFailure extends Error {
  readonly kind: FailureKind
  /** What is known of this attempt's effect. */
  readonly outcome: Outcome
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Tokens of the retry budget that a retry after it takes. */
  readonly retryCost: number
  /** The error for the caller, after so many sends. */
  readonly toPublic: (attempts: number) => Error

  constructor(
    kind: FailureKind,
    facts: {
      readonly outcome: Outcome
      readonly toPublic: (attempts: number) => Error
      readonly status?: number | undefined
      readonly retryAfterMs?: number | undefined
      /** Of a connection that failed. */
      readonly reason?: string | undefined
      /** Where it does not follow from status and reason. */
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

/** A success response that cannot be used. `detail` names places, and never a value. */
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
