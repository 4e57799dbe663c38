import type { Outcome } from '../../common/errors.js'
import { isFields } from '../../contract/check.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { parseIssue } from '../../contract/issues.js'
import { ownFieldOf } from '../../contract/read.js'
import { tokenFailure } from '../auth/token-request.js'
import { CallEnded } from '../core/deadline.js'
import { AttemptFailure, ReadFailure } from '../core/retry.js'
import { type FailureKind, failureOfStatus, showsDoneBefore } from '../core/retry-policy.js'
import { type ApiError, createApiError, NO_SERVICE_MESSAGE } from '../errors/api-errors.js'
import {
  CHECK_FIRST,
  EFFECT,
  type FailureContext,
  moreSevere,
  redact,
  responseError,
  safeCode,
  safeId,
} from '../errors/error-texts.js'
import { isSafeToRepeat, TimeoutError } from '../errors/errors.js'
import { RequestValues } from '../errors/request-values.js'
import {
  connectionError,
  failureOfConnection,
  type ResponseHeaders,
  TransportFailure,
  type TransportResponse,
} from '../transport/transport.js'
import type { Call, CallContext } from './call.js'
import { requestIdOf } from './response.js'

/** Converts a response outside 2xx. */
export function failureOfResponse(
  context: CallContext,
  call: Call,
  response: TransportResponse,
  retryAfterMs: number | undefined,
  retryCost?: number,
): AttemptFailure {
  const { status } = response
  const kind = kindOf(call, response)
  const outcome = outcomeOfStatus(call, status, kind)
  const toPublic = (attempts: number): Error => {
    const facts = { ...failureContext(context, call, attempts), outcome: outcomeOfAll(call, outcome) }
    if (status >= 300 && status < 400)
      return responseError('redirect', { ...facts, status, advice: addressAdvice(context, call) })
    return errorOfResponse(context, call, response, { ...facts, retryAfter: retryAfterMs })
  }
  return new AttemptFailure(kind, { outcome, status, retryAfterMs, retryCost, toPublic })
}

/** Converts an unusable 2xx response; returns other errors unchanged. */
export function failureOfReading(context: CallContext, call: Call, error: unknown, status: number): unknown {
  if (!(error instanceof ReadFailure)) return error
  const { reason, detail, kind } = error
  const outcome = outcomeOfSending(call)
  const toPublic = (attempts: number): Error =>
    responseError(reason, {
      ...failureContext(context, call, attempts),
      outcome: outcomeOfAll(call, outcome),
      status,
      detail,
    })
  return new AttemptFailure(kind, { outcome, status, toPublic })
}

/** Converts a request without a response; returns other errors unchanged. */
export function failureOfTransport(context: CallContext, call: Call, error: unknown): unknown {
  if (!(error instanceof TransportFailure)) return error
  if (error.cause instanceof CallEnded) return failureOfEnd(context, call, error.cause, error.sent)
  const outcome = error.sent ? outcomeOfSending(call) : 'not-sent'
  const toPublic = (attempts: number): Error =>
    connectionError(error, {
      ...failureContext(context, call, attempts),
      outcome: outcomeOfAll(call, outcome),
      values: valuesOf(context, call),
    })
  return new AttemptFailure(failureOfConnection(error), { outcome, reason: error.reason, toPublic })
}

function failureOfEnd(context: CallContext, call: Call, ended: CallEnded, sent: boolean): unknown {
  if (ended.end.kind === 'aborted') return ended
  const outcome = sent ? outcomeOfSending(call) : 'not-sent'
  const { queuedFor } = ended
  const toPublic = (attempts: number): Error => timeoutError(context, call, { sent, attempts, queuedFor })
  return new AttemptFailure(sent ? 'ambiguous' : 'final', { outcome, toPublic })
}

/** Converts the error of a token request. */
export function failureOfToken(call: Call, error: unknown): unknown {
  return tokenFailure(error, call.outcomeBefore, call.endpoint.retry !== 'once')
}

/** Creates the error of a call whose turn after a 429 comes later than its deadline. */
export function pauseError(call: Call, turnInMs: number): Error {
  const { method, path } = call.endpoint
  const retryAfter = Math.ceil(turnInMs)
  const outcome = outcomeOfAll(call, 'not-sent')
  const message = `${method} ${path}: the pause after a 429 lasts ${retryAfter} ms more, longer than the remaining time of the call; ${EFFECT[outcome]}; call again after the pause`
  const attempts = call.sends
  return createApiError({
    ...NO_SERVICE_MESSAGE,
    status: 429,
    method,
    path,
    retryAfter,
    outcome,
    message,
    attempts,
  })
}

/** State of a call at the end of its time limit. */
interface TimeoutFacts {
  /** `true` when the interrupted attempt was sent. */
  readonly sent: boolean
  readonly attempts: number
  /** Description of the queue in which the call waited. */
  readonly queuedFor: string | undefined
}

