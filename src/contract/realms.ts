/*
 * Values of another realm. In a test runner's environment, such as jsdom, the global `Uint8Array` and `Date` are not
 * those of Node's modules, so `instanceof` is false for a Buffer.
 */

/** Returns `true` for a `Uint8Array` or a `Buffer` of any realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || tagOf(value) === 'Uint8Array'
}

/** Returns `true` for an `ArrayBuffer` of any realm. */
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return tagOf(value) === 'ArrayBuffer'
}

/** Returns `true` for a `Date` of any realm. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date || (typeof value === 'object' && tagOf(value) === 'Date')
}

/** Returns `true` for a `Map` of any realm. */
export function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map || (typeof value === 'object' && tagOf(value) === 'Map')
}

/** Returns `true` for a `URL` of any realm or implementation. */
export function isUrl(value: unknown): value is URL {
  return tagOf(value) === 'URL'
}

/** Returns `true` for an `AbortSignal` of any realm or implementation. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false
  return (
    typeof Reflect.get(value, 'aborted') === 'boolean' &&
    typeof Reflect.get(value, 'addEventListener') === 'function'
  )
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}
