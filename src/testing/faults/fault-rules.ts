import { isRecord } from '../../common/known-options.js'
import { boolean, integer, oneOf, text, type ValueRule } from '../server/value-rules.js'
import type { Fault, FaultWhen } from './fault.js'

const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const headerValue = (value: unknown): boolean => typeof value === 'string' && HEADER_TEXT.test(value)

const fields = (value: unknown): [name: string, value: unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

export const FAULT_RULES: { readonly [Field in keyof Required<Fault>]: ValueRule } = {
  // A `Response` cannot have any other status, so `fake.fetch` could not return it.
  status: integer(200, 599),
  body: { accepts: isJson, words: 'a JSON value' },
  code: text,
  headers: {
    accepts: (value) =>
      isRecord(value) && fields(value).every(([name, entry]) => HEADER_NAME.test(name) && headerValue(entry)),
    words: 'an object of valid header names and values',
  },
  retryAfter: {
    accepts: (value) => (typeof value === 'number' && !Number.isNaN(value)) || headerValue(value),
    words: 'a number of seconds or a header value',
  },
  latencyMs: integer(0),
  reset: oneOf('before', 'mid-body'),
  truncate: boolean,
  malformed: oneOf('http', 'json'),
  stall: oneOf('headers', 'body'),
  drip: {
    accepts: (value) => {
      const parts = new Map(fields(value))
      return (
        parts.size === 2 && integer(1).accepts(parts.get('bytes')) && integer(0).accepts(parts.get('everyMs'))
      )
    },
    words: 'an object with the integers bytes (at least 1) and everyMs',
  },
  loseResponse: boolean,
}

/** Rules of the fields that select requests. */
export const WHEN_RULES: { readonly [Field in keyof Required<FaultWhen>]: ValueRule } = {
  times: {
    accepts: (value) => value === Number.POSITIVE_INFINITY || integer(1).accepts(value),
    words: 'an integer of at least 1, or Infinity (null in the control API)',
  },
  nth: integer(1),
  probability: {
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    words: 'a number from 0 to 1',
  },
}

/**
 * Checks that a fault with `body` or `code` also has `status`. Without `status`, `body` and `code` have no effect.
 *
 * @throws RangeError - `body` or `code` is given without `status`.
 */
export function checkResponseFields(fault: Fault): void {
  for (const name of ['body', 'code'] as const) {
    if (fault[name] !== undefined && fault.status === undefined)
      throw new RangeError(`fault: ${name} needs status: without status, ${name} has no effect`)
  }
}
