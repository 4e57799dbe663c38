import type { Endpoint } from '../../contract/endpoint.js'
import { fieldIssue, type RequestIssue } from '../../contract/issues.js'
import { UUID_PATTERN } from '../../contract/path-parameters.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import type { FakeOptions } from '../options/fake-options.js'
import { FakeApiError } from './api-error.js'
import type { FakeCall } from './context.js'
import { unknownParameters } from './lists.js'

/**
 * Path parameters that must be UUIDs, else INVALID_PARAMETER (§4.1, §4.5, §4.6). A provider number that is
 * malformed is one that nobody has: PROVIDER_NOT_FOUND (§4.4).
 */
const UUID_PARAMETERS: ReadonlySet<string> = new Set(['uuid', 'id'])

/** Query parameters of endpoints that have no query schema in the contract. */
const PLAIN_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['referrals.generateResults', ['partial']],
])

/**
 * Checks what no handler needs to look at: the path's parameters, and the query of an endpoint that takes none.
 *
 * @throws FakeApiError - INVALID_PARAMETER, with every problem.
 */
export function checkParameters(call: FakeCall): void {
  const issues = [...pathIssues(call.params), ...queryIssues(call)]
  if (issues.length > 0) throw new FakeApiError('INVALID_PARAMETER', issues)
}

/** The query as handlers see it: with `unknownQueryParameters: 'ignore'`, without what the endpoint does not take. */
export function readQuery(endpoint: Endpoint, text: string, options: FakeOptions): URLSearchParams {
  const query = new URLSearchParams(text)
  if (text === '' || options.unknownQueryParameters === 'refuse') return query
  const known = knownParameters(endpoint)
  for (const name of new Set(query.keys())) if (!known.includes(name)) query.delete(name)
  return query
}

function knownParameters({ id, query }: Endpoint): readonly string[] {
  const schema = query === undefined ? undefined : REQUEST_SCHEMAS[query]
  return schema === undefined ? (PLAIN_PARAMETERS.get(id) ?? []) : Object.keys(schema.shape)
}

function pathIssues(params: FakeCall['params']): RequestIssue[] {
  return Object.entries(params)
    .filter(([name, value]) => UUID_PARAMETERS.has(name) && !UUID_PATTERN.test(value))
    .map(([name]) => fieldIssue([name], 'must be a UUID'))
}

function queryIssues(call: FakeCall): RequestIssue[] {
  if (call.endpoint.query !== undefined) return []
  return unknownParameters(call, PLAIN_PARAMETERS.get(call.endpoint.id) ?? [])
}
