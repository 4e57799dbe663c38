import { UUID_PATTERN } from '../contract/identifiers.js'
import { isAbortSignal } from '../contract/realms.js'
import { BOOLEAN, checkedOptions, integer, numberAbove0, type Rule, required } from './core/option-rules.js'

const NAME: Rule = {
  isValid: (value) => typeof value === 'string' && value !== '',
  text: 'a string that is not empty',
}

const UUID: Rule = {
  isValid: (value) => typeof value === 'string' && UUID_PATTERN.test(value),
  text: 'a UUID',
}

const FUNCTION: Rule = { isValid: (value) => typeof value === 'function', text: 'a function' }

const SIGNAL: Rule = { isValid: isAbortSignal, text: 'an AbortSignal' }

const RECORD_KIND: Rule = {
  isValid: (value) => value === 'referral' || value === 'result',
  text: "'referral' or 'result'",
}

function degrees(most: number): Rule {
  return {
    isValid: (value) => typeof value === 'number' && Math.abs(value) <= most,
    text: `a number from -${most} to ${most}`,
  }
}

const METHODS = {
  backfill: { onProgress: FUNCTION, organisation: NAME, restart: BOOLEAN, signal: SIGNAL },
  'centres.nearest': {
    lat: required(degrees(90)),
    lng: required(degrees(180)),
    withinKm: required(numberAbove0(20_100)),
    limit: integer(1),
  },
  changes: { after: integer(0), organisation: NAME, follow: BOOLEAN, signal: SIGNAL },
  // `uuid` can be a key that is not a UUID, such as the name of a sweep.
  'dead.list': { limit: integer(1), uuid: NAME, kind: NAME },
  'dead.retry': { uuid: NAME, kind: NAME },
  'dead.skip': { position: required(integer(1)), consumer: NAME },
  'documents.bytes': { kind: required(RECORD_KIND), uuid: required(UUID), organisation: NAME },
  drain: { signal: SIGNAL },
  erase: { uuid: required(UUID), organisation: NAME },
  'referrals.at': { organisation: NAME },
  replay: { consumer: required(NAME), uuid: UUID, after: integer(0), organisation: NAME },
  'results.at': { organisation: NAME },
  start: { signal: SIGNAL },
  sweep: { organisation: NAME, acceptGone: BOOLEAN, signal: SIGNAL },
  verify: { sample: integer(1), organisation: NAME, onProgress: FUNCTION, signal: SIGNAL },
} satisfies Readonly<Record<string, Readonly<Record<string, Rule>>>>

/**
 * Returns a copy of the options of a method of the mirror.
 *
 * @throws {@link ConfigurationError} if an option is unknown, missing or invalid. Nothing is read or changed then.
 */
export function methodOptions<T extends object>(method: keyof typeof METHODS, given: T): T {
  return checkedOptions(`mirror.${method}`, given, METHODS[method])
}
