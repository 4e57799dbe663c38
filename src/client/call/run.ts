import { ConfigurationError, withTraceOf } from '../../common/errors.js'
import { tokenFailure } from '../auth/token-request.js'
import { CallEnded } from '../core/deadline.js'
import { TurnTooLate } from '../core/rate-limiter.js'
import { AttemptFailure, ReadFailure, withRetries } from '../core/retry.js'
import { parseRetryAfter } from '../core/retry-policy.js'
import { HeldBack, TransportFailure, type TransportResponse } from '../transport/transport.js'
import type { WithResponse } from './api-promise.js'
import { type Call, type CallContext, reconcile, recordOutcome, retryAction, takeRetry } from './call.js'
import {
  errorFacts,
  failureOfReading,
  failureOfResponse,
  failureOfTransport,
  pauseError,
  timeoutError,
} from './failures.js'
import { isRepeatable, requestHeaders } from './request.js'
import { requestIdOf } from './response.js'

/**
 * Sends the request of a call and returns the response. Throws the public error. The request is sent again in four
 * cases:
 * - `attempt`, 401: after the first 401 of the call, with a new token. If that token came from another process and is
 *   rejected too, once more.
 * - `attempt`, turn: after a request that was held back, because a 429 arrived while it waited for a connection.
 * - `retryPause`: the retry table permits a retry.
 * - `run`: reconciliation has shown that the request was not carried out.
 */
export async function run(context: CallContext, call: Call): Promise<WithResponse<unknown>> {
  const { budget } = context
  try {
    for (;;) {
      let failure: unknown
      try {
        const response = await withRetries({
          maxRetries: call.request.maxRetries,
          deadline: call.deadline,
          attempt: () => attempt(context, call),
          pauseAfter: (error) => retryPause(context, call, error),
        })
        budget.succeeded(call.budgetTaken)
        return response
      } catch (error) {
        failure = error
      }
      const { reconciler } = call
      if (!(failure instanceof AttemptFailure) || reconciler === undefined) throw failure
      if (retryAction(call, failure) !== 'reconcile') throw failure
      const reconciled = await reconcile(context, call, reconciler, failure)
      if (reconciled !== 'repeat') return reconciled
    }
  } catch (error) {
    throw publicError(context, call, error)
  } finally {
    call.deadline.dispose()
  }
}

/** Takes a retry. Returns the pause before it, in milliseconds; `undefined` when the call is not retried. */
function retryPause(context: CallContext, call: Call, error: unknown): number | undefined {
  if (!(error instanceof AttemptFailure) || retryAction(call, error) !== 'retry') return undefined
  return takeRetry(context, call, error)
}

/** Waits until the rate limiter permits the request, and sends it; see {@link run} for the cases that repeat this. */
async function attempt(context: CallContext, call: Call): Promise<WithResponse<unknown>> {
  const { rateLimiter, tokens } = context
  for (;;) {
    call.turn = rateLimiter.isPacing ? await rateLimiter.turn(call) : rateLimiter.pauses
    const token = tokens.current() ?? (await newToken(context, call))
    try {
      // `sendGuarded` costs a promise more than `send`.
      const isGuarded = call.input.guard !== undefined
      let response = await (isGuarded ? sendGuarded : send)(context, call, token)
      if (response.status === 401 && !call.isReplayed) response = await sendAgain(context, call, token)
      return read(context, call, response)
    } catch (error) {
      if (!(error instanceof HeldBack)) throw failureOfTransport(context, call, error)
      call.sends -= 1
    }
  }
}

/** Sends the request if its guard permits it, and reports a request without an effect to the guard. */
async function sendGuarded(context: CallContext, call: Call, token: string): Promise<TransportResponse> {
  const { guard } = call.input
  await guard?.beforeSending(call.deadline)
  try {
    const response = await send(context, call, token)
    if (response.status === 401 || response.status === 429) guard?.hadNoEffect(true)
    return response
  } catch (error) {
    if (isNotSent(error)) guard?.hadNoEffect(false)
    throw error
  }
}

/** Returns `true` when nothing was sent. A missing module, or an unusable dispatcher, is noticed before that. */
function isNotSent(error: unknown): boolean {
  if (error instanceof TransportFailure) return !error.sent
  if (error instanceof HeldBack || error instanceof CallEnded) return true
  return error instanceof ConfigurationError
}

function send(context: CallContext, call: Call, token: string): Promise<TransportResponse> {
  const { options, transport, serverClock, rateLimiter } = context
  const { endpoint, request, deadline, turn } = call
  const { guard } = call.input
  deadline.throwIfEnded()
  // Counted before the request is sent. If the request is held back, the 1 is subtracted.
  call.sends += 1
  if (call.reconciler !== undefined) call.sentAt = serverClock.moment()
  return transport.send({
    origin: options.base.origin,
    path: request.path,
    method: endpoint.method,
    headers: requestHeaders(options.userAgent, token, request),
    body: request.body,
    deadline,
    maxBytes: request.maxResponseBytes,
    isHeldBack: () => rateLimiter.isExpired(turn),
    isStale: guard && (() => guard.isStale()),
    isSentOnce: endpoint.retry === 'once',
  })
}

/**
 * Returns the checked data of a success response. Throws an `AttemptFailure` for a success response that is not usable,
 * and for any other response. Passes the time in the Date header to the server clock. Reports to the rate limiter
 * whether the service accepted the request.
 */
function read(context: CallContext, call: Call, response: TransportResponse): WithResponse<unknown> {
  const { status, headers } = response
  context.serverClock.observe(headers['date'])
  const { rateLimiter } = context
  if (rateLimiter.isPacing && status !== 429) rateLimiter.accepted(call.turn)
  if (status < 200 || status > 299) throw recordErrorResponse(context, call, response)
  try {
    const { path, contradictionOf } = call.input
    const data = context.reader.read(call.endpoint, response, path)
    const contradiction = contradictionOf?.(data)
    if (contradiction !== undefined) throw new ReadFailure('shape', 'unusable', contradiction)
    return { data, response: { status, headers, requestId: requestIdOf(headers), attempts: call.sends } }
  } catch (error) {
    throw failureOfReading(context, call, error, status)
  }
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
 * Sends the request with a new token. If the new token came from another process and is rejected too, replaces the
 * token once more.
 */
async function sendAgain(context: CallContext, call: Call, rejected: string): Promise<TransportResponse> {
  call.isReplayed = true
  const token = await replaceToken(context, call, rejected)
  const response = await sendGuarded(context, call, token)
  if (response.status !== 401 || !context.tokens.isOfOtherProcess(token)) return response
  return sendGuarded(context, call, await replaceToken(context, call, token))
}

function replaceToken(context: CallContext, call: Call, rejected: string): Promise<string> {
  recordOutcome(call, 'refused')
  context.tokens.invalidate(rejected)
  return newToken(context, call)
}

function publicError(context: CallContext, call: Call, error: unknown): unknown {
  if (error instanceof CallEnded && error.end.kind === 'aborted') return error.end.reason
  const created = createdError(context, call, error)
  return created === error ? error : withTraceOf(run, created)
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
