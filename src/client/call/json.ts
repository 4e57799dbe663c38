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

type Container = readonly unknown[] | Readonly<Record<string, unknown>>

/** Plain loops: on a large page, `some` or `Object.values` in their place cost a tenth as much as the parsing. */
function nestsBeyond(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return false
  if (levels === 0) return true
  if (isList(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (nestsBeyond(value[index], levels - 1)) return true
    }
    return false
  }
  for (const name in value) {
    if (nestsBeyond(value[name], levels - 1)) return true
  }
  return false
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function isList(value: Container): value is readonly unknown[] {
  return Array.isArray(value)
}
