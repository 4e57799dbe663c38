import type { Outcome } from '../../common/errors.js'
import { ConnectionError, InvalidResponseError, type InvalidResponseReason } from './errors.js'

/** What the message of a broken exchange may name. */
export interface FailureContext {
  /** Such as `GET /v1/referrals/{uuid}`: templates, no identifiers. */
  readonly what: string
  readonly origin: string
  readonly attempts: number
}

/** What each reason means, for messages. */
export const RESPONSE_SENTENCES: Readonly<Record<InvalidResponseReason, string>> = {
  truncated: 'the answer broke off',
  'not-json': 'the answer is not JSON',
  empty: 'the answer is empty',
  shape: 'the answer is not what the contract says',
  'error-envelope': 'the response has a success status but holds an error',
  'too-large': 'the answer is larger than the limit',
  encoding: 'the answer has a content encoding that was not asked for',
  redirect: 'the answer is a redirect, which is never followed',
  'cursor-loop': 'the list gave the same cursor again',
  'incomplete-list': 'records of the list may be missing',
  'not-pdf': 'the document is not a PDF',
  'no-document': 'there is no PDF',
  'unsafe-url': "the document's URL must not be opened",
}

/** What is known of a call's effect, as the end of a sentence. */
export const EFFECT: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  refused: 'nothing was done',
  failed: 'nothing was done',
  unknown: 'whether it was carried out is not known',
}

/** The error of what begins when the client is closed. */
export function clientClosed(what: string): ConnectionError {
  const message = `${what}: the client is closed; make a new client; ${EFFECT['not-sent']}`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'closed' })
}

/** The error of a call that would wait behind too many others. */
export function queueFull(what: string): ConnectionError {
  const message = `${what}: too many calls wait for their turn (maxQueue); call again later; ${EFFECT['not-sent']}`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'queue-full' })
}

/** The public error of an answer that arrived and is not usable. */
export function responseError(
  reason: InvalidResponseReason,
  context: FailureContext & {
    readonly outcome: Outcome
    readonly status?: number | undefined
    readonly detail?: string | undefined
  },
): InvalidResponseError {
  const { outcome, attempts, status, detail } = context
  const sentence = RESPONSE_SENTENCES[reason] + (detail === undefined ? '' : ` (${detail})`)
  const effect = outcome === 'unknown' ? `; ${EFFECT.unknown}` : ''
  return new InvalidResponseError(`${context.what} at ${context.origin}: ${sentence}${effect}`, {
    outcome,
    attempts,
    reason,
    status,
  })
}
