import { parseTime } from '../../contract/times.js'

/** Returns a copy that Postgres can store as JSON, with sorted keys at every level. */
export function storableObject(value: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) {
    const field: unknown = Reflect.get(value, name)
    if (field !== undefined) set(copy, storableText(name), storableValue(field))
  }
  return copy
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(storableValue)
  return typeof value === 'object' && value !== null ? storableObject(value) : value
}

/** Sets a field. Defines the field `__proto__` as a property, because an assignment would not set it. */
function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/**
 * Matches each text that may need a replacement. Nearly every text needs none, and this test is much faster than the
 * replacement.
 */
const MAY_BE_REFUSED = /[\0\uD800-\uDFFF]/

/** Replaces NUL and single halves of surrogate pairs, which Postgres does not store. */
export function storableText(text: string): string {
  if (!MAY_BE_REFUSED.test(text)) return text
  return text.replaceAll('\0', '\uFFFD').replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}

/**
 * First and last time that Postgres reads in ISO 8601: the years 1 to 9999. With any other year, the statement that
 * stores a page of records would fail.
 */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z')
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns a timestamp as ISO 8601 with milliseconds; `null` if the value is not a time of the years 1 to 9999. */
export function timestampOf(value: unknown): string | null {
  const ms = typeof value === 'string' ? parseTime(value) : Number.NaN
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? new Date(ms).toISOString() : null
}
