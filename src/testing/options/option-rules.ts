import { isRecord } from '../../common/known-options.js'
import { CONNECTION_STATUSES, SORT_ORDERS } from '../../contract/enums.js'
import { ERROR_CODES, TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import { isDate } from '../../contract/realms.js'
import { similarName } from '../../contract/similar.js'
import { isTimestamp, parseTime } from '../../contract/times.js'
import type { TokenOptions } from '../auth/access-tokens.js'
import type { ServerOptions } from '../server/options.js'
import { boolean, integer, oneOf, text, type ValueRule } from '../server/value-rules.js'
import type { DirectoryOptions } from './directory-options.js'
import type { OrdersOptions } from './orders-options.js'

/**
 * Returns a time in milliseconds since the epoch. Returns `NaN` for a text that is not ISO 8601, for a time outside the
 * years 0 to 9999, and for a value that is not a string, a number or a Date. A text without an offset is in UTC, so
 * that it is the same time on every machine.
 */
export function timeOf(value: unknown): number {
  if (typeof value === 'string') return isTimestamp(value) ? parseTime(value) : Number.NaN
  const time = typeof value === 'number' || isDate(value) ? new Date(value) : undefined
  const year = time?.getUTCFullYear() ?? Number.NaN
  return time !== undefined && year >= 0 && year <= 9999 ? time.getTime() : Number.NaN
}

const time: ValueRule = {
  accepts: (value) => !Number.isNaN(timeOf(value)),
  words: 'a time: milliseconds since the epoch, an ISO 8601 string or a Date',
}

const httpUrl: ValueRule = {
  accepts: (value) => typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value),
  words: 'an https URL with a public host, or an http or https URL with a loopback host',
}

const status = integer(400, 599)

const statuses = (codes: readonly string[]): ValueRule => ({
  accepts: (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([code, entry]) => codes.includes(code) && status.accepts(entry)),
  words: 'an object whose keys are error codes and whose values are HTTP statuses from 400 to 599',
})

const listOf = (values: readonly string[]): ValueRule => ({
  accepts: (value) => Array.isArray(value) && value.every((entry) => values.includes(entry)),
  words: `a list with any of ${values.join(', ')}`,
})

const refresh: ValueRule = {
  accepts: (value) =>
    value === 'off' ||
    value === 'weekly' ||
    (typeof value === 'object' &&
      value !== null &&
      Object.entries(value).every(
        ([key, entry]) =>
          ['firstAfterMs', 'everyMs'].includes(key) && (entry === undefined || integer(1).accepts(entry)),
      )),
  words: `'off', 'weekly' or { firstAfterMs, everyMs }`,
}

const timing: ValueRule = {
  accepts: (value) =>
    value === 'immediate' ||
    value === 'manual' ||
    (typeof value === 'object' &&
      value !== null &&
      Object.keys(value).length === 1 &&
      ['afterMs', 'afterReads'].some((key) => integer(0).accepts(Reflect.get(value, key)))),
  words: `'immediate', 'manual', { afterMs } or { afterReads }`,
}

type OptionName = keyof (ServerOptions & TokenOptions & OrdersOptions & DirectoryOptions)

/** The rule of each option's value. */
export const OPTION_RULES: { readonly [Name in OptionName]: ValueRule } = {
  seed: integer(0),
  startTime: time,
  environment: oneOf('staging', 'production'),
  clientId: text,
  clientSecret: text,
  signingSecret: text,
  accessTokenSeconds: integer(1),
  refreshTokenSeconds: integer(1),
  tokenErrorStatuses: statuses(Object.keys(TOKEN_ERROR_CODES)),
  errorStatuses: statuses(Object.keys(ERROR_CODES)),
  unknownBodyFields: oneOf('reject', 'ignore'),
  unknownQueryParameters: oneOf('reject', 'ignore'),
  unknownVersion: oneOf('reject', 'ignore'),
  maxBodyBytes: integer(1),
  compression: boolean,
  orderLatencyMs: integer(0),
  listWrapper: oneOf('keyed', 'array', 'data'),
  extraFields: boolean,
  unknownEnums: boolean,
  documentUrlLifetimeMs: integer(1),
  deletedDocumentStatus: oneOf(404, 410),
  webhookUrl: httpUrl,
  sendWebhooks: boolean,
  webhookTimeoutMs: integer(1),
  seedReferrals: integer(0, 200_000),
  createShape: oneOf('documented', 'medicare-only', 'object-when-one'),
  createdStatus: oneOf('CREATED', 'ISSUED'),
  orderOutcome: oneOf('accepted', 'pending-verification', 'billing-failed'),
  issueTiming: timing,
  reissueTiming: timing,
  verifyTiming: timing,
  shortMedicareCardCode: oneOf('INVALID_PAYLOAD', 'INVALID_MEDICARE_NUMBER'),
  medicareFieldName: oneOf('medicare', 'bulkBilled'),
  deletedReferrals: oneOf('shown', 'gone'),
  repeatedResults: oneOf('regenerate', 'reject'),
  reviewHold: boolean,
  heldResults: oneOf('shown', 'withheld'),
  resultListWrapper: oneOf('keyed', 'data'),
  resultSortDefault: oneOf(...SORT_ORDERS),
  undocumentedPayloads: oneOf('as-documented', 'uuid-only'),
  deliveryPickUp: oneOf('from-first-attempt', 'whole-minutes'),
  pausedDeliveries: oneOf('sent', 'dropped'),
  allowLoopbackWebhooks: boolean,
  journalLimit: integer(0, 1_000_000),
  firstVersionTests: oneOf('blood-only', 'all'),
  bundleSortDefault: oneOf(...SORT_ORDERS),
  providerNumberCheck: oneOf('length', 'stem', 'shape', 'check-character'),
  signatureOnCreate: oneOf('optional', 'required'),
  signatureMaxBytes: integer(1),
  absentProviderDetails: oneOf('empty', 'null'),
  activeRoutingStatuses: listOf(CONNECTION_STATUSES),
  restartedRoutingStatuses: listOf(CONNECTION_STATUSES),
  routingResponse: oneOf('all', 'named'),
  centreCount: integer(0, 50_000),
  retireAfterMissingWeeks: integer(2),
  centreRefresh: refresh,
}

/**
 * Checks options against the rules.
 *
 * @throws RangeError - The options are not an object or have problems. The message has a line for each problem.
 */
export function checkOptions(options: object): void {
  if (!isRecord(options)) throw new RangeError('the options of the fake must be an object')
  const problems = Object.entries(options).flatMap(([name, value]) => optionProblems(name, value))
  if (problems.length > 0) throw new RangeError(problems.join('\n'))
}

function optionProblems(name: string, value: unknown): string[] {
  const rule = new Map(Object.entries(OPTION_RULES)).get(name)
  if (rule === undefined) {
    const meant = similarName(name, Object.keys(OPTION_RULES))
    return [`the fake has no option '${name}'${meant === undefined ? '' : `; did you mean ${meant}?`}`]
  }
  return value === undefined || rule.accepts(value) ? [] : [`option '${name}' must be ${rule.words}`]
}
