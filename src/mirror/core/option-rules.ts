import { ConfigurationError } from '../../common/errors.js'
import { ownOptions } from '../../common/known-options.js'

/** Rule of an option: the check of its value, and the text for error messages. */
export interface Rule {
  readonly isValid: (value: unknown) => boolean
  readonly text: string
  readonly isRequired?: boolean
}

export const BOOLEAN: Rule = { isValid: (value) => typeof value === 'boolean', text: 'true or false' }

/** Rule of an option whose value is checked elsewhere. */
export const ANY: Rule = { isValid: () => true, text: '' }

export function required(rule: Rule): Rule {
  return { ...rule, isRequired: true }
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Rule {
  const upper = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`
  return {
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    text: `an integer of at least ${least}${upper}`,
  }
}

export function numberAbove0(most: number): Rule {
  return {
    isValid: (value) => typeof value === 'number' && value > 0 && value <= most,
    text: `a number above 0 and at most ${most}`,
  }
}

/**
 * Returns a copy of options. An option with the value `undefined` counts as not given.
 *
 * @param label - Start of the messages about a value.
 * @throws {@link ConfigurationError} if an option is unknown, missing or invalid. The message names the option and its rule.
 */
export function checkedOptions<T extends object>(
  owner: string,
  given: T,
  rules: Readonly<Record<string, Rule>>,
  label = `${owner}: `,
): T {
  const own = ownOptions(owner, given, new Set(Object.keys(rules)))
  for (const [name, { isValid, text, isRequired = false }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(own, name)
    if (value === undefined ? isRequired : !isValid(value))
      throw new ConfigurationError(`${label}${name} must be ${text}`)
  }
  return own
}
