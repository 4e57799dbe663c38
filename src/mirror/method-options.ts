import { ConfigurationError } from '../common/errors.js'
import { ownOptions } from '../common/known-options.js'
import { UUID_PATTERN } from '../contract/identifiers.js'

interface Rule {
  readonly isValid: (value: unknown) => boolean
  readonly text: string
}

const BOOLEAN: Rule = { isValid: (value) => typeof value === 'boolean', text: 'true or false' }

const NAME: Rule = {
  isValid: (value) => typeof value === 'string' && value !== '',
  text: 'a string that is not empty',
}

/** Rules for the options of the mirror's methods: the check of a value, and the text for error messages. */
const RULES = {
  acceptGone: BOOLEAN,
  after: { isValid: (value) => isInteger(value, 0), text: 'an integer of at least 0' },
  consumer: NAME,
  follow: BOOLEAN,
  onProgress: { isValid: (value) => typeof value === 'function', text: 'a function' },
  organisation: NAME,
  restart: BOOLEAN,
  sample: { isValid: (value) => isInteger(value, 1), text: 'an integer of at least 1' },
  signal: { isValid: isSignal, text: 'an AbortSignal' },
  uuid: { isValid: (value) => typeof value === 'string' && UUID_PATTERN.test(value), text: 'a UUID' },
} satisfies Readonly<Record<string, Rule>>

type OptionName = keyof typeof RULES

/** The options of each method of the mirror. The options in `required` must be given. */
const METHODS = {
  backfill: { known: ['onProgress', 'organisation', 'restart', 'signal'], required: [] },
  changes: { known: ['after', 'organisation', 'follow', 'signal'], required: [] },
  drain: { known: ['signal'], required: [] },
  erase: { known: ['uuid', 'organisation'], required: ['uuid'] },
  replay: { known: ['consumer', 'uuid', 'after', 'organisation'], required: ['consumer'] },
  start: { known: ['signal'], required: [] },
  sweep: { known: ['organisation', 'acceptGone', 'signal'], required: [] },
  verify: { known: ['sample', 'organisation', 'onProgress', 'signal'], required: [] },
} satisfies Readonly<
  Record<string, { readonly known: readonly OptionName[]; readonly required: readonly OptionName[] }>
>

/**
 * Returns a copy of the options of a method of the mirror.
 *
 * @throws {@link ConfigurationError} if an option is unknown, missing or invalid. Nothing is read or changed then.
 */
export function methodOptions<T extends object>(method: keyof typeof METHODS, given: T): T {
  const owner = `mirror.${method}`
  const known: readonly OptionName[] = METHODS[method].known
  const required: readonly OptionName[] = METHODS[method].required
  const own = ownOptions(owner, given, new Set<string>(known))
  for (const name of known) {
    const value: unknown = Reflect.get(own, name)
    const { isValid, text } = RULES[name]
    if (value === undefined ? required.includes(name) : !isValid(value))
      throw new ConfigurationError(`${owner}: ${name} must be ${text}`)
  }
  return own
}

function isInteger(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}

/** Compares properties, because `instanceof` fails for a signal of another realm, such as a test runner's. */
function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'aborted') === 'boolean'
}
