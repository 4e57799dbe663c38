import { isRecord, ownOptions } from '../../common/known-options.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { endpoints } from '../../contract/endpoints.js'
import { fieldIssue } from '../../contract/issues.js'
import { queryCopy } from '../core/caller-input.js'
import { InvalidRequestError } from '../errors/errors.js'

/** Methods that `client.request` sends. */
const RAW_METHODS: readonly RequestMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** HTTP method of `client.request`. */
export type RequestMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Query and body of `client.request`. */
export interface RequestContents {
  /** Query parameters: texts, finite numbers, booleans, or lists of them. Entries of a list are joined by commas. */
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** JSON body; not permitted with `GET` and `HEAD`. Its fields are not checked. */
  readonly body?: unknown
}

/** Endpoint of a raw request, which may have any path of the API. No schema checks its query or body. */
export interface RawEndpoint extends Omit<Endpoint, 'method' | 'path' | 'query' | 'body' | 'response'> {
  readonly method: RequestMethod
  /** Path for messages: without identifiers. */
  readonly path: string
  readonly query?: undefined
  readonly body?: undefined
  readonly response: { readonly kind: 'raw' }
}

/** Endpoint of a call: an endpoint of the contract, or the endpoint of a raw request. */
export type CallEndpoint = Endpoint | RawEndpoint

const OPERATION = 'client.request'

/** A version and one or more segments. A query, a percent sign, an empty segment, `.` and `..` are not permitted. */
const PATH = /^\/v\d{1,3}(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~:@-]+)+$/

const PATH_RULE =
  "must have a version and segments of letters, digits, '.', '_', '~', ':', '@' and '-', such as '/v1/referrals'; a " +
  "segment must not be '.' or '..'; pass the query in the option query"

/** Fixed segments of the known paths, which a message may contain. */
const WORDS: ReadonlySet<string> = new Set(
  Object.values(endpoints)
    .flatMap((resource): Endpoint[] => Object.values(resource))
    .flatMap(({ path }) => path.split('/')),
)

/** A raw request: its endpoint and its input. */
export interface RawRequest {
  readonly endpoint: RawEndpoint
  readonly input: RequestContents & { readonly rawPath: string }
}

/**
 * Checks the method, path and query of a raw request. Rejects a GET or HEAD with a body, and a request that places an
 * order.
 *
 * @throws {@link InvalidRequestError} when a check fails, before anything is sent.
 * @throws `ConfigurationError` when `given` is not an object, or has a field other than `query` and `body`.
 */
export function rawRequest(method: RequestMethod, path: string, given: RequestContents): RawRequest {
  const { query: givenQuery, body } = ownOptions(OPERATION, given, new Set(['query', 'body']))
  const query = queryCopy(givenQuery)
  if (!RAW_METHODS.includes(method)) throw invalid('method', `must be ${RAW_METHODS.join(', ')}`)
  if (typeof path !== 'string' || !PATH.test(path)) throw invalid('path', PATH_RULE)
  if (method === 'POST' && /^\/v\d+\/referrals$/i.test(path))
    throw invalid(
      'path',
      'must not place an order: use client.referrals.create, which prevents a second order',
    )
  const isSafe = method === 'GET' || method === 'HEAD'
  if (isSafe && body !== undefined) throw invalid('body', `must be absent with ${method}`)
  checkQuery(query)
  return {
    endpoint: {
      id: OPERATION,
      method,
      path: shownPath(path),
      retry: isSafe ? 'safe' : 'once',
      response: { kind: 'raw' },
    },
    input: { query, body, rawPath: path },
  }
}

function checkQuery(query: unknown): void {
  if (query === undefined) return
  if (!isRecord(query)) throw invalid('query', 'must be an object')
  // A parameter that is `undefined` is omitted. In a list, `undefined` is rejected: it would become a text.
  const values: readonly unknown[] = Object.values(query).filter((value) => value !== undefined)
  if (!values.flat().every(isQueryValue))
    throw invalid('query', 'must contain only texts, finite numbers, booleans and lists of them')
}

function isQueryValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/**
 * Replaces each segment of a path that may be an identifier. The first segment after the version is kept if it has
 * only lower-case letters and hyphens, at most 40. Each later segment is kept if it is a segment of a known path.
 */
function shownPath(path: string): string {
  const [, version = '', resource = '', ...rest] = path.split('/')
  const first = /^[a-z-]{1,40}$/.test(resource) ? resource : '{…}'
  return ['', version, first, ...rest.map((segment) => (WORDS.has(segment) ? segment : '{…}'))].join('/')
}

function invalid(field: string, rule: string): InvalidRequestError {
  return new InvalidRequestError(OPERATION, [fieldIssue([field], rule)], 'INVALID_PARAMETER')
}
