import { AttemptFailure, ReadFailure } from '../core/attempt-failure.js'
import { parseRetryAfter, pauseMs } from '../core/backoff.js'
import { CallEnded } from '../core/deadline.js'
import { withRetries } from '../core/retry.js'
import { HeldBack, type WireAnswer } from '../transport/transport.js'
import type { Answered } from './api-promise.js'
import { type Call, type PipelineParts, recordRetry } from './call.js'
import { requestId } from './error-response.js'
import { reconcile, retryAction } from './reconcile.js'

/** Runs one call to its response. Throws the public error. */
export async function run(context: PipelineParts, call: Call): Promise<Answered<unknown>> {
  try {
    const response = await respond(context, call)
    context.budget.succeeded(call.budgetTaken)
    return response
  } catch (error) {
    throw publicError(call, error)
  } finally {
    call.deadline.dispose()
  }
}

/** Retries the request, and sends it again where reconciliation shows that it was not carried out. */
async function respond(context: PipelineParts, call: Call): Promise<Answered<unknown>> {
  for (;;) {
    try {
      return await retryWithPermit(context, call)
    } catch (error) {
      const reconciled = await reconcile(context, call, error)
      if (reconciled !== 'repeat') return reconciled
    }
  }
}

async function retryWithPermit(context: PipelineParts, call: Call): Promise<Answered<unknown>> {
  const { turnstile, options, budget } = context
  await turnstile.enter(call.deadline)
  try {
    return await withRetries({
      maxRetries: call.request.maxRetries - call.retries,
      deadline: call.deadline,
      attempt: () => attempt(context, call),
      pauseAfter: (error) => {
        if (!(error instanceof AttemptFailure) || retryAction(call, error) !== 'retry') return undefined
        const { kind, retryAfterMs, retryCost } = error
        // After a 429 the call waits for its turn, which comes after the pause.
        const hasTurn = kind === 'rate-limited'
        const pause =
          hasTurn && retryAfterMs === undefined
            ? 0
            : pauseMs(call.retries + 1, options.random(), retryAfterMs)
        if (pause >= call.deadline.remainingMs || !budget.take(retryCost)) return undefined
        recordRetry(call, error)
        return hasTurn ? 0 : pause
      },
    })
  } finally {
    turnstile.leave()
  }
}

/** Sends the request in its turn. A request that was held back, or refused in a crowd, waits for another turn. */
async function attempt(context: PipelineParts, call: Call): Promise<Answered<unknown>> {
  for (;;) {
    call.turn = await context.rateLimitPause.turn(call)
    try {
      return await sendOnce(context, call)
    } catch (error) {
      if (!waitsForAnotherTurn(context, call, error)) throw error
    }
  }
}

/**
 * While the service accepts other calls, a 429 says that the call came too early, not that the service fails. So it is
 * not counted as a retry; but an order is sent three times at most.
 */
function waitsForAnotherTurn({ rateLimitPause }: PipelineParts, call: Call, error: unknown): boolean {
  if (error instanceof HeldBack) {
    call.sends -= 1
    return true
  }
  if (!(error instanceof AttemptFailure) || error.kind !== 'rate-limited') return false
  const isAllowed = call.endpoint.retry !== 'once' && call.request.maxRetries > 0
  if (!isAllowed || !rateLimitPause.isCrowded(call.turn)) return false
  call.failures.goesOnAfter(error)
  return true
}

/** Sends the request once, and once more with a new token after a 401. */
async function sendOnce(context: PipelineParts, call: Call): Promise<Answered<unknown>> {
  const token = context.tokens.current() ?? (await newToken(context, call))
  try {
    const response = await send(context, call, token)
    const replay = response.status === 401 && !call.isReplayed
    return read(context, call, replay ? await sendWithNewToken(context, call, token) : response)
  } catch (error) {
    throw call.failures.ofWire(error)
  }
}

/** A new token can come from another process and be as old as the rejected one: then it is replaced once more. */
async function sendWithNewToken(context: PipelineParts, call: Call, rejected: string): Promise<WireAnswer> {
  call.isReplayed = true
  const token = await replaceToken(context, call, rejected)
  const response = await send(context, call, token)
  if (response.status !== 401 || !context.tokens.isBorrowed(token)) return response
  return send(context, call, await replaceToken(context, call, token))
}

function replaceToken(context: PipelineParts, call: Call, rejected: string): Promise<string> {
  call.failures.refused()
  context.tokens.invalidate(rejected)
  return newToken(context, call)
}

async function newToken({ tokens }: PipelineParts, call: Call): Promise<string> {
  try {
    return await call.deadline.race(tokens.get())
  } catch (error) {
    throw call.failures.ofToken(error)
  }
}

function send(context: PipelineParts, call: Call, token: string): Promise<WireAnswer> {
  const { options, transport, headers, reader, serviceClock, rateLimitPause } = context
  const { endpoint, request, deadline, turn } = call
  deadline.throwIfEnded()
  call.sends += 1
  call.failures.sentWith(token)
  if (call.reconciler !== undefined) call.sentAt = serviceClock.moment()
  return transport.send({
    origin: options.base.origin,
    path: request.path,
    method: endpoint.method,
    headers: headers.of(token, request),
    body: request.body,
    deadline,
    maxBytes: reader.maxBytes(endpoint),
    isHeldBack: () => rateLimitPause.isOver(endpoint.id, turn),
  })
}

/** Returns the checked data of a success response. Throws an `AttemptFailure` for any other. */
function read(context: PipelineParts, call: Call, response: WireAnswer): Answered<unknown> {
  const { status, headers } = response
  context.serviceClock.observe(headers['date'])
  if (status !== 429) context.rateLimitPause.accept(call.endpoint.id, call.turn)
  if (status < 200 || status > 299) throw errorStatus(context, call, response)
  try {
    const data = context.reader.read(call.endpoint, response)
    const contradiction = call.request.contradiction?.(data)
    if (contradiction !== undefined) throw new ReadFailure('shape', 'unusable', contradiction)
    const id = requestId(headers, call.failures.values)
    return { data, response: { status, headers, requestId: id, attempts: call.sends } }
  } catch (error) {
    throw call.failures.ofReading(error, status)
  }
}

function errorStatus(context: PipelineParts, call: Call, response: WireAnswer): AttemptFailure {
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], context.serviceClock.now())
  if (response.status !== 429) return call.failures.ofAnswer(response, retryAfterMs)
  const isLate = context.rateLimitPause.refuse(call.endpoint.id, call.turn, retryAfterMs)
  // Requests that were in flight together are refused together: the first one pays.
  return call.failures.ofAnswer(response, retryAfterMs, isLate ? 0 : undefined)
}

function publicError(call: Call, error: unknown): unknown {
  if (error instanceof AttemptFailure) return error.toPublic(call.sends)
  if (!(error instanceof CallEnded)) return error
  // No request was in flight, or the transport's error would have come: the requests before decide.
  return error.end.kind === 'aborted'
    ? error.end.reason
    : call.failures.timeout(false, call.sends, error.queuedFor)
}
