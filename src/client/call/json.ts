/** JSON nested more deeply than this is an attack or a mistake; real answers stay below ten levels. */
const MAX_DEPTH = 64

/** Tells whether parsed JSON nests more deeply than any real answer: what walks it later could exhaust the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth >= MAX_DEPTH) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, depth + 1))
  for (const key in value) {
    const inner: unknown = Reflect.get(value, key)
    if (typeof inner === 'object' && inner !== null && isTooDeep(inner, depth + 1)) return true
  }
  return false
}
