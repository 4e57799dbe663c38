import { CONNECTION_STATUSES, SORT_ORDERS } from '../../contract/enums.js'
import { ERROR_CODES, TOKEN_ERROR_CODES } from '../../contract/error-codes.js'
import { boolean, oneOf, text, type ValueRule, wholeNumber } from '../server/value-rules.js'
import type { FakeOptions } from './fake-options.js'

const time: ValueRule = {
  accepts: (value) =>
    (typeof value === 'string' || typeof value === 'number' || value instanceof Date) &&
    !Number.isNaN(new Date(value).getTime()),
  words: 'a time: milliseconds since the epoch, an ISO 8601 string or a Date',
}

const httpUrl: ValueRule = {
  accepts: (value) => typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value),
  words: 'an http or https URL',
}

const status = wholeNumber(400, 599)

const statuses = (codes: readonly string[]): ValueRule => ({
  accepts: (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([code, entry]) => codes.includes(code) && status.accepts(entry)),
  words: 'an object with statuses from 400 to 599 under error codes of the specification',
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
          ['firstAfterMs', 'everyMs'].includes(key) && (entry === undefined || wholeNumber(1).accepts(entry)),
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
      ['afterMs', 'afterReads'].some((key) => wholeNumber(0).accepts(Reflect.get(value, key)))),
  words: `'immediate', 'manual', { afterMs } or { afterReads }`,
}

/** What each option takes. */
export const OPTION_RULES: { readonly [Name in keyof FakeOptions]: ValueRule } = {
  seed: wholeNumber(0),
  startTime: time,
  environment: oneOf('staging', 'production'),
  clientId: text,
  clientSecret: text,
  signingSecret: text,
  accessTokenSeconds: wholeNumber(1),
  refreshTokenSeconds: wholeNumber(1),
  tokenErrorStatuses: statuses(Object.keys(TOKEN_ERROR_CODES)),
  errorStatuses: statuses(Object.keys(ERROR_CODES)),
  unknownBodyFields: oneOf('refuse', 'ignore'),
  unknownQueryParameters: oneOf('refuse', 'ignore'),
  unknownVersion: oneOf('refuse', 'ignore'),
  maxBodyBytes: wholeNumber(1),
  orderLatencyMs: wholeNumber(0),
  listWrapper: oneOf('keyed', 'array', 'data'),
  extraFields: boolean,
  unknownEnums: boolean,
  documentUrlLifetimeMs: wholeNumber(1),
  deletedDocumentStatus: oneOf(404, 410),
  webhookUrl: httpUrl,
  sendWebhooks: boolean,
  webhookTimeoutMs: wholeNumber(1),
  seedReferrals: wholeNumber(0, 200_000),
  createShape: oneOf('documented', 'medicare-only', 'object-when-one'),
  createdStatus: oneOf('CREATED', 'ISSUED'),
  orderOutcome: oneOf('accepted', 'pending-verification', 'billing-failed'),
  issueTiming: timing,
  reissueTiming: timing,
  verifyTiming: timing,
  shortMedicareCardCode: oneOf('INVALID_PAYLOAD', 'INVALID_MEDICARE_NUMBER'),
  medicareFieldName: oneOf('medicare', 'bulkBilled'),
  deletedReferrals: oneOf('shown', 'gone'),
  repeatedResults: oneOf('regenerate', 'refuse'),
  reviewHold: boolean,
  heldResults: oneOf('shown', 'withheld'),
  resultListWrapper: oneOf('keyed', 'data'),
  undocumentedPayloads: oneOf('as-documented', 'uuid-only'),
  deliveryPickUp: oneOf('from-first-attempt', 'whole-minutes'),
  allowLoopbackWebhooks: boolean,
  journalLimit: wholeNumber(0, 1_000_000),
  firstVersionTests: oneOf('blood-only', 'all'),
  bundleSortDefault: oneOf(...SORT_ORDERS),
  providerNumberCheck: oneOf('length', 'stem', 'shape', 'check-character'),
  signatureOnCreate: oneOf('optional', 'required'),
  signatureMaxBytes: wholeNumber(1),
  absentProviderDetails: oneOf('empty', 'null'),
  activeRoutingStatuses: listOf(CONNECTION_STATUSES),
  restartedRoutingStatuses: listOf(CONNECTION_STATUSES),
  routingAnswer: oneOf('all', 'named'),
  centreCount: wholeNumber(0, 50_000),
  retireAfterMissingWeeks: wholeNumber(1),
  centreRefresh: refresh,
}
