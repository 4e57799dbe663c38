import { isRecord } from '../../common/known-options.js'
import { PATH_PARAMETERS, type PathParameter } from '../../contract/identifiers.js'
import { fieldIssue } from '../../contract/issues.js'
import { isPlainQuery } from '../../contract/plain-query.js'
import type { RequestSchemaName } from '../../contract/schemas/index.js'
import { ACCEPT_HEADERS, type ApiVersion } from '../../contract/versions.js'
import {
  apiVersion,
  boolean,
  integer,
  JsonBody,
  milliseconds,
  optionsCopy,
  queryCopy,
  WELL_FORMED,
} from '../core/caller-input.js'
import type { Deadline } from '../core/deadline.js'
import { ConfigurationError, InvalidRequestError } from '../errors/errors.js'
import type { CallEndpoint } from './raw-request.js'
import { CALL_OPTIONS, type RequestOptions, type ResolvedOptions } from './request-options.js'

/** Guard of a request that must not be sent twice: permits or prevents each sending. */
export interface SendingGuard {
  /** Called before each sending. Rejects when the request must not be sent. */
  beforeSending(deadline: Deadline): Promise<void>
  /** Returns `true` when the last `beforeSending` is too old and must be repeated before the request is sent. */
  isStale(): boolean
  /**
   * Reports a request that had no effect. With `wasRejected`, the service rejected the request before any work. Without
   * `wasRejected`, the request was not sent.
   */
  hadNoEffect(wasRejected: boolean): void
}

/** Input of a call. The input is checked before anything is sent. */
export interface CallInput {
  /** Path of a raw request, already checked. */
  readonly rawPath?: string | undefined
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** Cursor of the page, as the service returned it. The cursor is added to the query without a check. */
  readonly cursor?: string | undefined
  /** Body, or its `JsonBody` if it is already written. */
  readonly body?: unknown
  /** Name of the method in errors about the input. Default: the name of the endpoint. */
  readonly operation?: string | undefined
  /** Part of the call's time limit that earlier requests used, in milliseconds. */
  readonly usedMs?: number | undefined
  /** Further limit of the call's duration, in milliseconds. Default: only the rest of the time limit applies. */
  readonly mostMs?: number | undefined
  /** Describes a contradiction between a success response and this request; `undefined` if there is none. */
  readonly contradictionOf?: ((content: unknown) => string | undefined) | undefined
  readonly guard?: SendingGuard | undefined
}

/** Input of a call, with copies of what belongs to the caller. */
export interface GivenCall {
  readonly input: CallInput
  readonly query: CallInput['query']
  readonly body: JsonBody | undefined
  readonly options: RequestOptions
  /** `true` if a schema must check the input, so that {@link prepare} needs the loaded schemas. */
  readonly needsChecks: boolean
}

/** Checked request. Each attempt of the call sends it unchanged. */
export interface PreparedRequest {
  /** Path and query, with the prefix of the base URL. */
  readonly path: string
  readonly body: string | undefined
  /** Headers except `authorization`, as alternating names and values. */
  readonly headers: readonly string[]
  /** Remaining part of `limitMs` for this request, at most the input's `mostMs`, in milliseconds. */
  readonly remainingMs: number
  /** Time limit of the call in milliseconds, as shown in errors. */
  readonly limitMs: number
  readonly maxRetries: number
  /** Maximum size of the response, in bytes. */
  readonly maxResponseBytes: number
}

/** Time limit of an endpoint without a default of its own, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 30_000

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024

/**
 * Default limit of a raw response, or of a page. A page has up to 20 records with their metadata, up to 10,000 centres,
 * or all records of a catalogue.
 */
const MAX_PAGE_BYTES = 64 * 1024 * 1024

const NO_OPTIONS: RequestOptions = {}

/** Copies the query, the body and the options of a call, so that later changes by the caller have no effect. */
export function takeInput(
  row: CallEndpoint,
  input: CallInput,
  options: RequestOptions | undefined,
): GivenCall {
  const { operation = row.id, body } = input
  const query = input.query === undefined ? undefined : queryCopy(input.query)
  const names = row.flag === undefined ? CALL_OPTIONS : new Set([...CALL_OPTIONS, row.flag])
  return {
    input,
    query,
    body: body === undefined || body instanceof JsonBody ? body : new JsonBody(operation, body),
    options: options === undefined ? NO_OPTIONS : optionsCopy(operation, options, names),
    needsChecks:
      row.body !== undefined ||
      (row.query !== undefined && query !== undefined && !isPlainQuery(row.query, query)),
  }
}

/** Returns `true` if the endpoint's request has the same effect however often it is sent. */
export function isRepeatable({ retry }: CallEndpoint): boolean {
  return retry !== 'once'
}

/** Schemas of the requests, with their checks. */
export type RequestChecks = typeof import('../../contract/check-request.js')

/**
 * Checks the input and options of a call and writes its request. `checks` is required if the input
 * {@link GivenCall.needsChecks | needs them}.
 */
