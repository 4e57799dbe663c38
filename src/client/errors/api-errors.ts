import type { OpenEnum } from '../../contract/enums.js'
import { ERROR_CODES, isKnownErrorCode, type KnownErrorCode } from '../../contract/error-codes.js'
import type { RequestIssue } from '../../contract/issues.js'
import { requestField } from '../../contract/request-fields.js'
import { CHECK_FIRST, EFFECT } from './error-texts.js'
import { isSafeToRepeat, isTemporaryStatus, RequestOutcomeError, type RequestOutcomeFacts } from './errors.js'

/** Facts of an API error response. */
export interface ApiErrorFacts extends RequestOutcomeFacts {
  readonly status: number
  readonly code?: string | undefined
  /** Default: an empty list. */
  readonly errorList?: readonly string[] | undefined
  /** Default: an empty list. */
  readonly issues?: readonly RequestIssue[] | undefined
  readonly method: string
  /** Path template, without identifiers. */
  readonly path: string
  readonly requestId?: string | undefined
  /** Wait that the service requested, or time until the client can send the call after a 429, in milliseconds. */
  readonly retryAfter?: number | undefined
  /** Message of the service, unchanged. */
  readonly serviceMessage?: string | undefined
  /** Next step for the caller, as the end of the message. */
  readonly advice?: string | undefined
  /** First characters of a body that is not a JSON object, or is too large to parse. */
  readonly bodyExcerpt?: string | undefined
  /** Complete message, for an error without a response. */
  readonly message?: string | undefined
}

/** Names of {@link ApiError} and of its subclasses. */
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
 * Error response of the service, or of the host of a PDF. For a PDF, `path` is `(signed document URL)`.
 *
 * The message has our own words only. The service's text, which may repeat a patient's details, is in `errorList`,
 * `issues`, `serviceMessage` and `bodyExcerpt`: your code can read them, and a printed or serialised error omits them.
 */
export class ApiError extends RequestOutcomeError {
  override readonly name: ApiErrorName = 'ApiError'
  /** Error code of the service; `undefined` if the response has none, or one that does not look like a code. */
  declare readonly code: OpenEnum<KnownErrorCode> | undefined
  /** The HTTP status. */
  readonly status: number
  /** The HTTP method. */
  readonly method: string
  /** Path template, such as `/v1/referrals/{uuid}`. */
  readonly path: string
  /** Request ID of the service; `undefined` if the response has none, or one that does not look like an ID. */
  readonly requestId: string | undefined
  readonly #serviceText: Pick<ApiError, 'errorList' | 'issues' | 'serviceMessage' | 'bodyExcerpt'>

  /** Creates an error. The client does this itself; use it to test your own error handling. */
  constructor(facts: ApiErrorFacts) {
    const { code, retryAfter } = facts
    const retryable = isTemporaryStatus(facts.status) && isSafeToRepeat(facts)
    super(facts.message ?? sentence(facts), facts, { code, retryable, retryAfter })
    this.status = facts.status
    this.method = facts.method
    this.path = facts.path
    this.requestId = facts.requestId
    const { errorList = [], issues = [], serviceMessage, bodyExcerpt } = facts
    this.#serviceText = { errorList, issues, serviceMessage, bodyExcerpt }
  }

  /** Problems listed by the service, unchanged; an empty list if there are none. */
  get errorList(): readonly string[] {
    return this.#serviceText.errorList
  }

  /** Problems in `errorList` as objects: a message, and the field when the service names it. */
  get issues(): readonly RequestIssue[] {
    return this.#serviceText.issues
  }

  /** Message of the service, unchanged; `undefined` if the response has none. */
  get serviceMessage(): string | undefined {
    return this.#serviceText.serviceMessage
  }

  /**
   * First characters, at most 2,048, of a response that is not a JSON object, such as a proxy's error page. A response
   * longer than 1,048,576 characters also has an excerpt. `undefined` for any other response, and for a PDF.
   */
  get bodyExcerpt(): string | undefined {
    return this.#serviceText.bodyExcerpt
  }

  /** Returns the fields that are safe to log. */
  override toJSON(): Record<string, unknown> {
    const { status, method, path, requestId } = this
    return { ...super.toJSON(), status, method, path, requestId, fields: fieldsOf(this.issues) }
  }
}

/** Status 400: the service rejected the request; see `issues`. For a PDF: its host rejected the signed URL. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError'
}

/**
 * Status 401: the service rejected the access token, and then also a new access token. For a PDF: its host rejected the
 * signed URL.
 */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** Status 403: the credentials do not permit this request. For a PDF: its host rejected the signed URL. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/**
 * Status 404: the organisation has no such record. Without a known `code`, check `baseUrl`. For a PDF: its host did not
 * find the file.
 */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** Status 409: the request conflicts with existing data. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/**
 * Status 429: the organisation exceeded its rate limit, and the last attempt was not carried out. If an earlier attempt
 * may have been carried out, `outcome` is `unknown`. With `attempts` 0, nothing was sent: after an earlier 429, the
 * client could have sent the call only after the call's time limit, or the service had accepted no call after several
 * pauses. `retryAfter` is the wait that the service requested, else the rest of the client's pause. For a PDF: its host
 * returned the 429, `outcome` is `failed`, and `retryAfter` may be `undefined`.
 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** Status 5xx: the service failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

const CLASS_BY_STATUS: ReadonlyMap<number, typeof ApiError> = new Map<number, typeof ApiError>([
  [400, BadRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [429, RateLimitError],
])

/** Creates an error of the class that matches the status. */
export function createApiError(facts: ApiErrorFacts): ApiError {
  const ErrorClass = CLASS_BY_STATUS.get(facts.status) ?? (facts.status >= 500 ? ServerError : ApiError)
  return new ErrorClass(facts)
}

function sentence(facts: ApiErrorFacts): string {
  const { code, status, method, path, issues = [], outcome, attempts, retryAfter, advice } = facts
  const times = attempts > 1 && isTemporaryStatus(status) ? ` after ${attempts} attempts` : ''
  const head = `${method} ${path} returned ${status}${code === undefined ? '' : ` ${code}`}${times}`
  const meaning = code !== undefined && isKnownErrorCode(code) ? ERROR_CODES[code].meaning : undefined
  const fields = fieldsOf(issues)
  const where = fields.length === 0 ? undefined : `fields: ${fields.join(', ')}`
  const later = status >= 500 ? 'call again later, and report it to the service if it persists' : undefined
  const next = isSafeToRepeat(facts) ? (waitAdvice(retryAfter) ?? later) : CHECK_FIRST
  const parts = [meaning, where, EFFECTS[outcome], next, advice]
  return `${head}: ${parts.filter((part) => part !== undefined).join('; ')}`
}

/** Maximum number of fields in a message or a log line. */
const MAX_FIELDS = 20

/** Returns the fields of a request that the service names, each once. Any other text could be personal data. */
function fieldsOf(issues: readonly RequestIssue[]): readonly string[] {
  const fields = new Set<string>()
  for (const { field } of issues) {
    const known = requestField(field)
    if (known !== undefined) fields.add(known)
    if (fields.size === MAX_FIELDS) break
  }
  return [...fields]
}

/** Describes the wait that the service requested, in milliseconds or seconds. */
function waitAdvice(retryAfter: number | undefined): string | undefined {
  if (retryAfter === undefined) return undefined
  const wait = retryAfter < 1_000 ? `${Math.ceil(retryAfter)} ms` : `${Math.ceil(retryAfter / 1_000)} s`
  return `call again after ${wait}`
}

const EFFECTS = { ...EFFECT, refused: 'the service rejected the request and did nothing' }
