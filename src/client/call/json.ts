/** JSON nested more deeply than this is an attack or a mistake; real answers stay below ten levels. */
const MAX_DEPTH = 64

/** Text this long has more brackets than that: to count them would be in vain. */
const LONG = 16_384

/**
 * Tells whether JSON nests more deeply than any real answer: what walks it later could exhaust the stack.
 *
 * @param text - The JSON: with few brackets in it, nothing can nest deeply, and `value` need not be walked.
 */
export function isTooDeep(text: string, value: unknown): boolean {
  return (text.length > LONG || hasManyBrackets(text)) && isContainer(value) && nestsBeyond(value, MAX_DEPTH)
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

/** Plain loops, and no call for what holds nothing: on a large page, that is most of the time of the walk. */
function nestsBeyond(value: Container, levels: number): boolean {
  if (levels === 0) return true
  if (isList(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const entry = value[index]
      if (isContainer(entry) && nestsBeyond(entry, levels - 1)) return true
    }
    return false
  }
  for (const name in value) {
    const entry = value[name]
    if (isContainer(entry) && nestsBeyond(entry, levels - 1)) return true
  }
  return false
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function isList(value: Container): value is readonly unknown[] {
  return Array.isArray(value)
}
