/**
 * Returns the known name that a text probably means: the same name in another case, or with one missing, added or
 * replaced letter, or two swapped letters. Returns `undefined` if the text is a known name, or if no name is similar. A
 * name of fewer than three letters is similar only to itself in another case.
 */
export function similarName(text: string, known: Iterable<string>): string | undefined {
  const names = [...known]
  if (names.includes(text)) return undefined
  const lower = text.toLowerCase()
  const sameLetters = names.find((name) => name.toLowerCase() === lower)
  return sameLetters ?? names.find((name) => isNear(name.toLowerCase(), lower))
}

/** Minimum length of a compared name. A shorter name is similar to too many others. */
const MIN_LENGTH = 3

/** Returns `true` when two names differ by at most one missing, added or replaced letter, or by two swapped letters. */
function isNear(name: string, other: string): boolean {
  if (Math.abs(name.length - other.length) > 1 || Math.min(name.length, other.length) < MIN_LENGTH)
    return false
  let start = 0
  while (start < name.length && name[start] === other[start]) start += 1
  const [rest, otherRest] = [name.slice(start), other.slice(start)]
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0])
  )
}
