import { isRecord } from '../../common/known-options.js'
import { type ApiVersion, acceptHeader } from '../../contract/versions.js'
import { ConfigurationError } from '../errors/errors.js'

/** Parts of a request that its headers depend on. */
interface HeaderParts {
  readonly version: ApiVersion
  readonly body: string | undefined
  readonly extraHeaders: readonly string[]
  /** `true` when a compressed response is requested. */
  readonly isCompressed: boolean
}

/** Creates the request headers. The headers that all requests with one token share are cached. */
export class RequestHeaders {
  readonly #userAgent: string
  #token: string | undefined
  #version: ApiVersion | undefined
  #plain: string[] = []
  #compressed: string[] = []

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Returns a list of alternating names and values. Requests share the list: do not change it. */
  of(token: string, { version, body, extraHeaders, isCompressed }: HeaderParts): string[] {
    if (token !== this.#token || version !== this.#version) this.#prepare(token, version)
    const common = isCompressed ? this.#compressed : this.#plain
    if (body === undefined && extraHeaders.length === 0) return common
    const type = body === undefined ? [] : ['content-type', 'application/json']
    return [...common, ...type, ...extraHeaders]
  }

  #prepare(token: string, version: ApiVersion): void {
    this.#token = token
    this.#version = version
    const common = [
      'authorization',
      `Bearer ${token}`,
      'accept',
      acceptHeader(version),
      'user-agent',
      this.#userAgent,
      'accept-encoding',
    ]
    this.#plain = [...common, 'identity']
    this.#compressed = [...common, 'gzip']
  }
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
      throw new ConfigurationError(`${shown} must be a string of visible ASCII characters`)
    }
    return [name, value]
  })
}
