/**
 * Returns the known name that a text probably means: the same name in another case, or with a letter missing, added,
 * replaced or swapped with the next; with two of these in a long name. Returns `undefined` if the text is a known name,
 * or if no name is similar. A name of fewer than three letters is similar only to itself in another case.
 */
export function similarName(text: string, known: Iterable<string>): string | undefined {
  const names = [...known]
  if (names.includes(text)) return undefined
  const lower = text.toLowerCase()
  const [best] = names
    .map((name) => ({ name, mistakes: mistakesIn(lower, name.toLowerCase()) }))
    .filter(({ name, mistakes }) => mistakes <= mostMistakes(Math.min(name.length, text.length)))
    .toSorted((a, b) => a.mistakes - b.mistakes)
  return best?.name
}

/** Two mistakes turn many a short name into another, and one turns a very short name into another. */
function mostMistakes(length: number): number {
  if (length < 3) return 0
  return length < 10 ? 1 : 2
}

/** The number of mistakes (Damerau and Levenshtein's distance). Names of very different lengths aren't compared. */
function mistakesIn(text: string, name: string): number {
  if (Math.abs(text.length - name.length) > 2) return Number.POSITIVE_INFINITY
  let [beforeLast, last]: number[][] = [[], Array.from({ length: name.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= text.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= name.length; column += 1) {
      const isSame = text[row - 1] === name[column - 1]
      const isSwapped = text[row - 1] === name[column - 2] && text[row - 2] === name[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return at(last, name.length)
}

function at(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? Number.POSITIVE_INFINITY
}
