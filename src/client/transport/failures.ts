import type { Outcome } from '../../common/errors.js'
import { ConnectionError, type ConnectionReason, InvalidResponseError } from '../errors/errors.js'
import type { RequestValues } from '../errors/request-values.js'
import { safeCause } from '../errors/safe-cause.js'
import { EFFECT, type FailureContext, RESPONSE_SENTENCES } from '../errors/sentences.js'
import { isUnaskedStatus, type TransportFailure } from './transport.js'

const CONNECTION_SENTENCES: Readonly<Record<ConnectionReason, string>> = {
  dns: 'the host name could not be resolved',
  refused: 'the connection was refused',
  'connect-timeout': 'no connection could be made in time',
  tls: "the service's TLS certificate or protocol was not acceptable; check the URL and the certificate chain",
  reset: 'the connection was reset',
  protocol: 'the answer was not valid HTTP',
  proxy: 'the proxy did not let the request through',
  'queue-full': 'too many calls wait for their turn',
  closed: 'the connection was closed before the answer was complete',
  other: 'the connection failed',
}

const DISPATCHER_CLOSED = 'the dispatcher that the client was given is closed'

const UNASKED =
  'the service, or a proxy on the way, sent 100 Continue or 101 Switching Protocols without being asked, which undici ' +
  'does not accept: turn that off there'

/** undici's words for a dispatcher that takes no more requests. */
const CLOSED_DISPATCHER: ReadonlySet<unknown> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

function isConnectionReason(reason: string): reason is ConnectionReason {
  return Object.hasOwn(CONNECTION_SENTENCES, reason)
}

/** The public error of an exchange that brought no usable answer. */
export function connectionError(
  failure: TransportFailure,
  context: FailureContext & { readonly outcome?: Outcome; readonly values: RequestValues },
): ConnectionError | InvalidResponseError {
  const { reason, sent, status } = failure
  const outcome = context.outcome ?? (sent ? 'unknown' : 'not-sent')
  const facts = {
    outcome,
    attempts: context.attempts,
    cause: safeCause(failure.cause, context.values),
  } as const
  const message = (sentence: string): string =>
    `${context.what} at ${context.origin}: ${sentence}; ${EFFECT[outcome]}`
  if (isConnectionReason(reason)) {
    return new ConnectionError(message(sentenceOf(failure, reason)), { ...facts, reason })
  }
  return new InvalidResponseError(message(RESPONSE_SENTENCES[reason]), { ...facts, reason, status })
}

function sentenceOf(failure: TransportFailure, reason: ConnectionReason): string {
  if (isOfClosedDispatcher(failure)) return DISPATCHER_CLOSED
  return isUnaskedStatus(failure.cause) ? UNASKED : CONNECTION_SENTENCES[reason]
}

function isOfClosedDispatcher({ sent, cause }: TransportFailure): boolean {
  return !sent && cause instanceof Error && CLOSED_DISPATCHER.has(Reflect.get(cause, 'code'))
}
