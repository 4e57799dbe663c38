import { ConfigurationError } from '../common/errors.js'
import { ownOptions } from '../common/known-options.js'
import { UUID_PATTERN } from '../contract/identifiers.js'
import { isAbortSignal } from '../contract/realms.js'

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
  kind: NAME,
  limit: { isValid: (value) => isInteger(value, 1), text: 'an integer of at least 1' },
  onProgress: { isValid: (value) => typeof value === 'function', text: 'a function' },
  organisation: NAME,
  position: { isValid: (value) => isInteger(value, 1), text: 'an integer of at least 1' },
  restart: BOOLEAN,
  sample: { isValid: (value) => isInteger(value, 1), text: 'an integer of at least 1' },
  signal: { isValid: isAbortSignal, text: 'an AbortSignal' },
  uuid: { isValid: (value) => typeof value === 'string' && UUID_PATTERN.test(value), text: 'a UUID' },
} satisfies Readonly<Record<string, Rule>>

type OptionName = keyof typeof RULES

const RECORD_KIND: Rule = {
  isValid: (value) => value === 'referral' || value === 'result',
  text: "'referral' or 'result'",
}

interface Method {
  readonly known: readonly OptionName[]
  /** Options that must be given. */
  readonly required: readonly OptionName[]
  /** Rules of this method that replace those in `RULES`. */
  readonly rules?: Readonly<Partial<Record<OptionName, Rule>>>
}

/** The options of the mirror's methods. `centres.nearest` checks its own options. */
const METHODS = {
  backfill: { known: ['onProgress', 'organisation', 'restart', 'signal'], required: [] },
  changes: { known: ['after', 'organisation', 'follow', 'signal'], required: [] },
  // `uuid` can be a key that is not a UUID, such as the name of a sweep.
  'dead.list': { known: ['limit', 'uuid', 'kind'], required: [], rules: { uuid: NAME } },
  'dead.retry': { known: ['uuid', 'kind'], required: [], rules: { uuid: NAME } },
  'dead.skip': { known: ['position', 'consumer'], required: ['position'] },
  'documents.bytes': {
    known: ['kind', 'uuid', 'organisation'],
    required: ['kind', 'uuid'],
    rules: { kind: RECORD_KIND },
  },
  drain: { known: ['signal'], required: [] },
  erase: { known: ['uuid', 'organisation'], required: ['uuid'] },
  'referrals.at': { known: ['organisation'], required: [] },
  replay: { known: ['consumer', 'uuid', 'after', 'organisation'], required: ['consumer'] },
  'results.at': { known: ['organisation'], required: [] },
  start: { known: ['signal'], required: [] },
  sweep: { known: ['organisation', 'acceptGone', 'signal'], required: [] },
  verify: { known: ['sample', 'organisation', 'onProgress', 'signal'], required: [] },
} satisfies Readonly<Record<string, Method>>

/**
 * Returns a copy of the options of a method of the mirror.
 *
 * @throws {@link ConfigurationError} if an option is unknown, missing or invalid. Nothing is read or changed then.
 */
export function methodOptions<T extends object>(method: keyof typeof METHODS, given: T): T {
  const owner = `mirror.${method}`
  const { known, required, rules = {} }: Method = METHODS[method]
  const own = ownOptions(owner, given, new Set<string>(known))
  for (const name of known) {
    const value: unknown = Reflect.get(own, name)
    const { isValid, text } = rules[name] ?? RULES[name]
    if (value === undefined ? required.includes(name) : !isValid(value))
      throw new ConfigurationError(`${owner}: ${name} must be ${text}`)
  }
  return own
}

function isInteger(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}

/** Checks a property, because `instanceof` fails for a signal of another realm, such as a test runner's. */
