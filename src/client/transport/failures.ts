import type { Outcome } from '../../common/errors.js'
import {
  ConnectionError,
  type ConnectionReason,
  ResponseError,
  type ResponseReason,
} from '../errors/errors.js'
import { safeCause } from '../errors/safe-cause.js'
import type { WireFailure } from './transport.js'

/** What the message of a broken exchange may name. */
export interface FailureContext {
  /** Such as `GET /v1/referrals/{uuid}`: templates, no identifiers. */
  readonly what: string
  readonly origin: string
  readonly attempts: number
}

const CONNECTION_SENTENCES: Readonly<Record<ConnectionReason, string>> = {
  dns: 'the host name could not be resolved',
  refused: 'the connection was refused',
  'connect-timeout': 'no connection could be made in time',
  tls: "the service's TLS certificate or protocol was not acceptable; check the URL and the certificate chain",
  reset: 'the connection was reset',
  protocol: 'the answer was not valid HTTP',
  proxy: 'the proxy did not let the request through',
  closed: 'the connection was closed before the answer was complete',
  other: 'the connection failed',
}

const DISPATCHER_CLOSED = 'the dispatcher that the client was given is closed'

/** undici's words for a dispatcher that takes no more requests. */
const CLOSED_DISPATCHER: ReadonlySet<unknown> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

const RESPONSE_SENTENCES: Readonly<Record<ResponseReason, string>> = {
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

function isConnectionReason(reason: string): reason is ConnectionReason {
  return Object.hasOwn(CONNECTION_SENTENCES, reason)
}

/** What is known of a call's effect, as the end of a sentence. */
export const EFFECT: Readonly<Record<Outcome, string>> = {
  'not-sent': 'nothing was sent',
  refused: 'nothing was done',
  failed: 'nothing was done',
  unknown: 'whether it was carried out is not known',
}

/** The public error of an exchange that brought no usable answer. */
export function connectionError(
  failure: WireFailure,
  context: FailureContext & { readonly outcome?: Outcome },
): ConnectionError | ResponseError {
  const { reason, sent, status } = failure
  const outcome = context.outcome ?? (sent ? 'unknown' : 'not-sent')
  const facts = { outcome, attempts: context.attempts, cause: safeCause(failure.cause) } as const
  const message = (sentence: string): string =>
    `${context.what} at ${context.origin}: ${sentence}; ${EFFECT[outcome]}`
  if (isConnectionReason(reason)) {
    const sentence = isOfClosedDispatcher(failure) ? DISPATCHER_CLOSED : CONNECTION_SENTENCES[reason]
    return new ConnectionError(message(sentence), { ...facts, reason })
  }
  return new ResponseError(message(RESPONSE_SENTENCES[reason]), { ...facts, reason, status })
}

function isOfClosedDispatcher({ sent, cause }: WireFailure): boolean {
  return !sent && cause instanceof Error && CLOSED_DISPATCHER.has(Reflect.get(cause, 'code'))
}

/** The error of what begins when the client is closed. */
export function clientClosed(what: string): ConnectionError {
  const message = `${what}: the client is closed; make a new client; ${EFFECT['not-sent']}`
  return new ConnectionError(message, { outcome: 'not-sent', attempts: 0, reason: 'closed' })
}

/** The public error of an answer that arrived and is not usable. */
export function responseError(
  reason: ResponseReason,
  context: FailureContext & {
    readonly outcome: Outcome
    readonly status?: number | undefined
    readonly detail?: string | undefined
  },
): ResponseError {
  const { outcome, attempts, status, detail } = context
  const sentence = RESPONSE_SENTENCES[reason] + (detail === undefined ? '' : ` (${detail})`)
  const effect = outcome === 'unknown' ? `; ${EFFECT.unknown}` : ''
  return new ResponseError(`${context.what} at ${context.origin}: ${sentence}${effect}`, {
    outcome,
    attempts,
    reason,
    status,
  })
}
