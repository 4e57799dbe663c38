import { isRecord } from '../../common/known-options.js'

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
  words: `an integer ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
})

export const boolean: ValueRule = {
  accepts: (value) => typeof value === 'boolean',
  words: 'true or false',
  choices: [true, false],
}

/** Accepts every value, for a field whose value is checked elsewhere. */
export const anyValue: ValueRule = { accepts: () => true, words: 'any value' }

/** A string that is not empty. */
export const text: ValueRule = {
  accepts: (value) => typeof value === 'string' && value !== '',
  words: 'a string that is not empty',
}

export const string: ValueRule = { accepts: (value) => typeof value === 'string', words: 'a string' }

/** A string with a character that is not white space. */
export const notBlank: ValueRule = {
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
  words: 'a string that is not blank',
}

/**
 * Checks the fields of an object that a caller passes. A field that is `undefined` counts as absent.
 *
 * @param subject - Name of the object in messages.
 * @param required - Names of the fields that must not be absent.
 * @throws RangeError - The value is not an object, or a field is unknown, missing or breaks its rule.
 */
export function checkFields(
  given: object,
  rules: Readonly<Record<string, ValueRule>>,
  subject: string,
  required: readonly string[] = [],
): void {
  if (!isRecord(given)) throw new RangeError(`${subject} must be an object`)
  const fields = new Map<string, unknown>(Object.entries(given))
  for (const name of new Set([...fields.keys(), ...required])) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined)
      throw new RangeError(`${subject}: unknown field ${name}; its fields: ${Object.keys(rules).join(', ')}`)
    const value = fields.get(name)
    const isAbsent = value === undefined && !required.includes(name)
    if (!isAbsent && !rule.accepts(value)) throw new RangeError(`${subject}: ${name} must be ${rule.words}`)
  }
}
