import type { Outcome } from '../../common/errors.js'
import { ConnectionError, type ConnectionReason, InvalidResponseError } from '../errors/errors.js'
import { safeCause } from '../errors/redact.js'
import type { RequestValues } from '../errors/request-values.js'
import { EFFECT, type FailureContext, RESPONSE_SENTENCES } from '../errors/sentences.js'
import { isUnaskedStatus, type TransportFailure } from './transport.js'

const CONNECTION_SENTENCES: Readonly<Record<ConnectionReason, string>> = {
  dns: 'the host name could not be resolved',
  refused: 'the connection was refused',
  'connect-timeout': 'the connection was not established in time',
  tls: "the service's TLS certificate or protocol was rejected; check the URL and the certificate chain",
  reset: 'the connection was reset',
  protocol: 'the response is not valid HTTP',
  proxy: 'the proxy rejected the request',
  'queue-full': 'too many calls are queued',
  closed: 'the connection was closed before the response was complete',
  other: 'the connection failed',
}

const DISPATCHER_CLOSED = 'the dispatcher passed to the client is closed'

const UNASKED =
  'the service or a proxy sent 100 Continue or 101 Switching Protocols, which the client did not request and undici ' +
  'does not accept; disable it there'

/** undici's codes for a dispatcher that accepts no more requests. */
const CLOSED_DISPATCHER: ReadonlySet<unknown> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

function isConnectionReason(reason: string): reason is ConnectionReason {
  return Object.hasOwn(CONNECTION_SENTENCES, reason)
}

/** Creates the public error of a request without a usable response. */
export function connectionError(
  failure: TransportFailure,
  context: FailureContext & { readonly outcome?: Outcome; readonly values: RequestValues },
): ConnectionError | InvalidResponseError {
  const { reason, sent, status } = failure
  const outcome = context.outcome ?? (sent ? 'unknown' : 'not-sent')
  const facts = {
    outcome,
    attempts: context.attempts,
    isRepeatable: context.isRepeatable,
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
