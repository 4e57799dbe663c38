import type { Endpoint } from '../../contract/endpoint.js'
import type { FakeOptions } from '../options/fake-options.js'

/** The field that `options.extraFields` adds to every object. */
export const EXTRA_FIELD = 'addedWithoutNotice'

/** Values that `options.unknownEnums` puts in the place of known ones, by field. */
const UNKNOWN_VALUES: ReadonlyMap<string, string> = new Map([
  ['status', 'STATUS_OF_TOMORROW'],
  ['origin', 'ORIGIN_OF_TOMORROW'],
  ['provenance', 'PROVENANCE_OF_TOMORROW'],
  ['visibility', 'VISIBILITY_OF_TOMORROW'],
  ['valueType', 'type-of-tomorrow'],
])

/** Integrators' own data, which the service returns as it got it. */
const UNTOUCHED = new Set(['metadata'])

/** A success body as the options have it: its wrapper where none is shown, and what §9 lets the service add. */
export function shapeAnswer(endpoint: Endpoint, body: unknown, options: FakeOptions): unknown {
  const wrapped = options.listWrapper === 'keyed' ? body : rewrap(endpoint, body, options.listWrapper)
  if (!options.extraFields && !options.unknownEnums) return wrapped
  return grow(JSON.parse(JSON.stringify(wrapped)), options)
}

function rewrap(endpoint: Endpoint, body: unknown, wrapper: 'array' | 'data'): unknown {
  const { response } = endpoint
  if (response.kind !== 'list' || response.documented || response.paged) return body
  const items: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, response.key) : undefined
  if (!Array.isArray(items)) return body
  return wrapper === 'array' ? items : { data: items }
}

function grow(value: unknown, options: FakeOptions): unknown {
  if (Array.isArray(value)) return value.map((entry) => grow(entry, options))
  if (typeof value !== 'object' || value === null) return value
  const grown = Object.entries(value).map(([key, entry]) => [key, growField(key, entry, options)] as const)
  return Object.fromEntries(options.extraFields ? [...grown, [EXTRA_FIELD, { since: 'v1' }]] : grown)
}

function growField(key: string, value: unknown, options: FakeOptions): unknown {
  if (UNTOUCHED.has(key)) return value
  const unknown = options.unknownEnums && typeof value === 'string' ? UNKNOWN_VALUES.get(key) : undefined
  return unknown ?? grow(value, options)
}
