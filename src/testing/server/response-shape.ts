import type { Endpoint } from '../../contract/endpoint.js'
import type { ServerOptions } from './options.js'

type ShapeOptions = Pick<ServerOptions, 'listWrapper' | 'extraFields' | 'unknownEnums'>

/** The field that `options.extraFields` adds to every object of a success body, except in `metadata`. */
export const EXTRA_FIELD = 'addedWithoutNotice'

/** Values that replace known values if `options.unknownEnums` is set, by field. */
const UNKNOWN_VALUES: ReadonlyMap<string, string> = new Map([
  ['status', 'STATUS_OF_TOMORROW'],
  ['origin', 'ORIGIN_OF_TOMORROW'],
  ['provenance', 'PROVENANCE_OF_TOMORROW'],
  ['visibility', 'VISIBILITY_OF_TOMORROW'],
  ['valueType', 'type-of-tomorrow'],
])

/** Fields with the integrator's own data, which the service returns unchanged. */
const UNTOUCHED = new Set(['metadata'])

/** Applies the options to a success body: a wrapper that is not documented, and the additions that §9 permits. */
export function shapeResponse(endpoint: Endpoint, body: unknown, options: ShapeOptions): unknown {
  const wrapped = options.listWrapper === 'keyed' ? body : rewrap(endpoint, body, options.listWrapper)
  if (!options.extraFields && !options.unknownEnums) return wrapped
  return extend(JSON.parse(JSON.stringify(wrapped)), options)
}

function rewrap(endpoint: Endpoint, body: unknown, wrapper: 'array' | 'data'): unknown {
  const { response } = endpoint
  if (response.kind !== 'list' || response.documented || response.paged) return body
  const items: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, response.key) : undefined
  if (!Array.isArray(items)) return body
  return wrapper === 'array' ? items : { data: items }
}

function extend(value: unknown, options: ShapeOptions): unknown {
  if (Array.isArray(value)) return value.map((entry) => extend(entry, options))
  if (typeof value !== 'object' || value === null) return value
  const extended = Object.entries(value).map(
    ([key, entry]) => [key, extendField(key, entry, options)] as const,
  )
  return Object.fromEntries(options.extraFields ? [...extended, [EXTRA_FIELD, { since: 'v1' }]] : extended)
}

function extendField(key: string, value: unknown, options: ShapeOptions): unknown {
  if (UNTOUCHED.has(key)) return value
  const unknown = options.unknownEnums && typeof value === 'string' ? UNKNOWN_VALUES.get(key) : undefined
  return unknown ?? extend(value, options)
}
