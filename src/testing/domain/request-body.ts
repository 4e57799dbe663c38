import type { FakeCall } from '../server/context.js'

/** A JSON object, as a body must be. */
export type Fields = Readonly<Record<string, unknown>>

/** Tells a JSON object from everything else. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The body's fields; requests without an object for a body do not come as far as the handlers. */
export function bodyFields(call: FakeCall): Fields {
  return isFields(call.body) ? call.body : {}
}
