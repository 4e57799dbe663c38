import type { Outcome } from '../../common/errors.js'
import { isFields } from '../../contract/check.js'
import { isKnownErrorCode } from '../../contract/error-codes.js'
import { parseIssue } from '../../contract/issues.js'
import { jsonOf, ownFieldOf } from '../../contract/read.js'
import { CallEnded } from '../core/deadline.js'
import type { TurnTooLate } from '../core/rate-limiter.js'
import { AttemptFailure } from '../core/retry.js'
import { type FailureKind, failureOfStatus, showsDoneBefore } from '../core/retry-policy.js'
import { type ApiError, createApiError } from '../errors/api-errors.js'
import {
  CHECK_ADDRESS,
  CHECK_FIRST,
  EFFECT,
  type FailureContext,
  moreSevere,
  responseError,
} from '../errors/error-texts.js'
import { isSafeToRepeat, TimeoutError } from '../errors/errors.js'
import {
  connectionError,
  HeldBack,
  TransportFailure,
  type TransportResponse,
} from '../transport/transport.js'
import type { Call, CallContext } from './call.js'
import { isRepeatable } from './request.js'
import { NOT_OBJECT, requestIdOf } from './response.js'

/** Facts of the public error of a call. */
interface ErrorFacts extends FailureContext {
  readonly method: string
  readonly path: string
  readonly outcome: Outcome
}

/** Returns the facts of the public error of a call. `last` is the outcome of the last attempt. */
export function errorFacts({ options }: CallContext, call: Call, last: Outcome): ErrorFacts {
  const { method, path } = call.endpoint
  return {
    what: `${method} ${path}`,
    method,
    path,
    origin: options.base.origin,
    attempts: call.sends,
    isRepeatable: isRepeatable(call.endpoint),
    outcome: moreSevere(call.outcomeBefore, last),
  }
}

type FailureFacts = Omit<ConstructorParameters<typeof AttemptFailure>[1], 'toPublic'>

/** Creates the failure of an attempt. `errorOf` creates its public error. */
function attemptFailure(
  context: CallContext,
  call: Call,
  kind: FailureKind,
  facts: FailureFacts,
  errorOf: (facts: ErrorFacts) => Error,
): AttemptFailure {
  const toPublic = (): Error => errorOf(errorFacts(context, call, facts.outcome))
  return new AttemptFailure(kind, { ...facts, toPublic })
}

/** Converts a response outside 2xx to the failure of its attempt. */
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
  const maxReplays = context.tokens.isOfOtherProcess(call.token) ? 2 : 1
  const of = { outcome, status, retryAfterMs, retryCost, maxReplays }
  return attemptFailure(context, call, kind, of, (facts) =>
    status >= 300 && status < 400
      ? responseError('redirect', { ...facts, status, advice: addressAdvice(context, call) })
      : errorOfResponse(context, call, response, facts, retryAfterMs),
  )
}

/**
 * Converts a {@link TransportFailure} or {@link HeldBack} to the failure of its attempt, or to its {@link CallEnded} if
 * the caller aborted the call. Returns other errors unchanged.
 *
 * @param status - Status of the response, if there was one.
 */
export function failureOfAttempt(
  context: CallContext,
  call: Call,
  error: unknown,
  status: number | undefined,
): unknown {
  if (error instanceof HeldBack)
    return new AttemptFailure('held-back', { outcome: 'not-sent', toPublic: () => error })
  if (!(error instanceof TransportFailure)) return error
  const { cause, reason, sent, kind, detail } = error
  const outcome = sent ? outcomeOfSending(call) : 'not-sent'
  if (!(cause instanceof CallEnded)) {
    const isOfOther = reason === 'not-json' || reason === 'empty' || detail === NOT_OBJECT
    const advice = isOfOther ? addressAdvice(context, call) : undefined
    return attemptFailure(context, call, kind, { outcome, reason, status }, (facts) =>
      connectionError(error, { ...facts, status, advice }),
    )
  }
  if (cause.end.kind === 'aborted') return cause
  return attemptFailure(context, call, sent ? 'ambiguous' : 'final', { outcome }, (facts) =>
    timeoutError(call, facts, cause.queuedFor),
  )
}

