import type { Outcome } from '../../common/errors.js'
import type { InvalidResponseReason } from '../errors/errors.js'
import { retryCost } from './retry-budget.js'
import type { FailureKind } from './retry-policy.js'

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
