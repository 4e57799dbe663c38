import { boolean, oneOf, text, type ValueRule, wholeNumber } from '../server/value-rules.js'
import type { Fault, FaultWhen } from './fault.js'

const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const headerValue = (value: unknown): boolean => typeof value === 'string' && HEADER_TEXT.test(value)

const fields = (value: unknown): [name: string, value: unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

/** What each part of a fault must be. */
export const FAULT_RULES: { readonly [Field in keyof Required<Fault>]: ValueRule } = {
  status: wholeNumber(200, 999),
  body: { accepts: () => true, words: 'anything that JSON can say' },
  code: text,
  headers: {
    accepts: (value) =>
      typeof value === 'object' &&
      fields(value).every(([name, entry]) => HEADER_NAME.test(name) && headerValue(entry)),
    words: 'an object with the values of headers',
  },
  retryAfter: {
    accepts: (value) => (typeof value === 'number' && !Number.isNaN(value)) || headerValue(value),
    words: 'a number of seconds, or the text of a header',
  },
  latencyMs: wholeNumber(0),
  reset: oneOf('before', 'mid-body'),
  truncate: boolean,
  malformed: oneOf('http', 'json'),
  stall: oneOf('headers', 'body'),
  drip: {
    accepts: (value) => {
      const parts = new Map(fields(value))
      return (
        parts.size === 2 &&
        wholeNumber(1).accepts(parts.get('bytes')) &&
        wholeNumber(0).accepts(parts.get('everyMs'))
      )
    },
    words: 'an object with whole numbers bytes, from 1 up, and everyMs',
  },
  loseAnswer: boolean,
}

/** What each part of the choice of requests must be. */
export const WHEN_RULES: { readonly [Field in keyof Required<FaultWhen>]: ValueRule } = {
  times: {
    accepts: (value) => value === Number.POSITIVE_INFINITY || wholeNumber(1).accepts(value),
    words: 'a whole number from 1 up, or Infinity',
  },
  nth: wholeNumber(1),
  probability: {
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    words: 'a number from 0 to 1',
  },
}

/**
 * Checks the parts of a fault, or of the choice of requests.
 *
 * @throws RangeError - A part is unknown, or not what it must be.
 */
export function checkParts(parts: object, rules: Readonly<Record<string, ValueRule>>): void {
  for (const [name, value] of Object.entries(parts)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined)
      throw new RangeError(`fault: ${name} is not one of ${Object.keys(rules).join(', ')}`)
    if (value !== undefined && !rule.accepts(value))
      throw new RangeError(`fault: ${name} must be ${rule.words}`)
  }
}
