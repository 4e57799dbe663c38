import type { Outcome } from '../../common/errors.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { parseIssue } from '../../contract/issues.js'
import { type ApiError, createApiError } from '../errors/api-errors.js'
import { redact, safeCode, safeId } from '../errors/redact.js'
import type { RequestValues } from '../errors/request-values.js'
import type { ResponseHeaders, TransportResponse } from '../transport/transport.js'

const LONGEST_EXCERPT = 2_048
/** Characters of the longest body that can be the service's envelope: a larger one is not worth parsing. */
const LONGEST_ENVELOPE = 1024 * 1024

/** What the error of an answer is made from. */
export interface ErrorResponseContext {
  readonly endpoint: Endpoint
  readonly attempts: number
  readonly outcome: Outcome
  readonly retryAfter: number | undefined
  /** What the error may not repeat. */
  readonly values: RequestValues
}

/** The public error of an answer with an error status, whether or not it is the service's own envelope (§7). */
export function errorOfResponse(answer: TransportResponse, context: ErrorResponseContext): ApiError {
  const { endpoint, attempts, outcome, values, retryAfter } = context
  const envelope = parseEnvelope(answer.body)
  const errorList = envelope?.errorList ?? []
  const words = errorList.length > 0 ? errorList.join('; ') : envelope?.message
  const notFound = answer.status === 404
  const stagingOnly = notFound && endpoint.stagingOnly === true
  const code = shownCode(envelope?.code, values)
  // The service's own 404s have a known code (§7); those of another host or path do not.
  const lost = notFound && !stagingOnly && !isKnownErrorCode(code ?? '')
  return createApiError({
    status: answer.status,
    code,
    errorList,
    issues: errorList.map(parseIssue),
    method: endpoint.method,
    path: endpoint.path,
    requestId: requestId(answer.headers, values),
    outcome,
    attempts,
    retryAfter,
    serviceMessage: envelope?.message,
    advice: lost ? 'is baseUrl the address of the API?' : undefined,
    safeDetail: stagingOnly
      ? 'this endpoint exists in the staging environment only'
      : words && redact(words, values),
    bodyExcerpt: envelope === undefined ? answer.body.slice(0, LONGEST_EXCERPT) : undefined,
  })
}

/** The code of an error answer, when it has one. */
export function errorCode(body: string): string | undefined {
  return parseEnvelope(body)?.code
}

/** The id by which the service's people can find the request, when it looks like one. */
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

/** Reads an error body, whole or in parts; `undefined` when it is no JSON object. */
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
