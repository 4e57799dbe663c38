import { type Outcome, PathologyError, type PathologyErrorOptions } from '../../common/errors.js'
import type { OpenEnum } from '../../contract/enums.js'
import type { KnownErrorCode, KnownTokenErrorCode } from '../../contract/error-codes.js'
import {
  completeIssue,
  formatIssue,
  type IssueDraft,
  joinProblems,
  type RequestIssue,
} from '../../contract/issues.js'

/** Cause of a failed connection. */
export type ConnectionReason =
  | 'dns'
  | 'refused'
  | 'connect-timeout'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'proxy'
  | 'closed'
  | 'other'

/** Problem with a response. */
export type InvalidResponseReason =
  | 'truncated'
  | 'not-json'
  | 'empty'
  | 'shape'
  | 'error-envelope'
  | 'too-large'
  | 'encoding'
  | 'redirect'
  | 'cursor-loop'
  | 'incomplete-list'
  | 'not-pdf'
  | 'no-document'
  | 'unsafe-url'

type ConstantCase<Words extends string> = Words extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${ConstantCase<Tail>}`
  : Uppercase<Words>

/** Code of an error. Editors complete the known codes; other strings are accepted. */
export type PathologyErrorCode = OpenEnum<
  | KnownErrorCode
  | KnownTokenErrorCode
  | `CONNECTION_${ConstantCase<ConnectionReason>}`
  | `RESPONSE_${ConstantCase<InvalidResponseReason>}`
  | 'TIMEOUT'
  | 'ORDER_KEY_IN_USE'
  | 'ORDER_LEDGER_FAILED'
  | 'ORDER_OUTCOME_UNKNOWN'
  | 'REFERRAL_FAILED'
  | 'MODULE_LOAD_FAILED'
>

/** Facts that every request error has. */
export interface RequestOutcomeFacts {
  /** Effect of the call on the service, as far as it is known. */
  readonly outcome: Outcome
  /** Number of attempts to send the request, including attempts that did not reach the service. */
  readonly attempts: number
  /** `true` for a request that has the same effect however often it is sent. Default: `false`. */
  readonly isRepeatable?: boolean | undefined
}

/** Returns `true` when a repetition cannot have a second effect. */
export function isSafeToRepeat({ outcome, isRepeatable }: RequestOutcomeFacts): boolean {
  return outcome !== 'unknown' || isRepeatable === true
}

export { ConfigurationError } from '../../common/errors.js'

/**
 * The request breaks a rule that the SDK checks, so the SDK did not send the request. Some checks first read
 * from the service: the check of your own `orderKey`, and `validate` with `catalogue: true`.
 */
export class InvalidRequestError extends PathologyError {
  override readonly name = 'InvalidRequestError'
  /** `INVALID_PAYLOAD`, `INVALID_PARAMETER`, `ORDER_KEY_IN_USE`, or the service's code if all problems share it. */
  declare readonly code: PathologyErrorCode | undefined
  /** Effect of the call: nothing changed, because the request was not sent. */
  readonly outcome = 'not-sent'
  /** Always 0: the invalid request was not sent. Requests of checks are not counted. */
  readonly attempts = 0
  /** All problems as text: `<message> [field: <name>]`. */
  readonly errorList: readonly string[]
  /** All problems as objects. They do not repeat values of the request. */
  readonly issues: readonly RequestIssue[]

  /**
   * Creates an error. The client does this itself; use it to test your own error handling.
   *
   * @param operation - Name of the operation, such as `referrals.create`.
   * @param issues - `message` and `field` are required. The error's message contains the first 20.
   */
  constructor(operation: string, issues: readonly IssueDraft[], code = 'INVALID_PAYLOAD') {
    const errorList = issues.map(formatIssue)
    super(`${operation}: nothing was sent, because ${joinProblems(errorList)}`, { code })
    this.errorList = errorList
    this.issues = issues.map(completeIssue)
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), outcome: this.outcome, errorList: this.errorList }
  }
}

/**
 * Cursor of each failed list call, by its error. The cursor is not a property of the error, because loggers also print
 * hidden properties.
 */
const cursors = new WeakMap<PathologyError, string>()

/** Base class of the errors of a request. */
export abstract class RequestOutcomeError extends PathologyError {
  /** A stable code of the service or of this package; `undefined` if the response has no code. */
  declare readonly code: PathologyErrorCode | undefined
  /** Effect of the call on the service, as far as it is known. */
  readonly outcome: Outcome
  /**
   * Number of attempts to send the request, including attempts that did not reach the service. If no access token could
   * be obtained: the attempts of the token request. If the error is about several requests: the number of requests.
   */
  readonly attempts: number
  constructor(message: string, facts: RequestOutcomeFacts, options: PathologyErrorOptions = {}) {
    super(message, options)
    this.outcome = facts.outcome
    this.attempts = facts.attempts
  }

  /**
   * Cursor of the failed page of a list: pass it as `cursor` to continue the list. `undefined` if the failed
   * request had no cursor. A printed error does not contain the cursor.
   */
  get cursor(): string | undefined {
    return cursors.get(this)
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), outcome: this.outcome, attempts: this.attempts }
  }
}

/**
 * The connection failed or broke before the response started, or the response is not valid HTTP. Reason `closed` has
 * two meanings: the other side or your own `dispatcher` closed the connection, or the client was closed and nothing was
 * sent. Only a new client can then repeat the call. `outcome` shows whether the request may have been carried out.
 */
export class ConnectionError extends RequestOutcomeError {
  override readonly name = 'ConnectionError'
  /** Cause of the failure. */
  readonly reason: ConnectionReason

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(message: string, facts: RequestOutcomeFacts & { reason: ConnectionReason; cause?: unknown }) {
    const { reason, cause } = facts
    const retryable = reason !== 'tls' && isSafeToRepeat(facts)
    super(message, facts, { code: `CONNECTION_${constantCase(reason)}`, cause, retryable })
    this.reason = facts.reason
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), reason: this.reason }
  }
}

/**
 * The call exceeded its timeout, which covers waiting in queues, the token, connecting, all attempts and reading the
 * response.
 */
export class TimeoutError extends RequestOutcomeError {
  override readonly name = 'TimeoutError'
  /** Timeout of the call, in milliseconds. */
  readonly timeout: number

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(message: string, facts: RequestOutcomeFacts & { timeout: number; cause?: unknown }) {
    super(message, facts, { code: 'TIMEOUT', cause: facts.cause, retryable: isSafeToRepeat(facts) })
    this.timeout = facts.timeout
  }
}

/** Problems that remain when the call is repeated. */
const LASTING_PROBLEMS: ReadonlySet<InvalidResponseReason> = new Set([
  'shape',
  'too-large',
  'encoding',
  'redirect',
  'cursor-loop',
  'unsafe-url',
])

/** The response or the PDF is not usable, or the response differs from the contract. */
export class InvalidResponseError extends RequestOutcomeError {
  override readonly name = 'InvalidResponseError'
  /** Problem with the response. */
  readonly reason: InvalidResponseReason
  /** HTTP status; `undefined` for `cursor-loop`, `incomplete-list`, `no-document` and `unsafe-url`. */
  readonly status: number | undefined

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(
    message: string,
    facts: RequestOutcomeFacts & {
      reason: InvalidResponseReason
      status?: number | undefined
      cause?: unknown
    },
  ) {
    const { reason, cause } = facts
    const retryable = !LASTING_PROBLEMS.has(reason) && isSafeToRepeat(facts)
    super(message, facts, { code: `RESPONSE_${constantCase(reason)}`, cause, retryable })
    this.reason = facts.reason
    this.status = facts.status
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    return {
      ...super.toJSON(),
      reason: this.reason,
      ...(this.status === undefined ? {} : { status: this.status }),
    }
  }
}

/** The token service did not issue a token. */
export class TokenError extends RequestOutcomeError {
  override readonly name = 'TokenError'
  /** Error type, such as `InvalidClientId`; `undefined` if the response has none. */
  readonly type: string | undefined
  /** HTTP status; `undefined` without a response. */
  readonly status: number | undefined

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(
    message: string,
    facts: RequestOutcomeFacts & {
      code?: string | undefined
      type?: string | undefined
      status?: number | undefined
      cause?: unknown
      retryAfter?: number | undefined
    },
  ) {
    const { code, cause, status = 500, retryAfter, outcome } = facts
    // A success or a 5xx can reject the credentials too, which is final. Without a status, the failure counts as a 500.
    const isOther = status < 400 || status >= 500
    const isTemporary = isOther ? outcome !== 'refused' : isTemporaryStatus(status)
    const retryable = isTemporary && isSafeToRepeat(facts)
    super(message, facts, { code, cause, retryable, retryAfter })
    this.type = facts.type
    this.status = facts.status
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), type: this.type, status: this.status }
  }
}

/**
 * The `orderLedger` failed or did not respond in time: **this call did not place an order**. An earlier call with the
 * same `orderKey` may have placed one. Repeat `create` with this key, or repeat `recordOrder`. `cause` has the name
 * and the code of the ledger's error; `undefined` if the ledger did not throw an error.
 */
export class OrderLedgerError extends RequestOutcomeError {
  override readonly name = 'OrderLedgerError'
  /** Method of the ledger that failed, such as `claim`. */
  readonly operation: string

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(message: string, facts: RequestOutcomeFacts & { operation: string; cause?: unknown }) {
    const retryable = isSafeToRepeat(facts)
    super(message, facts, { code: 'ORDER_LEDGER_FAILED', cause: facts.cause, retryable })
    this.operation = facts.operation
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), operation: this.operation }
  }
}

/** Returns `true` for the status of a temporary failure: 408, 429 and 5xx. */
export function isTemporaryStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Stores the cursor at which a failed list call can continue. */
export function markCursor(error: unknown, cursor: string | undefined): void {
  if (error instanceof PathologyError && cursor !== undefined) cursors.set(error, cursor)
}

function constantCase(reason: string): string {
  return reason.toUpperCase().replaceAll('-', '_')
}
