import type { PGliteInstance } from './pglite.js'
import type { PgPool } from './pool.js'

/** Returns `true` for a pool of pg. A client of pg has the same functions. */
export function isPool(source: unknown): source is PgPool {
  return hasFunctions(source, ['connect', 'query', 'end', 'on'])
}

export function isPGlite(source: unknown): source is PGliteInstance {
  return hasFunctions(source, ['query', 'exec', 'transaction', 'close'])
}

function hasFunctions(source: unknown, names: readonly string[]): boolean {
  if (typeof source !== 'object' || source === null) return false
  return names.every((name) => typeof Reflect.get(source, name) === 'function')
}
