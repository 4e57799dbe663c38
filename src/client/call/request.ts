import { isRecord, withSet } from '../../common/known-options.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { fieldIssue } from '../../contract/issues.js'
import { type ApiVersion, acceptHeader } from '../../contract/versions.js'
import { apiVersion, integer, number } from '../core/option-values.js'
import { optionsSnapshot, snapshot } from '../core/snapshot.js'
import { ConfigurationError, InvalidRequestError } from '../errors/errors.js'
import { buildPath, buildQuery } from './path.js'
import type { CheckedPart, RequestChecker } from './request-checker.js'
import { CALL_OPTIONS, type RequestOptions, type ResolvedOptions } from './request-options.js'

/** Input of a call. It is checked before anything is sent. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** Cursor of the page, as the service returned it. It is added to the query without a check. */
  readonly cursor?: string | undefined
  readonly body?: unknown
  /** Name of the method in errors. Default: that of the endpoint. */
  readonly operation?: string | undefined
  /** Part of the call's time limit that earlier requests used, in milliseconds. */
  readonly spentMs?: number | undefined
  /** Returns how a success response contradicts this request, or `undefined`. */
  readonly contradiction?: ((content: unknown) => string | undefined) | undefined
}

/** Request that can be sent repeatedly. */
export interface PreparedRequest {
  /** Path and query, with the prefix of the base URL. */
  readonly path: string
  readonly body: string | undefined
  readonly accept: string
  readonly extraHeaders: readonly string[]
  /** Remaining part of `limitMs` for this request. */
  readonly timeoutMs: number
  /** Time limit of the call, as shown in errors. */
  readonly limitMs: number
  readonly maxRetries: number
  readonly contradiction: CallInput['contradiction']
}

/** Default time limit of an endpoint, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 30_000

/** Parts of a client that prepare requests. */
export interface Preparation {
  readonly options: ResolvedOptions
  readonly requests: RequestChecker
}

/** Input of a call, copied when it was called. */
export interface GivenCall {
  readonly input: CallInput
  readonly call: RequestOptions
  /** Flag of the endpoint, when it is set. */
  readonly flag: string | undefined
}

/** Copies the input of a call for its checks, its body and its later requests. */
export function takeInput(row: Endpoint, input: CallInput, options: RequestOptions): GivenCall {
  const own = withSet(input, {})
  const { operation = row.id, query, body } = own
  const given = takeOptions(row.flag, operation, options)
  if (query === undefined && body === undefined) return { ...given, input: own }
  const copied = { query: snapshot(operation, query, 'INVALID_PARAMETER'), body: snapshot(operation, body) }
  return { ...given, input: withSet(own, copied) }
}

function takeOptions(
  flag: string | undefined,
  operation: string,
  options: RequestOptions,
): Omit<GivenCall, 'input'> {
  if (flag === undefined) return { call: optionsSnapshot(operation, options, CALL_OPTIONS), flag }
  const own: object = optionsSnapshot(operation, options, new Set([...CALL_OPTIONS, flag]))
  const isSet = Reflect.get(own, flag) === true
  Reflect.deleteProperty(own, flag)
  return { call: own, flag: isSet ? flag : undefined }
}

/**
 * Checks the input and options of a call and writes its request. Throws before anything is sent. Returns a
 * promise only while the schemas load.
 */
export function prepare(
  row: Endpoint,
  given: GivenCall,
  preparation: Preparation,
): PreparedRequest | Promise<PreparedRequest> {
  const { input, call } = given
  const { options, requests } = preparation
  const { operation = row.id } = input
  const endpoint = operation === row.id ? row : { ...row, id: operation }
  const version = call.apiVersion === undefined ? options.apiVersion : apiVersion(call.apiVersion)
  const path = buildPath(endpoint.id, endpoint.path, input.path ?? {})
  const parts = checkedParts(endpoint, input, version)
  const loading = parts.length === 0 ? undefined : requests.check(parts)
  if (loading !== undefined) return again(loading, row, given, preparation)
  const limitMs = timeout(call.timeout, endpoint, options)
  return {
    path: `${options.base.prefix}${path}${queryOf(endpoint, given)}`,
    body: writeBody(endpoint, input.body, options.maxRequestBytes),
    accept: acceptHeader(version),
    extraHeaders: extraHeaders(call.headers),
    timeoutMs: limitMs - (input.spentMs ?? 0),
    limitMs,
    maxRetries: integer('maxRetries', call.maxRetries, 0, options.maxRetries),
    contradiction: input.contradiction,
  }
}

