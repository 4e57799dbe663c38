import type { Deadline } from '../core/deadline.js'
import type { ConnectionReason, InvalidResponseReason } from '../errors/errors.js'

/** One request on the wire. */
export interface TransportRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names and values in turn; not to be changed, for other requests have the same list. */
  readonly headers: string[]
  readonly body: string | undefined
  readonly deadline: Deadline
  /** The most bytes of body to accept, decoded. */
  readonly maxBytes: number
  /** Asked after the request waited for a connection: `true` when it must not be sent now. */
  readonly isHeldBack?: (() => boolean) | undefined
}

/** Response headers, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** An answer read whole. */
export interface TransportResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: string
}

/** An answer whose body is still to be read. */
export interface StreamedResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: AsyncIterable<Uint8Array>
  /** Lets the connection go without reading the rest. */
  discard(): void
}

/** One exchange on the wire: whole, or as a stream. Failures are `TransportFailure`s. */
export interface Transport {
  /** Loads all that it may need later. */
  load(): Promise<unknown>
  send(exchange: TransportRequest): Promise<TransportResponse>
  open(exchange: TransportRequest): Promise<StreamedResponse>
  /** Closes its own connections. No call needs them any more; what is still on them is dropped. */
  close(): Promise<void>
}

/** The request was not sent, because `isHeldBack` said so. */
export class HeldBack extends Error {}

/** How an exchange failed. */
export interface FailureFacts {
  /** `false` only when the request certainly never left. */
  readonly sent: boolean
  readonly reason: ConnectionReason | InvalidResponseReason
  readonly status?: number | undefined
}

/** An exchange without a usable answer. The pipeline turns it into a public error. */
export class TransportFailure extends Error implements FailureFacts {
  readonly sent: boolean
  readonly reason: ConnectionReason | InvalidResponseReason
  readonly status: number | undefined

  constructor(facts: FailureFacts, cause?: unknown) {
    super(facts.reason, { cause })
    this.sent = facts.sent
    this.reason = facts.reason
    this.status = facts.status
  }
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
  ['UND_ERR_ABORTED', 'proxy'],
])

/** Reasons that only a request that has not left can have. */
const BEFORE_SENDING: ReadonlySet<ConnectionReason> = new Set(['dns', 'refused', 'connect-timeout', 'proxy'])

/** Codes of a certificate that was not accepted: then nothing is sent. Other TLS errors can come at any time. */
const CERTIFICATE_CODE =
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_SSL_WRONG_VERSION_NUMBER)/

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/

/** Why the platform says that an exchange failed. */
export function connectionReason(error: unknown): ConnectionReason {
  const code = errorCode(error)
  if (code === undefined) return errorName(error) === 'HTTPParserError' ? 'protocol' : 'other'
  if (TLS_CODE.test(code)) return 'tls'
  if (isUnaskedStatus(error)) return 'protocol'
  // A connection that was in use can time out like this too.
  if (code === 'ETIMEDOUT') return isOfConnecting(error) ? 'connect-timeout' : 'other'
  if (code.startsWith('HPE_')) return 'protocol'
  return REASONS.get(code) ?? 'other'
}

/** The failure of an exchange by its error alone, where the transport cannot watch whether the request left. */
export function unwatchedFailure(error: unknown): TransportFailure {
  const reason = connectionReason(error)
  const certificate = reason === 'tls' && CERTIFICATE_CODE.test(errorCode(error) ?? '')
  const connecting = reason === 'dns' || reason === 'refused' || reason === 'connect-timeout'
  return transportFailure(error, !certificate && !connecting && !isProxyRefusal(error))
}

/** The failure of an exchange that is known to have been sent, or not to have been. */
export function transportFailure(error: unknown, sent: boolean): TransportFailure {
  const reason = connectionReason(error)
  const isSent = sent && !isRefusedStream(error)
  const isOther = isSent && BEFORE_SENDING.has(reason)
  return new TransportFailure({ sent: isSent, reason: isOther ? 'other' : reason }, error)
}

/** Node's words for an HTTP/2 stream that the server closed before any processing (RFC 9113, section 8.7). */
const REFUSED_STREAM = 'Stream closed with error code NGHTTP2_REFUSED_STREAM'

function isRefusedStream(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  return error.message === REFUSED_STREAM || isRefusedStream(error.cause, depth + 1)
}

/** undici's words for 100 Continue, and for 101 Switching Protocols, to a request that did not ask for it. */
const UNASKED_STATUS: ReadonlySet<unknown> = new Set(['bad response', 'bad upgrade'])

/** Tells whether undici gave up a connection because of a 1xx status that it does not accept. */
export function isUnaskedStatus(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  const isOfSocket = Reflect.get(error, 'code') === 'UND_ERR_SOCKET'
  return (isOfSocket && UNASKED_STATUS.has(error.message)) || isUnaskedStatus(error.cause, depth + 1)
}

/** Tells whether a proxy refused to connect to the host: undici's words, since an abort has the same code. */
function isProxyRefusal(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  const isAborted = Reflect.get(error, 'code') === 'UND_ERR_ABORTED'
  return (isAborted && error.message.startsWith('Proxy response')) || isProxyRefusal(error.cause, depth + 1)
}

function isOfConnecting(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  if (error instanceof AggregateError) return error.errors.every((each) => isOfConnecting(each, depth + 1))
  if (Reflect.get(error, 'syscall') === 'connect') return true
  return isOfConnecting(Reflect.get(error, 'cause'), depth + 1)
}

function errorCode(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  const nested: unknown = Reflect.get(error, 'cause')
  return nested === undefined ? undefined : errorCode(nested, depth + 1)
}

function errorName(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined
}