/** Creates the error of a call whose time limit expired. */
export function timeoutError(
  context: CallContext,
  call: Call,
  { sent, attempts, queuedFor }: TimeoutFacts,
): TimeoutError {
  const timeout = call.request.limitMs
  const outcome = outcomeOfAll(call, sent ? outcomeOfSending(call) : 'not-sent')
  const facts = failureContext(context, call, attempts)
  const wait = queuedFor === undefined ? '' : `; the call was still waiting for ${queuedFor}`
  const next = isSafeToRepeat({ ...facts, outcome }) ? 'call again, or set a longer timeout' : CHECK_FIRST
  const message = `${facts.what} did not end within ${timeout} ms: ${EFFECT[outcome]}${wait}; ${next}`
  return new TimeoutError(message, { ...facts, outcome, timeout })
}

/** Returns the request ID of the service unless it repeats a value of the request. */
export function safeRequestId(
  context: CallContext,
  call: Call,
  headers: ResponseHeaders,
): string | undefined {
  const id = requestIdOf(headers)
  return id === undefined ? undefined : safeId(id, valuesOf(context, call))
}

/** Returns the values that no error of the call may repeat. */
function valuesOf({ options }: CallContext, { request, token }: Call): RequestValues {
  const { body, path } = request
  return new RequestValues({ body, path, secrets: () => [options.clientSecret, token] })
}

function failureContext({ options }: CallContext, { endpoint }: Call, attempts: number): FailureContext {
  const { method, path, retry } = endpoint
  return { what: `${method} ${path}`, origin: options.base.origin, attempts, isRepeatable: retry !== 'once' }
}

function outcomeOfAll(call: Call, last: Outcome): Outcome {
  return moreSevere(call.outcomeBefore, last)
}

/** Returns the outcome of a request that was sent and got no usable response. */
function outcomeOfSending({ endpoint }: Call): Outcome {
  return endpoint.retry === 'safe' ? 'failed' : 'unknown'
}

function outcomeOfStatus(call: Call, status: number, kind: FailureKind): Outcome {
  if (status === 401 || status === 429) return 'refused'
  return kind === 'final' ? 'failed' : outcomeOfSending(call)
}

function kindOf({ endpoint, outcomeBefore }: Call, { status, body }: TransportResponse): FailureKind {
  const { reconcile } = endpoint
  if (outcomeBefore !== 'unknown' || reconcile === undefined) return failureOfStatus(status)
  const done = showsDoneBefore(reconcile, status, parseEnvelope(body)?.code)
  return done ? 'done-before' : failureOfStatus(status)
}

/** Maximum length of `bodyExcerpt`, in characters. */
const MAX_EXCERPT = 2_048

/** Maximum length of an error body that is parsed, in characters. */
const MAX_ENVELOPE = 1024 * 1024

interface ResponseErrorFacts extends FailureContext {
  readonly outcome: Outcome
  readonly retryAfter: number | undefined
}

/** Converts an error response to its public error, with or without the service's error envelope. */
function errorOfResponse(
  context: CallContext,
  call: Call,
  { status, headers, body }: TransportResponse,
  { attempts, isRepeatable, outcome, retryAfter }: ResponseErrorFacts,
): ApiError {
  const { endpoint } = call
  const values = valuesOf(context, call)
  const envelope = parseEnvelope(body)
  const errorList = envelope?.errorList ?? []
  const serviceText = errorList.length > 0 ? errorList.join('; ') : envelope?.message
  const code = shownCode(envelope?.code, values)
  // The service's own 404 responses have a known code. A 404 of another host or path has none.
  const isOtherServer = status === 404 && !isKnownErrorCode(code ?? '')
  return createApiError({
    status,
    code,
    errorList,
    issues: errorList.map(parseIssue),
    method: endpoint.method,
    path: endpoint.path,
    requestId: safeRequestId(context, call, headers),
    outcome,
    attempts,
    isRepeatable,
    retryAfter,
    serviceMessage: envelope?.message,
    advice: isOtherServer ? addressAdvice(context, call) : undefined,
    safeDetail: serviceText && redact(serviceText, values),
    bodyExcerpt: envelope === undefined ? body.slice(0, MAX_EXCERPT) : undefined,
  })
}

/** Returns the advice to check `baseUrl`, with the requested address. The path template contains no identifier. */
function addressAdvice({ options: { base } }: CallContext, { endpoint }: Call): string {
  const service =
    endpoint.stagingOnly === true
      ? 'the staging API, because production does not have this endpoint'
      : 'the API'
  return `the request went to ${base.origin}${base.prefix}${endpoint.path}: check that baseUrl is the address of ${service}`
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
  if (text.length > MAX_ENVELOPE) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isFields(value)) return undefined
  const code = ownFieldOf(value, 'code')
  const message = ownFieldOf(value, 'message')
  const list = ownFieldOf(value, 'errorList')
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : undefined,
    message: typeof message === 'string' ? message : undefined,
    errorList: Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [],
  }
}
