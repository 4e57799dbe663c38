import type { Outcome } from '../../common/errors.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { parseIssue } from '../../contract/issues.js'
import { type ApiError, createApiError } from '../errors/api-errors.js'
import { redact, safeCode, safeId } from '../errors/redact.js'
import type { RequestValues } from '../errors/request-values.js'
import type { ResponseHeaders, TransportResponse } from '../transport/transport.js'

const LONGEST_EXCERPT = 2_048
/** Maximum length of an error body that is parsed, in characters. */
const LONGEST_ENVELOPE = 1024 * 1024

/** Context of an error response. */
export interface ErrorResponseContext {
  readonly endpoint: Endpoint
  readonly attempts: number
  readonly isRepeatable?: boolean
  readonly outcome: Outcome
  readonly retryAfter: number | undefined
  /** Values that the error must not repeat. */
  readonly values: RequestValues
}

/** Converts an error response to its public error, with or without the service's error envelope. */
export function errorOfResponse(response: TransportResponse, context: ErrorResponseContext): ApiError {
  const { endpoint, attempts, isRepeatable, outcome, values, retryAfter } = context
  const envelope = parseEnvelope(response.body)
  const errorList = envelope?.errorList ?? []
  const words = errorList.length > 0 ? errorList.join('; ') : envelope?.message
  const notFound = response.status === 404
  const stagingOnly = notFound && endpoint.stagingOnly === true
  const code = shownCode(envelope?.code, values)
  // The service's own 404 responses have a known code; those of another host or path do not.
  const lost = notFound && !stagingOnly && !isKnownErrorCode(code ?? '')
  return createApiError({
    status: response.status,
    code,
    errorList,
    issues: errorList.map(parseIssue),
    method: endpoint.method,
    path: endpoint.path,
    requestId: requestId(response.headers, values),
    outcome,
    attempts,
    isRepeatable,
    retryAfter,
    serviceMessage: envelope?.message,
    advice: lost ? 'check that baseUrl is the address of the API' : undefined,
    safeDetail: stagingOnly
      ? 'this endpoint is available only in the staging environment'
      : words && redact(words, values),
    bodyExcerpt: envelope === undefined ? response.body.slice(0, LONGEST_EXCERPT) : undefined,
  })
}

/** Returns the code of an error response, if it has one. */
export function errorCode(body: string): string | undefined {
  return parseEnvelope(body)?.code
}

/** Returns the request ID of the service, if it has the form of an ID. */
export function requestId(headers: ResponseHeaders, values: RequestValues): string | undefined {
  const value = headers['x-request-id'] ?? headers['x-correlation-id'] ?? headers['request-id']
  return typeof value === 'string' ? safeId(value, values) : undefined
}

function shownCode(code: string | undefined, values: RequestValues): string | undefined {
  return code === undefined || isKnownErrorCode(code) ? code : safeCode(code, values)
}

interface Envelope {
  readonly code: string | undefined
  readonly message: string | undefined
  readonly errorList: readonly string[]
}

/** Reads an error envelope; `undefined` unless the body is a JSON object. */
function parseEnvelope(text: string): Envelope | undefined {
  if (text.length > LONGEST_ENVELOPE) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const field = (name: string): unknown => (Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined)
  const code = field('code')
  const message = field('message')
  const list = field('errorList')
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : undefined,
    message: typeof message === 'string' ? message : undefined,
    errorList: Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [],
  }
}
