import { isRecord } from '../../common/known-options.js'
import { ACCEPT_HEADERS, type ApiVersion } from '../../contract/versions.js'
import type { TokenOptions } from '../auth/token-request.js'
import { ConfigurationError } from '../errors/errors.js'
import type { ResolvedProxy } from '../transport/addresses.js'
import type { ResponseValidation } from './response.js'

/** Options of a single call, the last argument of each method. */
export interface RequestOptions {
  /** Ends the call early: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Time limit of this call, in milliseconds.
   * @defaultValue the client's `timeout`
   */
  readonly timeout?: number | undefined
  /**
   * Maximum number of retries of this call.
   * @defaultValue the client's `maxRetries`
   */
  readonly maxRetries?: number | undefined
  /**
   * Additional headers, with values of printable ASCII. A header that the client sets itself, such as `authorization`
   * or `accept`, throws a `ConfigurationError`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * API version of this call.
   * @defaultValue the client's `apiVersion`
   */
  readonly apiVersion?: ApiVersion | undefined
}

/** Names of the options that every method accepts. */
export const CALL_OPTIONS: ReadonlySet<string> = new Set<keyof RequestOptions>([
  'signal',
  'timeout',
  'maxRetries',
  'headers',
  'apiVersion',
])

/** Checked options of a client, with defaults. */
export interface ResolvedOptions extends TokenOptions {
  readonly apiVersion: ApiVersion
  /** `undefined` means the default of each endpoint. */
  readonly timeoutMs: number | undefined
  readonly maxRetries: number
  readonly maxConcurrency: number
  readonly maxQueue: number
  readonly maxSockets: number
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number | undefined
  readonly maxDocumentBytes: number
  readonly compression: boolean
  readonly proxy: ResolvedProxy | undefined
  /** Host names in the form of `URL.hostname`. */
  readonly documentHosts: ReadonlySet<string>
  readonly orderRecoveryTimeoutMs: number
  readonly responseValidation: ResponseValidation
}

/** Parts of a request that its headers depend on. */
export interface HeaderParts {
  readonly version: ApiVersion
  readonly body: string | undefined
  readonly extraHeaders: readonly string[]
  /** `true` when a compressed response is requested: only lists are large. */
  readonly isCompressed: boolean
}

/** Returns the headers of a request, as a list of alternating names and values. */
export function requestHeaders(userAgent: string, token: string, parts: HeaderParts): string[] {
  const headers = [
    'authorization',
    `Bearer ${token}`,
    'accept',
    ACCEPT_HEADERS[parts.version],
    'user-agent',
    userAgent,
    'accept-encoding',
    parts.isCompressed ? 'gzip' : 'identity',
  ]
  if (parts.body !== undefined) headers.push('content-type', 'application/json')
  headers.push(...parts.extraHeaders)
  return headers
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Header names that an error may show. Any other text could be data that was passed by mistake. */
const SHOWN_HEADER = /^(?:[a-z]+(?:-[a-z]+)+|traceparent|tracestate|baggage)$/i
const HEADER_VALUE = /^[\x20-\x7e]*$/

/** Headers that the client or the transport sets. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

/** Checks the headers of a call and returns a list of alternating names and values. */
export function extraHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  if (!isRecord(headers)) throw new ConfigurationError('headers must be a plain object')
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!HEADER_NAME.test(name)) throw new ConfigurationError('headers contains an invalid header name')
    if (RESERVED.has(name.toLowerCase()))
      throw new ConfigurationError(`headers must not set ${name}; the client sets it`)
    if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
      const shown = SHOWN_HEADER.test(name) ? `headers.${name}` : 'a value in headers'
      throw new ConfigurationError(`${shown} must be a string of printable ASCII characters`)
    }
    return [name, value]
  })
}