/** Repeats `prepare` after the schemas were loaded. */
async function again(loading: Promise<void>, ...input: Parameters<typeof prepare>): Promise<PreparedRequest> {
  await loading
  return prepare(...input)
}

function checkedParts(endpoint: Endpoint, input: CallInput, version: ApiVersion): readonly CheckedPart[] {
  const { id: operation, query, body } = endpoint
  if (query === undefined && body === undefined) return NO_PARTS
  const parts: CheckedPart[] = []
  if (query !== undefined && !asksNothing(input))
    parts.push({ operation, version, schema: query, value: input.query, code: 'INVALID_PARAMETER' })
  if (body !== undefined)
    parts.push({ operation, version, schema: body, value: input.body, code: 'INVALID_PAYLOAD' })
  return parts
}

function queryOf({ id }: Endpoint, { input: { query, cursor }, flag }: GivenCall): string {
  if (flag !== undefined) return `?${flag}`
  if (cursor !== undefined) return buildQuery(id, { ...query, cursor })
  return query === undefined ? '' : buildQuery(id, query)
}

function asksNothing({ query }: CallInput): boolean {
  return query === undefined || Object.keys(query).length === 0
}

function writeBody(endpoint: Endpoint, body: unknown, maxBytes: number): string | undefined {
  if (endpoint.body === undefined) return undefined
  const text = stringify(endpoint.id, body)
  if (Buffer.byteLength(text) > maxBytes) {
    throw new InvalidRequestError(endpoint.id, [
      fieldIssue([], `must be at most ${maxBytes} bytes long as JSON`),
    ])
  }
  return text
}

function stringify(operation: string, body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch {
    throw new InvalidRequestError(operation, [
      fieldIssue([], 'must be plain JSON data, without cycles, big integers or deep nesting'),
    ])
  }
}

function timeout(given: number | undefined, endpoint: Endpoint, options: ResolvedOptions): number {
  if (given !== undefined) return number('timeout', given, 0)
  return options.timeoutMs ?? endpoint.timeoutMs ?? DEFAULT_TIMEOUT_MS
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Header names that may be shown. Others may be values in the place of a name. */
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

function extraHeaders(headers: Readonly<Record<string, string>> | undefined): readonly string[] {
  if (headers === undefined) return NONE
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

const NONE: readonly string[] = []

const NO_PARTS: readonly CheckedPart[] = []

/** Writes the request headers. Headers that do not change are cached for each token. */
export class RequestHeaders {
  readonly #userAgent: string
  #token = ''
  #accept = ''
  #common: string[] = []

  constructor(userAgent: string) {
    this.#userAgent = userAgent
  }

  /** Returns names and values in turn. Requests share the list: do not change it. */
  of(token: string, { accept, body, extraHeaders }: PreparedRequest): string[] {
    if (token !== this.#token || accept !== this.#accept) this.#prepare(token, accept)
    if (body === undefined && extraHeaders.length === 0) return this.#common
    const type = body === undefined ? [] : ['content-type', 'application/json']
    return [...this.#common, ...type, ...extraHeaders]
  }

  #prepare(token: string, accept: string): void {
    this.#token = token
    this.#accept = accept
    this.#common = [
      'authorization',
      `Bearer ${token}`,
      'accept',
      accept,
      'accept-encoding',
      'identity',
      'user-agent',
      this.#userAgent,
    ]
  }
}
