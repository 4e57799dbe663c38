import { type Outcome, PathologyError } from '../../common/errors.js'
import { formatIssue, type RequestIssue } from '../../contract/issues.js'

/** What every error from the wire tells about its call. */
export interface RequestOutcomeFacts {
  /** What is known of the call's effect on the service. */
  readonly outcome: Outcome
  /** How many times the request was tried. */
  readonly attempts: number
}

export { ConfigurationError } from '../../common/configuration-error.js'

/** The request breaks a rule that the SDK knows. It was found before anything was sent. */
export class InvalidRequestError extends PathologyError implements RequestOutcomeFacts {
  override readonly name = 'InvalidRequestError'
  readonly outcome = 'not-sent'
  readonly attempts = 0
  /** Every problem, in the form of the service's own list: `<message> [field: <name>]` (§4.1). */
  readonly errorList: readonly string[]
  /** Every problem, in parts. No value of the request is repeated. */
  readonly issues: readonly RequestIssue[]

  /**
   * The client makes these itself; make one to test how your own code takes it.
   *
   * @param operation - What was asked for, such as `referrals.create`.
   */
  constructor(operation: string, issues: readonly RequestIssue[], code = 'INVALID_PAYLOAD') {
    const errorList = issues.map(formatIssue)
    super(`${operation}: nothing was sent, because ${errorList.join('; ')}`, { code })
    this.errorList = errorList
    this.issues = issues
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), outcome: this.outcome, errorList: this.errorList }
  }
}

/** Outside the errors: whatever prints an error's hidden properties would print the service's text. */
const cursors = new WeakMap<PathologyError, string>()

/** Base of the errors that happened on the way to the service or back. */
abstract class RequestOutcomeError extends PathologyError implements RequestOutcomeFacts {
  readonly outcome: Outcome
  readonly attempts: number
  constructor(
    message: string,
    facts: RequestOutcomeFacts,
    options: { code?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options)
    this.outcome = facts.outcome
    this.attempts = facts.attempts
  }

  /** Where the failed list call stood: pass it as `cursor` to go on. Not shown when the error is printed. */
  get cursor(): string | undefined {
    return cursors.get(this)
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), outcome: this.outcome, attempts: this.attempts }
  }
}

/** Why a connection failed. */
export type ConnectionReason =
  | 'dns'
  | 'refused'
  | 'connect-timeout'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'proxy'
  | 'queue-full'
  | 'closed'
  | 'other'

/** The service could not be reached, or the connection broke before it answered. */
export class ConnectionError extends RequestOutcomeError {
  override readonly name = 'ConnectionError'
  /** Why the connection failed. */
  readonly reason: ConnectionReason

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(message: string, facts: RequestOutcomeFacts & { reason: ConnectionReason; cause?: unknown }) {
    super(message, facts, { code: `CONNECTION_${constantCase(facts.reason)}`, cause: facts.cause })
    this.reason = facts.reason
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), reason: this.reason }
  }
}

/** The call's time ran out; one limit covers queueing, connecting, every attempt and reading the answer. */
export class TimeoutError extends RequestOutcomeError {
  override readonly name = 'TimeoutError'
  /** The limit, in milliseconds. */
  readonly timeout: number

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(message: string, facts: RequestOutcomeFacts & { timeout: number; cause?: unknown }) {
    super(message, facts, { code: 'TIMEOUT', cause: facts.cause })
    this.timeout = facts.timeout
  }
}

/** What is wrong with an answer. */
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

/** The answer is not what the contract says. */
export class InvalidResponseError extends RequestOutcomeError {
  override readonly name = 'InvalidResponseError'
  /** What is wrong with the answer. */
  readonly reason: InvalidResponseReason
  /** The HTTP status, when there was one. */
  readonly status: number | undefined

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(
    message: string,
    facts: RequestOutcomeFacts & {
      reason: InvalidResponseReason
      status?: number | undefined
      cause?: unknown
    },
  ) {
    super(message, facts, { code: `RESPONSE_${constantCase(facts.reason)}`, cause: facts.cause })
    this.reason = facts.reason
    this.status = facts.status
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    return {
      ...super.toJSON(),
      reason: this.reason,
      ...(this.status === undefined ? {} : { status: this.status }),
    }
  }
}

/** The token service gave no token (§5). */
export class TokenError extends RequestOutcomeError {
  override readonly name = 'TokenError'
  /** The token service's own type, such as `InvalidClientId`. */
  readonly type: string | undefined
  /** The HTTP status, when there was one. */
  readonly status: number | undefined

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(
    message: string,
    facts: RequestOutcomeFacts & {
      code?: string | undefined
      type?: string | undefined
      status?: number | undefined
      cause?: unknown
    },
  ) {
    super(message, facts, { code: facts.code, cause: facts.cause })
    this.type = facts.type
    this.status = facts.status
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), type: this.type, status: this.status }
  }
}

/** Lets a failed list call be taken up again where it broke off. */
export function markCursor(error: unknown, cursor: string | undefined): void {
  if (error instanceof PathologyError && cursor !== undefined) cursors.set(error, cursor)
}

function constantCase(reason: string): string {
  return reason.toUpperCase().replaceAll('-', '_')
}

export { RequestOutcomeError as WireError }
