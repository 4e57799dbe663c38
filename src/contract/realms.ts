/*
 * Guards that also accept values of another realm: in a test runner's environment, such as jsdom, the global
 * `Uint8Array` and `Date` aren't those of Node's modules, so `instanceof` is false for a Buffer.
 */

export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || tagOf(value) === 'Uint8Array'
}

export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return tagOf(value) === 'ArrayBuffer'
}

export function isDate(value: unknown): value is Date {
  return value instanceof Date || (typeof value === 'object' && tagOf(value) === 'Date')
}

export function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map || (typeof value === 'object' && tagOf(value) === 'Map')
}

export function isUrl(value: unknown): value is URL {
  return tagOf(value) === 'URL'
}

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
