import { ERROR_CODES, type KnownErrorCode } from '../../contract/error-codes.js'
import { formatIssue, type IssueDraft } from '../../contract/issues.js'
import { errorResponse, type ResponseDraft } from './http.js'
import type { ServerOptions } from './options.js'

/** Messages whose exact text the specification shows (§7). */
const SHOWN_MESSAGES: Readonly<Partial<Record<KnownErrorCode, string>>> = {
  MISSING_AUTHORIZATION_HEADER: 'Missing Authorization header',
  INVALID_JWT: 'Invalid access token',
  INVALID_JWT_SIGNATURE: 'Invalid JWT signature',
  REFERRAL_NOT_FOUND: 'Unable to find the specified referral',
  RESULT_NOT_FOUND: 'Unable to find the specified result',
}

/** HTTP status of an error code whose status §7 does not document. */
const DEFAULT_STATUS = 400

/** Error of a request to the API. The fake responds with the error envelope of §7. */
export class FakeApiError extends Error {
  readonly code: KnownErrorCode
  readonly errorList: readonly string[]

  constructor(code: KnownErrorCode, issues: readonly (IssueDraft | string)[] = [], message?: string) {
    super(message ?? SHOWN_MESSAGES[code] ?? ERROR_CODES[code].meaning)
    this.code = code
    this.errorList = issues.map((issue) => (typeof issue === 'string' ? issue : formatIssue(issue)))
  }
}

/** A problem without a code of its own makes it INVALID_PAYLOAD; otherwise the first of `codes` that a problem has. */
export function rejection(issues: readonly IssueDraft[], codes: readonly KnownErrorCode[]): FakeApiError {
  const found = codes.find((code) => issues.some((issue) => issue.code === code))
  const isGeneral = issues.some((issue) => issue.code === undefined)
  return new FakeApiError(isGeneral || found === undefined ? 'INVALID_PAYLOAD' : found, issues)
}

export function apiErrorResponse(
  error: FakeApiError,
  options: Pick<ServerOptions, 'errorStatuses'>,
): ResponseDraft {
  const status = options.errorStatuses[error.code] ?? ERROR_CODES[error.code].status ?? DEFAULT_STATUS
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return errorResponse(status, error.code, error.message, error.errorList, headers)
}

/**
 * Creates the response for a path that does not exist. The message lists similar routes, because the path is often
 * misspelt.
 */
export function unknownPathResponse(path: string, similar: readonly string[]): ResponseDraft {
  return errorResponse(404, 'NOT_FOUND', `the fake has no ${path}; routes: ${similar.join(', ')}`)
}

/** Creates the response for an endpoint that exists only in staging, if the fake runs as production (§9). */
export function stagingOnlyResponse(method: string, path: string): ResponseDraft {
  return errorResponse(404, 'NOT_FOUND', `${method} ${path} exists only in the staging environment`)
}

/** Creates the response for a path that exists, but not with this method. */
export function methodNotAllowedResponse(
  method: string,
  path: string,
  allowed: readonly string[],
): ResponseDraft {
  const message = `the fake has no ${method} ${path}; methods of this path: ${allowed.join(', ')}`
  return errorResponse(405, 'METHOD_NOT_ALLOWED', message, [], { allow: allowed.join(', ') })
}

/** Creates the response for a body that is larger than `options.maxBodyBytes`. */
export function tooLargeResponse(maxBodyBytes: number): ResponseDraft {
  return errorResponse(
    413,
    'PAYLOAD_TOO_LARGE',
    `the body is larger than ${maxBodyBytes} bytes (maxBodyBytes)`,
  )
}

/** Creates the response for an error that is not an API error: a defect of the fake, or an interrupted request. */
export function internalErrorResponse(error: unknown): ResponseDraft {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'the fake failed'
  return errorResponse(500, 'INTERNAL_ERROR', message)
}
