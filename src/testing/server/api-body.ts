import type { Endpoint } from '../../contract/endpoint.js'
import { REQUEST_SCHEMAS } from '../../contract/schemas/index.js'
import type { FakeOptions } from '../options/fake-options.js'
import { FakeApiError } from './api-error.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The JSON body of a request; `undefined` where the endpoint takes none.
 *
 * @throws FakeApiError - INVALID_PAYLOAD: missing, not JSON, or not an object.
 */
export function readBody(endpoint: Endpoint, bytes: Uint8Array, options: FakeOptions): unknown {
  if (endpoint.body === undefined) return undefined
  const body = parse(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new FakeApiError('INVALID_PAYLOAD', ['the body must be a JSON object'])
  }
  return options.unknownBodyFields === 'ignore' ? withoutUnknownFields(endpoint.body, body) : body
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new FakeApiError('INVALID_PAYLOAD', ['a JSON body is required'])
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new FakeApiError('INVALID_PAYLOAD', ['the body must be JSON in UTF-8'])
  }
}

/** A copy without the fields that the endpoint's schema does not name. */
function withoutUnknownFields(name: NonNullable<Endpoint['body']>, body: object): unknown {
  const outcome = REQUEST_SCHEMAS[name].safeParse(body)
  if (outcome.success) return body
  const copy: unknown = structuredClone(body)
  for (const issue of outcome.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const owner = at(copy, issue.path)
    if (owner !== undefined) for (const key of issue.keys) Reflect.deleteProperty(owner, key)
  }
  return copy
}

function at(value: unknown, path: readonly PropertyKey[]): object | undefined {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, key)
  }
  return typeof found === 'object' && found !== null ? found : undefined
}
