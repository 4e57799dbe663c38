import { ERROR_CODES, isKnownErrorCode, type KnownErrorCode } from '../../contract/error-codes.js'
import { type RequestIssue, requestField } from '../../contract/issues.js'
import type { OpenEnum } from '../../contract/open.js'
import { type RequestOutcomeFacts, WireError } from './errors.js'

/** What an error answer of the API tells. */
export interface ApiErrorFacts extends RequestOutcomeFacts {
  readonly status: number
  readonly code: string | undefined
  readonly errorList: readonly string[]
  readonly issues: readonly RequestIssue[]
  readonly method: string
  /** The path's template: no identifier is in it. */
  readonly path: string
  readonly requestId: string | undefined
  /** Milliseconds the service asked to wait. */
  readonly retryAfter: number | undefined
  /** The service's own sentence, as it came. */
  readonly serviceMessage: string | undefined
  /** What of the service's words is safe to show. */
  readonly safeDetail: string | undefined
  /** What to look at, in words. */
  readonly advice?: string | undefined
  /** The start of a body that was not JSON. */
  readonly bodyExcerpt: string | undefined
  /** The whole message, where it is not of an answer. */
  readonly message?: string | undefined
}

/** The facts of an error for which the service has not said a word. */
export const NOTHING_SAID = {
  code: undefined,
  errorList: [],
  issues: [],
  requestId: undefined,
  retryAfter: undefined,
  serviceMessage: undefined,
  safeDetail: undefined,
  bodyExcerpt: undefined,
} as const

/** The names of {@link ApiError} and of the classes for single statuses. */
type ApiErrorName =
  | 'ApiError'
  | 'BadRequestError'
  | 'AuthenticationError'
  | 'PermissionError'
  | 'NotFoundError'
  | 'ConflictError'
  | 'RateLimitError'
  | 'ServerError'

/**
 * The service answered with an error (§7).
 *
 * `errorList`, `issues`, `serviceMessage` and `bodyExcerpt` are the service's own words and may repeat what was
 * sent: they are there to read in code, and are left out when the error is printed or serialised.
 */
export class ApiError extends WireError {
  override readonly name: ApiErrorName = 'ApiError'
  /** The service's own code, where it gave one. */
  declare readonly code: OpenEnum<KnownErrorCode> | undefined
  /** The HTTP status. */
  readonly status: number
  /** The HTTP method. */
  readonly method: string
  /** The path's template, such as `/v1/referrals/{uuid}`. */
  readonly path: string
  /** The service's id of the request, when it gave one. */
  readonly requestId: string | undefined
  readonly #words: Pick<ApiErrorFacts, 'errorList' | 'issues' | 'serviceMessage' | 'bodyExcerpt'>

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(facts: ApiErrorFacts) {
    super(facts.message ?? sentence(facts), facts, { code: facts.code })
    this.status = facts.status
    this.method = facts.method
    this.path = facts.path
    this.requestId = facts.requestId
    const { errorList, issues, serviceMessage, bodyExcerpt } = facts
    this.#words = { errorList, issues, serviceMessage, bodyExcerpt }
  }

  /** Every problem the service named, as it came. */
  get errorList(): readonly string[] {
    return this.#words.errorList
  }

  /** The same in parts: message, and field where it was named. */
  get issues(): readonly RequestIssue[] {
    return this.#words.issues
  }

  /** The service's own sentence. */
  get serviceMessage(): string | undefined {
    return this.#words.serviceMessage
  }

  /** At most 2,048 characters of an answer that was not JSON, such as a proxy's page. */
  get bodyExcerpt(): string | undefined {
    return this.#words.bodyExcerpt
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    const { status, method, path, requestId } = this
    const fields = this.issues.flatMap(({ field }) => requestField(field) ?? [])
    return { ...super.toJSON(), status, method, path, requestId, fields }
  }
}

/** 400: the service found the request unacceptable; `issues` says why. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError'
}

/** 401, also after a fresh token (§5). */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404: the organisation has no such thing; or, without a known `code`, `baseUrl` may not be the API's address. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409: the request collides with what is there. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/**
 * 429: the organisation's rate limit; the request was not carried out (§8). With `attempts` 0 nothing was sent: an earlier
 * 429 asked for a pause that outlasts the call.
 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
  /** Milliseconds the service asked to wait; `undefined` when it did not say. */
  readonly retryAfter: number | undefined

  /** The client makes these itself; make one to test how your own code takes it. */
  constructor(facts: ApiErrorFacts) {
    super(facts)
    this.retryAfter = facts.retryAfter
  }

  /** What is safe to log. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), retryAfter: this.retryAfter }
  }
}

/** 5xx. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

type ApiErrorClass = new (facts: ApiErrorFacts) => ApiError

const CLASS_BY_STATUS: ReadonlyMap<number, ApiErrorClass> = new Map<number, ApiErrorClass>([
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [429, RateLimitError],
])

/** The error of the class that the status calls for. */
export function createApiError(facts: ApiErrorFacts): ApiError {
  const ErrorClass = CLASS_BY_STATUS.get(facts.status) ?? (facts.status >= 500 ? ServerError : ApiError)
  return new ErrorClass(facts)
}

function sentence(facts: ApiErrorFacts): string {
  const { code, status, method, path, safeDetail } = facts
  const meaning = code !== undefined && isKnownErrorCode(code) ? ERROR_CODES[code].meaning : undefined
  const parts = [
    `${method} ${path} answered ${status}${code === undefined ? '' : ` ${code}`}`,
    meaning,
    safeDetail,
    EFFECTS[facts.outcome],
  ]
  const words = [...new Set(parts)].filter((part) => part !== undefined).join(': ')
  return facts.advice === undefined ? words : `${words}; ${facts.advice}`
}

const EFFECTS = {
  'not-sent': 'nothing was sent',
  refused: 'the service turned the request away before doing anything',
  failed: 'the request was not carried out',
  unknown: 'whether the request was carried out is not known',
} as const
