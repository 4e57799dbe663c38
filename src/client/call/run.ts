import { ConfigurationError, PathologyError, withTraceOf } from '../../common/errors.js'
import { tokenFailure } from '../auth/token-request.js'
import { CallEnded } from '../core/deadline.js'
import { TurnTooLate } from '../core/rate-limiter.js'
import { AttemptFailure, type Before, withRetries } from '../core/retry.js'
import { parseRetryAfter } from '../core/retry-policy.js'
import { HeldBack, TransportFailure, type TransportResponse } from '../transport/transport.js'
import type { WithResponse } from './api-promise.js'
import type { Call, CallContext } from './call.js'
import { errorFacts, failureOfAttempt, failureOfResponse, pauseError, timeoutError } from './failures.js'
import { isRepeatable } from './request.js'
import { requestIdOf, unusable } from './response.js'

/**
 * Sends the request of a call and returns the response. Throws the public error. After each failed attempt, `decide`
 * says what comes next: a retry after a pause, a new token, the turn of the rate limiter, a lookup, or the error.
 */
export async function run(context: CallContext, call: Call): Promise<WithResponse<unknown>> {
  try {
    return await withRetries(context, call, attempt)
  } catch (error) {
    throw publicError(context, call, error)
  } finally {
    call.deadline.dispose()
  }
}

/** Sends the request once when the rate limiter permits it, or looks up the effect of the attempt before. */
async function attempt(
  context: CallContext,
  call: Call,
  before: Before | undefined,
): Promise<WithResponse<unknown>> {
  const { options, transport, tokens, rateLimiter, serverClock } = context
  const { endpoint, request, deadline } = call
  const { guard } = call.given.input
  if (before?.action === 'look-up') return lookUp(context, call, before.failure)
  if (before?.action === 'new-token') tokens.invalidate(call.token)
  const turn = rateLimiter.isPacing ? await rateLimiter.turn(call) : rateLimiter.pauses
  call.turn = turn
  call.token = tokens.current() ?? (await newToken(context, call))
  if (guard !== undefined) await guard.beforeSending(deadline)
  let status: number | undefined
  try {
    if (deadline.ended !== undefined) throw deadline.ended
    if (call.reconciler !== undefined) call.sentAt = serverClock.moment()
    call.sends += 1
    const response = await transport.send({
      origin: options.base.origin,
      path: request.path,
      method: endpoint.method,
      headers: ['authorization', `Bearer ${call.token}`, ...request.headers],
      body: request.body,
      deadline,
      maxBytes: request.maxResponseBytes,
      isHeldBack: () => rateLimiter.isExpired(turn),
      isStale: guard && (() => guard.isStale()),
      isSentOnce: endpoint.retry === 'once',
    })
    status = response.status
    if (status === 401 || status === 429) guard?.hadNoEffect(true)
    return read(context, call, response)
  } catch (error) {
    if (error instanceof HeldBack) call.sends -= 1
    if (isNotSent(error)) guard?.hadNoEffect(false)
    throw failureOfAttempt(context, call, error, status)
  }
}

/** Returns `true` when nothing was sent. A missing module, or an unusable dispatcher, is noticed before that. */
function isNotSent(error: unknown): boolean {
  if (error instanceof TransportFailure) return !error.sent
  if (error instanceof HeldBack || error instanceof CallEnded) return true
  return error instanceof ConfigurationError
}

/**
 * Returns the checked data of a success response. Throws a `TransportFailure` for a success response that is not usable,
 * and an `AttemptFailure` for any other response. Passes the time in the Date header to the server clock. Reports to the
 * rate limiter whether the service accepted the request.
 */
function read(context: CallContext, call: Call, response: TransportResponse): WithResponse<unknown> {
  const { status, headers } = response
  context.serverClock.observe(headers['date'])
  const { rateLimiter } = context
  if (rateLimiter.isPacing && status !== 429) rateLimiter.accepted(call.turn)
  if (status < 200 || status > 299) throw recordErrorResponse(context, call, response)
  const { path, contradictionOf } = call.given.input
  const data = context.reader.read(call.endpoint, response, path)
  const contradiction = contradictionOf?.(data)
  if (contradiction !== undefined) throw unusable('shape', contradiction, 'unusable')
  return { data, response: { status, headers, requestId: requestIdOf(headers), attempts: call.sends } }
}

/** Returns the failure of a response outside 2xx. Records a 429 in the rate limiter. */
function recordErrorResponse(context: CallContext, call: Call, response: TransportResponse): AttemptFailure {
  const { rateLimiter, serverClock } = context
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], serverClock.now())
  if (response.status !== 429) return failureOfResponse(context, call, response, retryAfterMs)
  const isLate = rateLimiter.rejected(call.turn, call.endpoint, retryAfterMs)
  const waitMs = retryAfterMs ?? Math.ceil(rateLimiter.pauseMs)
  // Requests in flight together often all get a 429. Only the first of them takes tokens of the retry budget.
  return failureOfResponse(context, call, response, waitMs, isLate ? 0 : undefined)
}

async function newToken({ tokens }: CallContext, call: Call): Promise<string> {
  try {
    return await call.deadline.race(tokens.get())
  } catch (error) {
    const failure = tokenFailure(error, call.outcomeBefore, isRepeatable(call.endpoint))
    throw failure === error ? error : withTraceOf(newToken, failure)
  }
}

/**
 * Looks up the effect of a request whose response was lost, and returns its data if the request was carried out. If it
 * was not, throws `failure`, which may then be retried. If the effect remains unknown, throws the error of the
 * reconciler.
 */
async function lookUp(
  context: CallContext,
  call: Call,
  failure: AttemptFailure,
): Promise<WithResponse<unknown>> {
  const { endpoint, given, reconciler, sends } = call
  const { logger, serverClock } = context
  call.lostAt ??= call.sentAt
  const lostAt = call.lostAt ?? serverClock.moment()
  const { kind, toPublic, status = 200 } = failure
  const startedAt = (): number => serverClock.at(lostAt)
  const found = await reconciler?.({ ...given, kind, toPublic, attempts: sends, startedAt })
  if (found === undefined || found === 'repeat') {
    failure.hadNoEffect = true
    throw failure
  }
  const what = endpoint.reconcile === 'order' ? 'the order was found' : 'the request had been carried out'
  logger.warn(`pathology-sdk: the response to ${endpoint.id} was lost; ${what}`)
  call.isRecovered = true
  return { data: found.data, response: { status, headers: {}, requestId: undefined, attempts: sends } }
}

function publicError(context: CallContext, call: Call, error: unknown): unknown {
  if (error instanceof CallEnded && error.end.kind === 'aborted') return error.end.reason
  const created = createdError(context, call, error)
  // The error of a lookup was created below the attempts, further from the caller than Node's trace reaches.
  const isOfLookup = call.lostAt !== undefined && error instanceof PathologyError
  return created === error && !isOfLookup ? error : withTraceOf(run, created)
}

/** Creates the public error of an internal error; returns an error that is public already. */
function createdError(context: CallContext, call: Call, error: unknown): unknown {
  if (error instanceof AttemptFailure) return error.toPublic()
  // No request was in flight, so the earlier requests determine the outcome.
  const last = 'not-sent'
  if (error instanceof TurnTooLate) return pauseError(errorFacts(context, call, last), error)
  if (error instanceof CallEnded) return timeoutError(call, errorFacts(context, call, last), error.queuedFor)
  return error
}
