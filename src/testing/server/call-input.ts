import { type Fields, isFields } from '../../contract/check.js'
import type { Endpoint } from '../../contract/endpoint.js'
import { UUID_PATTERN } from '../../contract/identifiers.js'
import { fieldIssue, type IssueDraft } from '../../contract/issues.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import {
  API_VERSIONS,
  type ApiVersion,
  isApiVersion,
  SERVICE_DEFAULT_VERSION,
} from '../../contract/versions.js'
import { FakeApiError } from './api-error.js'
import type { FakeCall } from './context.js'
import { MAX_JSON_LEVELS, parseJson } from './json.js'
import { unknownParameters } from './lists.js'
import type { ServerOptions } from './options.js'

/**
 * Path parameters that must be UUIDs: any other value gets INVALID_PARAMETER (§4.1, §4.2, §4.5, §4.6). A malformed
 * provider number gets PROVIDER_NOT_FOUND (§4.4).
 */
const UUID_PARAMETERS: ReadonlySet<string> = new Set(['uuid', 'id'])

/** Query parameters of the endpoints that have parameters but no query schema in the contract. */
const PLAIN_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['referrals.generateResults', ['partial']],
])

/** Endpoints that always reject unknown parameters (§4.5). */
const STRICT_QUERY: ReadonlySet<string> = new Set(['centres.list'])

/** Endpoints that always reject unknown fields (§4.6). */
const STRICT_BODY: ReadonlySet<string> = new Set(['webhooks.create', 'webhooks.update'])

const OWN_TYPE = /^application\/vnd\.svc(?:\.v(?<version>\d+\.\d+\.\d+)\+json)?/i
const PREFIX = 'application/vnd.svc'

/** The rule of the Accept header in words, for error messages. */
export const ACCEPT_RULE = `Accept must name a version of the service: ${API_VERSIONS.map(
  (version) => `application/vnd.svc.v${version}+json`,
).join(' or ')}`

/**
 * Reads the version in an Accept header. Returns 1.0.0 without a header, and for a header without the service's media
 * type. Returns `undefined` for this media type without a known version (§9).
 */
export function versionOf(accept: string | undefined): ApiVersion | undefined {
  if (accept === undefined || !accept.toLowerCase().includes(PREFIX)) return SERVICE_DEFAULT_VERSION
  const own = accept
    .split(',')
    .map((entry) => entry.split(';')[0]?.trim() ?? '')
    .filter((type) => type.toLowerCase().startsWith(PREFIX))
  for (const type of own) {
    const match = OWN_TYPE.exec(type)
    const version = match?.[0].length === type.length ? match.groups?.['version'] : undefined
    if (isApiVersion(version)) return version
  }
  return undefined
}

/**
 * Checks the path parameters, and the query of an endpoint without a query schema.
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem.
 */
export function checkParameters(call: FakeCall): void {
  const issues = [...pathIssues(call.params), ...queryIssues(call)]
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
}

/**
 * Reads the query. With `unknownQueryParameters: 'ignore'`, removes unknown parameters, except for strict endpoints.
 */
export function readQuery(
  endpoint: Endpoint,
  text: string,
  options: Pick<ServerOptions, 'unknownQueryParameters'>,
): URLSearchParams {
  const query = new URLSearchParams(text)
  if (text === '' || options.unknownQueryParameters === 'reject' || STRICT_QUERY.has(endpoint.id))
    return query
  const known = knownParameters(endpoint)
  for (const name of new Set(query.keys())) if (!known.includes(name)) query.delete(name)
  return query
}

function knownParameters({ id, query }: Endpoint): readonly string[] {
  const schema = query === undefined ? undefined : REQUEST_SCHEMAS[query]
  return schema === undefined ? (PLAIN_PARAMETERS.get(id) ?? []) : Object.keys(schema.shape)
}

function pathIssues(params: FakeCall['params']): IssueDraft[] {
  return Object.entries(params)
    .filter(([name, value]) => UUID_PARAMETERS.has(name) && !UUID_PATTERN.test(value))
    .map(([name]) => fieldIssue([name], 'must be a UUID'))
}

function queryIssues(call: FakeCall): IssueDraft[] {
  if (call.endpoint.query !== undefined) return []
  return unknownParameters(call.query, PLAIN_PARAMETERS.get(call.endpoint.id) ?? [])
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the JSON body of a request; `undefined` if the endpoint has no body. With `unknownBodyFields: 'ignore'`,
 * removes unknown fields, except for strict endpoints.
 *
 * @throws FakeApiError - INVALID_PAYLOAD: the body is missing, is not JSON in UTF-8, has too many levels, or is not an
 * object.
 */
export function readBody(
  endpoint: Endpoint,
  bytes: Uint8Array,
  options: Pick<ServerOptions, 'unknownBodyFields'>,
): unknown {
  if (endpoint.body === undefined) return undefined
  const body = parse(bytes)
  if (!isFields(body)) throw new FakeApiError('INVALID_PAYLOAD', ['the body must be a JSON object'])
  if (options.unknownBodyFields === 'reject' || STRICT_BODY.has(endpoint.id)) return body
  return withoutUnknownFields(endpoint.body, body)
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new FakeApiError('INVALID_PAYLOAD', ['a JSON body is required'])
  try {
    return parseJson(utf8.decode(bytes))
  } catch {
    const rule = `the body must be JSON in UTF-8 with at most ${MAX_JSON_LEVELS} levels`
    throw new FakeApiError('INVALID_PAYLOAD', [rule])
  }
}

/** Returns the body without the fields that the endpoint's schema does not contain. */
function withoutUnknownFields(name: NonNullable<Endpoint['body']>, body: object): unknown {
  const outcome = REQUEST_SCHEMAS[name].safeParse(body)
  if (outcome.success) return body
  const copy: unknown = structuredClone(body)
  for (const issue of outcome.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const owner = valueAt(copy, issue.path)
    if (owner !== undefined) for (const key of issue.keys) Reflect.deleteProperty(owner, key)
  }
  return copy
}

function valueAt(value: unknown, path: readonly PropertyKey[]): object | undefined {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, key)
  }
  return typeof found === 'object' && found !== null ? found : undefined
}

/** Returns the fields of a call's body. `readBody` has rejected bodies that are not objects. */
export function bodyFields(call: FakeCall): Fields {
  return isFields(call.body) ? call.body : {}
}