export function prepare(
  row: CallEndpoint,
  given: GivenCall,
  resolved: ResolvedOptions,
  checks: RequestChecks | undefined,
): PreparedRequest {
  const { input, query, body, options } = given
  const { operation = row.id, path = {}, usedMs = 0, mostMs = Number.POSITIVE_INFINITY } = input
  const { timeout, maxRetries, headers } = options
  const defaultMs = resolved.timeoutMs ?? row.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const limitMs = timeout === undefined ? defaultMs : milliseconds('timeout', timeout)
  const version = options.apiVersion === undefined ? resolved.apiVersion : apiVersion(options.apiVersion)
  const filledPath = input.rawPath ?? pathOf(operation, row.path, path)
  if (checks !== undefined) checkInput(checks, row, given, version)
  const hasQuery = query !== undefined || input.cursor !== undefined || row.flag !== undefined
  const { kind } = row.response
  const defaultBytes = kind === 'list' || kind === 'raw' ? MAX_PAGE_BYTES : MAX_RESPONSE_BYTES
  return {
    path: resolved.base.prefix + filledPath + (hasQuery ? queryOf(row, given) : ''),
    body: body === undefined ? undefined : checkedText(operation, body, resolved.maxRequestBytes),
    headers: [
      'accept',
      ACCEPT_HEADERS[version],
      'user-agent',
      resolved.userAgent,
      'accept-encoding',
      // Only lists are large enough for compression.
      kind === 'list' ? 'gzip' : 'identity',
      ...(body === undefined ? [] : ['content-type', 'application/json']),
      ...(headers === undefined ? [] : extraHeaders(headers)),
    ],
    remainingMs: Math.min(limitMs - usedMs, mostMs),
    limitMs,
    maxRetries: maxRetries === undefined ? resolved.maxRetries : integer('maxRetries', maxRetries, 0, 0),
    maxResponseBytes: resolved.maxResponseBytes ?? defaultBytes,
  }
}

/**
 * Throws an {@link InvalidRequestError} with all problems of the query. If the query has none, throws an error with all
 * problems of the body.
 */
function checkInput(
  checks: RequestChecks,
  row: CallEndpoint,
  { input, query, body }: GivenCall,
  version: ApiVersion,
): void {
  const { operation = row.id } = input
  // `code` is used if the problems have different codes, or no code of their own.
  const check = (schema: RequestSchemaName, value: unknown, code: string): void => {
    const issues = checks.checkRequest(schema, value, version, true)
    if (issues.length > 0) throw new InvalidRequestError(operation, issues, checks.issueCode(issues, code))
  }
  if (row.query !== undefined && query !== undefined) check(row.query, query, 'INVALID_PARAMETER')
  if (row.body !== undefined) check(row.body, body?.value, 'INVALID_PAYLOAD')
}

/**
 * Fills in a path template. Each parameter must match its pattern. Otherwise a value could leave its segment:
 * `encodeURIComponent` does not change `..`, which a URL parser resolves.
 */
function pathOf(operation: string, template: string, parameters: Readonly<Record<string, unknown>>): string {
  let path = template
  for (const [name, value] of Object.entries(parameters)) {
    // The cast is safe, because the resources pass only parameters of the template.
    const { pattern, rule } = PATH_PARAMETERS[name as PathParameter]
    if (typeof value !== 'string' || !pattern.test(value)) throw invalidParameter(operation, [name], rule)
    path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  return path
}

/** Returns the query string with its question mark, or an empty string. Lists are joined by commas. */
function queryOf({ id, flag }: CallEndpoint, { input, query, options }: GivenCall): string {
  if (flag !== undefined) return boolean(flag, Reflect.get(options, flag), false) ? `?${flag}` : ''
  const { operation = id, cursor } = input
  const parts: string[] = []
  for (const [name, value] of Object.entries({ ...query, cursor })) {
    if (value !== undefined)
      parts.push(`${encoded(operation, [name], name)}=${queryValue(operation, name, value)}`)
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function queryValue(operation: string, name: string, value: unknown): string {
  if (!Array.isArray(value)) return encoded(operation, [name], value)
  const entries = value.map((entry: unknown, index) => {
    const path = [name, index]
    // The service would read a comma as a separator.
    if (String(entry).includes(',')) throw invalidParameter(operation, path, 'must not contain a comma')
    return encoded(operation, path, entry)
  })
  return entries.join(',')
}

function encoded(operation: string, path: readonly PropertyKey[], value: unknown): string {
  try {
    return encodeURIComponent(String(value))
  } catch {
    throw invalidParameter(operation, path, WELL_FORMED)
  }
}

function invalidParameter(operation: string, path: readonly PropertyKey[], rule: string): Error {
  return new InvalidRequestError(operation, [fieldIssue(path, rule)], 'INVALID_PARAMETER')
}

function checkedText(operation: string, { text }: JsonBody, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const rule = `must be at most ${maxBytes} bytes long as JSON (option maxRequestBytes)`
  throw new InvalidRequestError(operation, [fieldIssue([], rule)])
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Header names that an error may show. Any other text could be data that was passed by mistake. */
const SHOWN_HEADER = /^(?:[a-z]+(?:-[a-z]+)+|traceparent|tracestate|baggage)$/i
const HEADER_VALUE = /^[\x20-\x7e]*$/

/** Headers that a caller cannot set. The client or the transport sets most of them, and never sends the others. */
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
function extraHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  if (!isRecord(headers)) throw new ConfigurationError('headers must be a plain object')
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!HEADER_NAME.test(name)) throw new ConfigurationError('headers contains an invalid header name')
    if (RESERVED.has(name.toLowerCase()))
      throw new ConfigurationError(`headers must not set ${name}; the client reserves it`)
    if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
      const shown = SHOWN_HEADER.test(name) ? `headers.${name}` : 'a value in headers'
      throw new ConfigurationError(`${shown} must be a string of printable ASCII characters`)
    }
    return [name, value]
  })
}
