import type { Outcome } from '../../common/errors.js'
import {
  ConnectionError,
  InvalidResponseError,
  type InvalidResponseReason,
  isSafeToRepeat,
} from './errors.js'

/** Request details that a message may contain. */
export interface FailureContext {
  /** Method and path template, such as `GET /v1/referrals/{uuid}`. */
  readonly what: string
  readonly origin: string
  readonly attempts: number
  /** `true` for a request that has the same effect however often it is sent. */
  readonly isRepeatable?: boolean
}

/** Explanation of each reason, for error messages. */
const RESPONSE_SENTENCES: Readonly<Record<InvalidResponseReason, string>> = {
  truncated: 'the response is truncated',
  'not-json': 'the response is not JSON',
  empty: 'the response is empty',
  shape: 'the response differs from the contract',
  'error-envelope': 'the response has a success status but contains an error',
  'too-large': 'the response is larger than the limit',
  encoding: 'the response has a content encoding that was not requested, or is not valid gzip',
  redirect: 'the response is a redirect, which the client never follows',
  'cursor-loop': 'the list returned the same cursor again',
  'incomplete-list': 'records of the list may be missing',
  'not-pdf': 'the document is not a PDF',
  'no-document': 'no PDF is available',
  'unsafe-url': "the document's URL is not permitted",
}

/** Next step for the caller after an unusable response, for error messages. */
const NEXT_STEPS: Readonly<Partial<Record<InvalidResponseReason, string>>> = {
  truncated: 'call again',
  'not-json': 'call again',
  empty: 'call again',
  'too-large': 'increase maxResponseBytes',
  'cursor-loop': 'read the list again',
  'incomplete-list': 'read the list again',
}

/** Next step for the caller when a repetition could have an effect twice. */
export const CHECK_FIRST = 'check whether it was carried out before you call again'

/** Effect of a call on the service, as a part of an error message. The next step follows it. */
export const EFFECT: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  refused: 'the request was not carried out',
  failed: 'the request was not carried out',
  unknown: 'it is unknown whether the request was carried out',
}

/** Creates the error of a call that starts after `close()`. */
export function clientClosed(what: string): ConnectionError {
  const message = `${what}: the client is closed; ${EFFECT['not-sent']}; create a new client`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'closed' })
}

/** Creates the error of a call that finds the queue full. */
export function queueFull(what: string): ConnectionError {
  const message = `${what}: too many calls are queued (maxQueue); ${EFFECT['not-sent']}; call again later`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'queue-full' })
}

/** Creates the public error of a response that is not usable. */
export function responseError(
  reason: InvalidResponseReason,
  context: FailureContext & {
    readonly outcome: Outcome
    readonly status?: number | undefined
    readonly detail?: string | undefined
    readonly cause?: unknown
    /** Next step for the caller. Default: the next step of the reason. */
    readonly advice?: string | undefined
  },
): InvalidResponseError {
  const { outcome, attempts, isRepeatable, status, detail, cause, advice } = context
  const sentence = RESPONSE_SENTENCES[reason] + (detail === undefined ? '' : ` (${detail})`)
  const effect = outcome === 'unknown' ? EFFECT.unknown : undefined
  const next = advice ?? (isSafeToRepeat(context) ? NEXT_STEPS[reason] : CHECK_FIRST)
  const text = [sentence, effect, next].filter((part) => part !== undefined).join('; ')
  return new InvalidResponseError(`${context.what} at ${context.origin}: ${text}`, {
    outcome,
    attempts,
    isRepeatable,
    reason,
    status,
    cause,
  })
}

const SEVERITY: Readonly<Record<Outcome, number>> = { 'not-sent': 0, refused: 1, failed: 2, unknown: 3 }

/** Returns the more severe outcome of two attempts. */
export function moreSevere(first: Outcome, second: Outcome): Outcome {
  return SEVERITY[first] > SEVERITY[second] ? first : second
}
