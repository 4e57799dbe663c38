/** A check of a value, and the rule in words. */
export interface ValueRule {
  readonly accepts: (value: unknown) => boolean
  /** Completes the sentence "… must be". */
  readonly words: string
  /** Every accepted value, if the rule is a list of values. */
  readonly choices?: readonly (string | number | boolean)[]
}

/** Creates a rule that accepts a list of values. */
export const oneOf = (...values: readonly (string | number)[]): ValueRule => ({
  accepts: (value) => values.some((known) => known === value),
  words: `one of ${values.join(', ')}`,
  choices: values,
})

/** Creates a rule that accepts integers from `min` to `max`, both included. */
export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): ValueRule => ({
  accepts: (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max,
  words: `an integer from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
})

export const boolean: ValueRule = {
  accepts: (value) => typeof value === 'boolean',
  words: 'true or false',
  choices: [true, false],
}

/** A string that is not empty. */
export const text: ValueRule = {
  accepts: (value) => typeof value === 'string' && value !== '',
  words: 'a string that is not empty',
}
