export type Json = null | boolean | number | string | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a copy without values that JSON does not have. */
export function toJsonObject(value: object): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(value))
  return copy
}

/** Returns an object of the pairs that have a value. */
export function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const entries = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

/** Returns a copy with each value replaced by the result of `change`. The names stay. */
export function mapValues<Value, Result>(
  fields: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]))
}

export const schemaRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