/** Creates the error of a call that cannot be sent in time after a 429. */
export function pauseError(facts: ErrorFacts, { waitMs, refused, isHopeless }: TurnTooLate): Error {
  const retryAfter = Math.ceil(waitMs)
  const next = isSafeToRepeat(facts) ? 'call again after this time' : CHECK_FIRST
  const reason = isHopeless
    ? `the service responded with 429 to ${refused} after several pauses, and a call can be sent in ${retryAfter} ms`
    : `after a 429 to ${refused}, this call can be sent in ${retryAfter} ms, later than its time limit`
  const message = `${facts.what}: ${reason}; ${EFFECT[facts.outcome]}; ${next}`
  return createApiError({ ...facts, retryAfter, message, status: 429 })
}

/**
 * Creates the error of a call whose time limit expired.
 *
 * @param queuedFor - Description of the queue in which the call waited.
 */
export function timeoutError(call: Call, facts: ErrorFacts, queuedFor: string | undefined): TimeoutError {
  const timeout = call.request.limitMs
  const wait = queuedFor === undefined ? '' : `; the call was still waiting for ${queuedFor}`
  const next = isSafeToRepeat(facts) ? 'call again, or set a longer timeout' : CHECK_FIRST
  const message = `${facts.what} did not end within ${timeout} ms: ${EFFECT[facts.outcome]}${wait}; ${next}`
  return new TimeoutError(message, { ...facts, timeout })
}

/** Returns the outcome of a request that was sent but did not get a usable response. */
function outcomeOfSending({ endpoint }: Call): Outcome {
  return endpoint.retry === 'safe' ? 'failed' : 'unknown'
}

function outcomeOfStatus(call: Call, status: number, kind: FailureKind): Outcome {
  if (status === 401 || status === 429) return 'refused'
  return kind === 'final' ? 'failed' : outcomeOfSending(call)
}

function kindOf({ endpoint, outcomeBefore }: Call, { status, body }: TransportResponse): FailureKind {
  if (status === 401) return 'token-rejected'
  const { reconcile } = endpoint
  const mayBeDone = outcomeBefore === 'unknown' && reconcile !== undefined
  if (mayBeDone && showsDoneBefore(reconcile, status, parseEnvelope(body)?.code)) return 'done-before'
  return failureOfStatus(status)
}

/** Maximum length of `bodyExcerpt`, in characters. */
const MAX_EXCERPT = 2_048

/** Maximum length of an error body that is parsed, in characters. */
const MAX_ENVELOPE = 1024 * 1024

/** Shape of a code. The code of a service that is not known to this version is shown by its shape alone. */
const CODE = /^(?:[A-Z][A-Z0-9_]{2,63}|\d{3})$/

/** Converts an error response to its public error, with or without the service's error envelope. */
function errorOfResponse(
  context: CallContext,
  call: Call,
  { status, headers, body }: TransportResponse,
  facts: ErrorFacts,
  retryAfter: number | undefined,
): ApiError {
  const envelope = parseEnvelope(body)
  const errorList = envelope?.errorList ?? []
  const code = envelope?.code !== undefined && CODE.test(envelope.code) ? envelope.code : undefined
  // The service's own 404 responses have a known code. A 404 of another host or path has none.
  const isOtherServer = status === 404 && !isKnownErrorCode(code ?? '')
  return createApiError({
    ...facts,
    status,
    code,
    errorList,
    issues: errorList.map(parseIssue),
    requestId: requestIdOf(headers),
    retryAfter,
    serviceMessage: envelope?.message,
    advice: isOtherServer ? addressAdvice(context, call) : undefined,
    bodyExcerpt: envelope === undefined ? body.slice(0, MAX_EXCERPT) : undefined,
  })
}

/**
 * Returns the advice to check `baseUrl`, with the requested address. The path in the address is a template without
 * identifiers.
 */
function addressAdvice({ options: { base } }: CallContext, { endpoint }: Call): string {
  const service =
    endpoint.stagingOnly === true
      ? 'the staging API, because production does not have this endpoint'
      : 'the API'
  return `the request went to ${base.origin}${base.prefix}${endpoint.path}: ${CHECK_ADDRESS} ${service}`
}

/** Reads an error envelope; `undefined` if the body is not a JSON object or is longer than {@link MAX_ENVELOPE}. */
function parseEnvelope(text: string) {
  if (text.length > MAX_ENVELOPE) return undefined
  const value = jsonOf(text)
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
