import type { Outcome } from '../../common/errors.js'
import { Lazy } from '../../common/lazy-import.js'
import { isFields } from '../../contract/check.js'
import type { Deadline } from '../core/deadline.js'
import type { FailureKind } from '../core/retry-policy.js'
import { CHECK_FIRST, EFFECT, type FailureContext, responseError, safeCause } from '../errors/error-texts.js'
import {
  ConnectionError,
  type ConnectionReason,
  type InvalidResponseError,
  type InvalidResponseReason,
  isSafeToRepeat,
} from '../errors/errors.js'

export interface TransportRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Alternating names and values. */
  readonly headers: string[]
  readonly body: string | undefined
  readonly deadline: Deadline
  /** Maximum size of the body that `send` reads, both as received and as decoded, in bytes. `open` does not use it. */
  readonly maxBytes: number
  /** Checked only after a wait for a connection: `true` when the request must not be sent now. */
  readonly isHeldBack?: (() => boolean) | undefined
  /** Checked immediately before the request is sent: `true` when the request must no longer be sent. */
  readonly isStale?: (() => boolean) | undefined
  /** `true` when a dispatcher's interceptor must not start the request a second time. */
  readonly isSentOnce?: boolean | undefined
}

/** Response headers, with names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Response with its complete body. */
export interface TransportResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: string
}

/** Response with a body to read. */
export interface StreamedResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: AsyncIterable<Uint8Array>
  /** Releases the connection without reading the rest. */
  discard(): void
}

/**
 * Sends requests and reads responses, complete or as a stream. A request rejects with a `TransportFailure`, with
 * `HeldBack`, or with the error of a module that fails to load.
 */
export interface Transport {
  /** Loads all modules that requests may need. */
  load(): Promise<unknown>
  send(request: TransportRequest): Promise<TransportResponse>
  open(request: TransportRequest): Promise<StreamedResponse>
  /**
   * Closes the transport's own connections, after all calls have ended. Aborts requests without a caller, such as a
   * background token request.
   */
  close(): Promise<void>
}

/** Transport that is loaded on first use. */
export class LazyTransport implements Transport {
  readonly #transport: Lazy<Transport>

  constructor(load: () => Promise<Transport>) {
    this.#transport = new Lazy(load)
  }

  load(): Promise<unknown> {
    return this.#transport.load()
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    return (this.#transport.value ?? (await this.#transport.load())).send(request)
  }

  async open(request: TransportRequest): Promise<StreamedResponse> {
    return (this.#transport.value ?? (await this.#transport.load())).open(request)
  }

  async close(): Promise<void> {
    await this.#transport.value?.close()
  }
}

/** The request was not sent, because `isHeldBack` or `isStale` returned `true`. */
export class HeldBack extends Error {}

type FailureFacts = Pick<TransportFailure, 'sent' | 'reason'> &
  Partial<Pick<TransportFailure, 'status' | 'proxy' | 'detail' | 'kind'>>

/** Request without a usable response. The caller converts it to a public error. */
export class TransportFailure extends Error {
  /** `false` only when the request was certainly not sent. */
  readonly sent: boolean
  readonly reason: ConnectionReason | InvalidResponseReason
  readonly status: number | undefined
  /** Proxy of the request, without credentials. */
  readonly proxy: string | undefined
  /** What is wrong with the response. Safe to show: names of fields, rules or a known error code. */
  readonly detail: string | undefined
  readonly kind: FailureKind

  constructor(facts: FailureFacts, cause?: unknown) {
    super(facts.reason, { cause })
    this.sent = facts.sent
    this.reason = facts.reason
    this.status = facts.status
    this.proxy = facts.proxy
    this.detail = facts.detail
    this.kind = facts.kind ?? kindOf(facts)
  }
}

/** Creates the failure of a body that is larger than the limit, as declared, received or decoded. */
export function tooLarge(status: number | undefined): TransportFailure {
  return new TransportFailure({ sent: true, status, reason: 'too-large' })
}

function kindOf({ reason, sent }: FailureFacts): FailureKind {
  if (!sent) return reason === 'tls' ? 'final' : 'not-sent'
  return reason === 'too-large' || reason === 'encoding' ? 'unusable' : 'ambiguous'
}

const REASONS: ReadonlyMap<string, ConnectionReason> = new Map([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['EAI_NODATA', 'dns'],
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'closed'],
  ['UND_ERR_CLOSED', 'closed'],
  ['UND_ERR_DESTROYED', 'closed'],
  ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol'],
])

/** Reasons that are possible only before a request is sent. */
const BEFORE_SENDING: ReadonlySet<ConnectionReason> = new Set(['dns', 'refused', 'connect-timeout', 'proxy'])

/** Codes of a rejected certificate or a port without TLS: nothing was sent. Other TLS errors can come at any time. */
const CERTIFICATE_CODE =
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_SSL_WRONG_VERSION_NUMBER)/

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/

function connectionReason(error: unknown): ConnectionReason {
  const code = errorCode(error)
  if (code === undefined)
    return causesOf(error).some(({ name }) => name === 'HTTPParserError') ? 'protocol' : 'other'
  if (TLS_CODE.test(code)) return 'tls'
  if (isUnaskedStatus(error)) return 'protocol'
  if (isProxyRefusal(error)) return 'proxy'
  // A connection in use can also time out with this code.
  if (code === 'ETIMEDOUT') return isOfConnecting(error) ? 'connect-timeout' : 'other'
  return REASONS.get(code) ?? (code.startsWith('HPE_') ? 'protocol' : 'other')
}

