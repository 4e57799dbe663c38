import { isJsonObject, type Json, type JsonObject, mapValues, present } from './json.js'

/** Keywords that zod writes and that have no meaning in an OpenAPI document. */
const NOISE: ReadonlySet<string> = new Set(['$schema', '$id', 'propertyNames'])

/**
 * Converts a schema to the style of OpenAPI 3.1: `null` in the list of types. If the service may add values to a set,
 * the description gets the known values of the set.
 */
export function tidy(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key, value]) => !NOISE.has(key) && !isUnbounded(key, value))
  const within = Object.fromEntries(kept.map(([key, value]) => [key, tidyValue(key, value)] as const))
  return inReadingOrder(withKnownValues(withNull(withEnum(within))))
}

/** Returns `true` when a limit is the largest exact integer of JavaScript, which zod writes for every integer. */
function isUnbounded(key: string, value: Json): boolean {
  return /^(minimum|maximum)$/.test(key) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
}

function tidyValue(key: string, value: Json): Json {
  if (key === 'properties' && isJsonObject(value)) {
    return mapValues(value, (property, name) => withFormat(name, tidyPart(property)))
  }
  if (Array.isArray(value)) return value.map(tidyPart)
  if (key === 'additionalProperties' && isJsonObject(value) && Object.keys(value).length === 0) return true
  return tidyPart(value)
}

/** Formats of fields by their names. `doctorSignedAt` may be a date without a time. */
const FORMATS: readonly (readonly [name: RegExp, format: string])[] = [
  [/^uuid$|Uuid$/, 'uuid'],
  [/^url$|Url$|Attachment$/, 'uri'],
  [/(?<!doctorSigned)At$|^resultDate$/, 'date-time'],
]

function withFormat(name: string, schema: Json): Json {
  const format = FORMATS.find(([pattern]) => pattern.test(name))?.[1]
  if (format === undefined || !isJsonObject(schema)) return schema
  const types = [schema['type']].flat()
  return types.includes('string') ? { ...schema, format } : schema
}

function tidyPart(value: Json): Json {
  return isJsonObject(value) ? tidy(value) : value
}

/** Replaces a `const` by an `enum` of one value, which code generators support better. */
function withEnum(schema: JsonObject): JsonObject {
  const { const: only, ...rest } = schema
  return only === undefined ? schema : { type: typeof only, ...rest, enum: [only] }
}

function withNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [value, none] = anyOf
  const nullable = isJsonObject(none) && none['type'] === 'null'
  if (!nullable || !isJsonObject(value) || typeof value['type'] !== 'string' || value['enum'] !== undefined) {
    return schema
  }
  return { ...value, type: [value['type'], 'null'], ...rest }
}

/** Adds two or more known values to the description. A schema must not enforce them: the service may add values. */
function withKnownValues(schema: JsonObject): JsonObject {
  const { description, ...rest } = schema
  const known = rest['x-known-values']
  if (!Array.isArray(known) || known.length === 1) return schema
  const list = `Known values: ${known.map((value) => (value === '' ? 'an empty string' : `\`${String(value)}\``)).join(', ')}; there may be others.`
  return { ...rest, description: [description, list].filter(Boolean).join(' ') }
}

/** Moves the keywords `description` and `type` to the front. */
function inReadingOrder({ description, type, ...rest }: JsonObject): JsonObject {
  return present({ description, type, ...rest })
}
