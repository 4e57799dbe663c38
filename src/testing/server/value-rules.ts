/** What a value must be: a test, and the rule in words. */
export interface ValueRule {
  readonly accepts: (value: unknown) => boolean
  readonly words: string
}

/** One of a few values. */
export const oneOf = (...values: readonly (string | number)[]): ValueRule => ({
  accepts: (value) => values.some((known) => known === value),
  words: `one of ${values.join(', ')}`,
})

/** A whole number within bounds, both included. */
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): ValueRule => ({
  accepts: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most,
  words: `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? ' up' : ` to ${most}`}`,
})

export const boolean: ValueRule = { accepts: (value) => typeof value === 'boolean', words: 'true or false' }

/** A string with something in it. */
export const text: ValueRule = {
  accepts: (value) => typeof value === 'string' && value !== '',
  words: 'a string that is not empty',
}
