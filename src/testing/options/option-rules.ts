import { isRecord } from '../../common/known-options.js'
import { CONNECTION_STATUSES, SORT_ORDERS } from '../../contract/enums.js'
import { ERROR_CODES, TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS, WEBHOOK_RESPONSE_MS } from '../../contract/limits.js'
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

type Values = ServerOptions & TokenOptions & OrdersOptions & DirectoryOptions

/**
 * Default, rule and changeability of each option. A running fake cannot change the options of the initial data,
 * environment, credentials and refreshes.
 */
export const OPTIONS: {
  readonly [Name in keyof Values]: readonly [standard: Values[Name], rule: ValueRule, fixed?: 'fixed']
} = {
  seed: [1, integer(0), 'fixed'],
  startTime: [undefined, time, 'fixed'],
  environment: ['staging', oneOf('staging', 'production'), 'fixed'],
  clientId: ['fake-client-id', text, 'fixed'],
  clientSecret: ['fake-client-secret', text, 'fixed'],
  signingSecret: ['fake-signing-secret', text, 'fixed'],
  accessTokenSeconds: [ACCESS_TOKEN_SECONDS, integer(1)],
  refreshTokenSeconds: [REFRESH_TOKEN_SECONDS, integer(1)],
  tokenErrorStatuses: [
    { 102: 401, 108: 400, 109: 400, 110: 401, 111: 400, 117: 401, 118: 401, 123: 401 },
    statuses(Object.keys(TOKEN_ERROR_CODES)),
  ],
  errorStatuses: [
    { PROVIDER_NOT_FOUND: 404, PROVIDER_NUMBER_IN_USE: 409 },
    statuses(Object.keys(ERROR_CODES)),
  ],
  unknownBodyFields: ['reject', oneOf('reject', 'ignore')],
  unknownQueryParameters: ['reject', oneOf('reject', 'ignore')],
  unknownVersion: ['reject', oneOf('reject', 'ignore')],
  maxBodyBytes: [8 * 1024 * 1024, integer(1)],
  compression: [true, boolean],
  orderLatencyMs: [0, integer(0)],
  listWrapper: ['keyed', oneOf('keyed', 'array', 'data')],
  extraFields: [false, boolean],
  unknownEnums: [false, boolean],
  documentUrlLifetimeMs: [15 * 60_000, integer(1)],
  deletedDocumentStatus: [410, oneOf(404, 410)],
  webhookUrl: [undefined, httpUrl, 'fixed'],
  sendWebhooks: [true, boolean],
  webhookTimeoutMs: [WEBHOOK_RESPONSE_MS, integer(1)],
  seedReferrals: [60, integer(0, 200_000), 'fixed'],
  createShape: ['documented', oneOf('documented', 'medicare-only', 'object-when-one')],
  createdStatus: ['CREATED', oneOf('CREATED', 'ISSUED')],
  orderOutcome: ['accepted', oneOf('accepted', 'pending-verification', 'billing-failed')],
  issueTiming: ['immediate', timing],
  reissueTiming: ['immediate', timing],
  verifyTiming: ['manual', timing],
  shortMedicareCardCode: ['INVALID_PAYLOAD', oneOf('INVALID_PAYLOAD', 'INVALID_MEDICARE_NUMBER')],
  medicareFieldName: ['medicare', oneOf('medicare', 'bulkBilled')],
  deletedReferrals: ['shown', oneOf('shown', 'gone')],
  repeatedResults: ['regenerate', oneOf('regenerate', 'reject')],
  reviewHold: [false, boolean],
  heldResults: ['shown', oneOf('shown', 'withheld')],
  resultListWrapper: ['keyed', oneOf('keyed', 'data')],
  resultSortDefault: ['asc', oneOf(...SORT_ORDERS)],
  undocumentedPayloads: ['as-documented', oneOf('as-documented', 'uuid-only')],
  deliveryPickUp: ['from-first-attempt', oneOf('from-first-attempt', 'whole-minutes')],
  pausedDeliveries: ['sent', oneOf('sent', 'dropped')],
  allowLoopbackWebhooks: [false, boolean],
  journalLimit: [1_000, integer(0, 1_000_000)],
  firstVersionTests: ['all', oneOf('blood-only', 'all')],
  bundleSortDefault: ['asc', oneOf(...SORT_ORDERS)],
  providerNumberCheck: ['stem', oneOf('length', 'stem', 'shape', 'check-character')],
  signatureOnCreate: ['optional', oneOf('optional', 'required')],
  signatureMaxBytes: [1_048_576, integer(1)],
  absentProviderDetails: ['empty', oneOf('empty', 'null')],
  activeRoutingStatuses: [['CONNECTED', 'STOP_REQUESTED'], listOf(CONNECTION_STATUSES)],
  restartedRoutingStatuses: [['ACTION_NEEDED', 'STOP_REQUESTED'], listOf(CONNECTION_STATUSES)],
  routingResponse: ['all', oneOf('all', 'named')],
  centreCount: [5_900, integer(0, 50_000), 'fixed'],
  retireAfterMissingWeeks: [3, integer(2)],
  centreRefresh: ['off', refresh, 'fixed'],
}

export const OPTION_RULES: Readonly<Record<keyof Values, ValueRule>> = column(([, rule]) => rule)

/** Returns one value of each row of the options. */
export function column<Value>(
  read: (row: readonly [unknown, ValueRule, string?]) => Value,
): Record<keyof Values, Value> {
  const entries = Object.entries(OPTIONS).map(([name, row]) => [name, read(row)])
  return Object.fromEntries(entries)
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