/** Converts an error of a transport that cannot observe whether the request was sent. */
export function unwatchedFailure(error: unknown): TransportFailure {
  const isCertificate = CERTIFICATE_CODE.test(errorCode(error) ?? '')
  return transportFailure(error, !isCertificate && !BEFORE_SENDING.has(connectionReason(error)))
}

/** Converts an error of a transport that knows whether the request was sent. */
export function transportFailure(error: unknown, sent: boolean): TransportFailure {
  const reason = connectionReason(error)
  const isSent = sent && !causesOf(error).some(({ message }) => message === REFUSED_STREAM)
  const isOther = isSent && BEFORE_SENDING.has(reason)
  return new TransportFailure({ sent: isSent, reason: isOther ? 'other' : reason }, error)
}

/** Node's message for an HTTP/2 stream that the server closed before any processing (RFC 9113, section 8.7). */
const REFUSED_STREAM = 'Stream closed with error code NGHTTP2_REFUSED_STREAM'

/** undici's messages for a 100 Continue or a 101 Switching Protocols that the client did not request. */
const UNREQUESTED_STATUS: ReadonlySet<unknown> = new Set(['bad response', 'bad upgrade'])

/** Returns `true` when undici closed a connection because of an unrequested 1xx status. */
function isUnaskedStatus(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, message }) => code === 'UND_ERR_SOCKET' && UNREQUESTED_STATUS.has(message),
  )
}

/** Returns `true` when a proxy rejected the connection. Checks the message, because an abort has the same code. */
function isProxyRefusal(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, message }) => code === 'UND_ERR_ABORTED' && String(message).startsWith('Proxy response'),
  )
}

function isOfConnecting(error: unknown, most = 5): boolean {
  return causesOf(error, most).some((each) =>
    each instanceof AggregateError
      ? each.errors.every((inner) => isOfConnecting(inner, most - 1))
      : each['syscall'] === 'connect',
  )
}

function errorCode(error: unknown): string | undefined {
  const codes = causesOf(error).map(({ code }) => code)
  return codes.find((code) => typeof code === 'string')
}

/** Returns an error, its cause, the cause of that and so on: at most `most` objects. */
export function causesOf(error: unknown, most = 5): readonly Readonly<Record<string, unknown>>[] {
  return isFields(error) && most > 0 ? [error, ...causesOf(error['cause'], most - 1)] : []
}

const CONNECTION_SENTENCES: Readonly<Record<ConnectionReason, string>> = {
  dns: 'the host name could not be resolved',
  refused: 'the connection was refused',
  'connect-timeout': 'the connection was not established in time',
  tls: "the service's TLS certificate or protocol was rejected; check the URL and the certificate chain",
  reset: 'the connection was reset',
  protocol: 'the response is not valid HTTP',
  proxy: 'the proxy rejected the request',
  closed: 'the connection was closed before the response started',
  other: 'the connection failed',
}

/** Next step after a failure of a request that is safe to repeat. A sentence can already contain the next step. */
const NEXT_STEPS: Readonly<Partial<Record<ConnectionReason, string>>> = {
  dns: 'check the host name in the URL, and the DNS of this machine',
  refused: 'check the URL, and that a server listens there',
  'connect-timeout': 'call again',
  reset: 'call again',
  closed: 'call again',
}

const UNREQUESTED =
  'the service or a proxy sent 100 Continue or 101 Switching Protocols, which the client did not request and undici ' +
  'does not accept; disable these responses in the service or the proxy'

/** undici's codes for a dispatcher that accepts no more requests. */
const CLOSED_DISPATCHER: ReadonlySet<unknown> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

function isConnectionReason(reason: string): reason is ConnectionReason {
  return Object.hasOwn(CONNECTION_SENTENCES, reason)
}

/** Creates the public error of a request without a usable response. */
export function connectionError(
  failure: TransportFailure,
  context: FailureContext & {
    readonly outcome: Outcome
    /** Status of the response, if the failure does not have it. */
    readonly status?: number | undefined
    /** Next step after an unusable response. Default: the next step of the reason. */
    readonly advice?: string | undefined
  },
): ConnectionError | InvalidResponseError {
  const { reason, status = context.status, detail } = failure
  const cause = safeCause(failure.cause)
  if (!isConnectionReason(reason)) return responseError(reason, { ...context, status, detail, cause })
  const { what, origin, outcome } = context
  const step = isDispatcherClosed(failure) ? 'create a client with an open dispatcher' : NEXT_STEPS[reason]
  const next = isSafeToRepeat(context) ? step : CHECK_FIRST
  const text = `${what} at ${origin}: ${sentenceOf(failure, reason)}; ${EFFECT[outcome]}`
  return new ConnectionError(next === undefined ? text : `${text}; ${next}`, { ...context, reason, cause })
}

function isDispatcherClosed({ sent, cause }: TransportFailure): boolean {
  return !sent && CLOSED_DISPATCHER.has(errorCode(cause))
}

function sentenceOf(failure: TransportFailure, reason: ConnectionReason): string {
  const { cause, proxy } = failure
  if (isDispatcherClosed(failure)) return 'the dispatcher passed to the client is closed'
  const sentence = isUnaskedStatus(cause) ? UNREQUESTED : CONNECTION_SENTENCES[reason]
  return proxy === undefined ? sentence : `${sentence} (through the proxy ${proxy})`
}
