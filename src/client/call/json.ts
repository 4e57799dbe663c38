/** JSON nested more deeply than this is an attack or a mistake; real answers stay below ten levels. */
const MAX_DEPTH = 64

/**
 * Tells whether JSON nests more deeply than any real answer: what walks it later could exhaust the stack.
 *
 * @param text - The JSON: with few brackets in it, nothing can nest deeply, and `value` need not be walked.
 */
export function isTooDeep(text: string, value: unknown): boolean {
  return hasManyBrackets(text) && nestsBeyond(value, MAX_DEPTH)
}

function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > MAX_DEPTH) return true
    }
  }
  return false
}

function nestsBeyond(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && nestsBeyond(inner, levels - 1)) return true
  }
  return false
}
