import { AttemptFailure } from '../core/attempt-failure.js'
import { decideRetry, type RetryAction } from '../core/retry-policy.js'
import type { WithResponse } from './api-promise.js'
import { type Call, type CallContext, recordRetry } from './call.js'

/** Returns the action after a failed attempt of this call. */
export function retryAction(
  { endpoint, request, reconciler, retries }: Call,
  failure: AttemptFailure,
): RetryAction {
  return decideRetry({
    retry: endpoint.retry,
    reconcile: reconciler === undefined ? undefined : endpoint.reconcile,
    failure: failure.kind,
    retries,
    maxRetries: request.maxRetries,
  })
}

/**
 * Looks up the effect of a request whose response was lost. Returns its data, or `'repeat'` when it was not
 * carried out and may be sent again. Throws the error of any other failure.
 */
export async function reconcile(
  context: CallContext,
  call: Call,
  error: unknown,
): Promise<WithResponse<unknown> | 'repeat'> {
  const { endpoint, given, reconciler, request, sends } = call
  if (!(error instanceof AttemptFailure) || reconciler === undefined) throw error
  if (retryAction(call, error) !== 'reconcile') throw error
  call.lostAt ??= call.sentAt
  const lostAt = call.lostAt ?? context.serverClock.moment()
  const reconciled = await reconciler({
    ...given,
    error: error.toPublic(sends),
    attempts: sends,
    startedAt: () => context.serverClock.at(lostAt),
  })
  if (reconciled !== 'repeat') {
    const found = endpoint.reconcile === 'order' ? 'the order was found' : 'the request had been carried out'
    context.logger.warn(`pathology-sdk: the response of ${endpoint.id} was lost; ${found}`)
    call.isRecovered = true
    const response = { status: error.status ?? 200, headers: {}, requestId: undefined, attempts: sends }
    return { data: reconciled.data, response }
  }
  const isFinal = error.kind === 'done-before' || call.retries >= request.maxRetries
  if (isFinal || !context.budget.take(error.retryCost)) throw error
  recordRetry(call, error)
  return 'repeat'
}
