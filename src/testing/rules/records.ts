import { isFields } from '../../contract/check.js'
import { DAYS } from '../../contract/enums.js'
import type { RecordRule, ServiceRule } from './rule.js'

const isNone = (value: unknown): boolean => value === null || value === undefined

const REFERRAL: readonly RecordRule[] = [
  {
    schema: 'Referral',
    path: 'reference',
    expected: 'eight digits',
    holds: ({ reference }) => typeof reference !== 'string' || /^\d{8}$/.test(reference),
  },
  {
    schema: 'Referral',
    path: 'resultsUuid',
    expected: 'UUID in PARTIAL_RESULTS and COMPLETE',
    holds: ({ status, resultsUuid }) =>
      !['PARTIAL_RESULTS', 'COMPLETE'].includes(String(status)) || !isNone(resultsUuid),
  },
]

const REFERRAL_PDF: readonly RecordRule[] = [
  {
    schema: 'Referral',
    path: 'referralAttachment',
    expected: 'null without a PDF and after deletion',
    holds: ({ status, deletedAt, referralAttachment }) =>
      (!['CREATED', 'SCHEDULED_REISSUE'].includes(String(status)) && isNone(deletedAt)) ||
      isNone(referralAttachment),
  },
]

const COMMERCIAL_REFERRAL: readonly RecordRule[] = [
  ...['orderingPractitioner', 'medicareCardNumber', 'dvaNumber', 'orderingPractitionerClinicalNotes'],
].map((path) => ({
  schema: 'Referral',
  path,
  expected: 'null unless ordered under Medicare',
  holds: (record) => record['medicare'] !== false || isNone(record[path]),
}))

const INCOMING_RESULT: readonly RecordRule[] = ['referralUuid', 'referenceNumber'].map((path) => ({
  schema: 'Result',
  path,
  expected: 'null when INCOMING',
  holds: (record) => record['provenance'] !== 'INCOMING' || isNone(record[path]),
}))

const TEST_PRICE: readonly RecordRule[] = [
  {
    schema: 'Test',
    path: 'priceCents',
    expected: 'price in cents',
    holds: ({ price, priceCents }) =>
      typeof price !== 'number' || Math.round(price * 100) === Number(priceCents),
  },
]

const SIGNATURE: readonly RecordRule[] = [
  {
    schema: 'Provider',
    path: 'encodedSignature',
    expected: 'data URI of a PNG',
    holds: ({ hasSignature, encodedSignature }) =>
      hasSignature !== true ||
      isNone(encodedSignature) ||
      /^data:image\/png;base64,/.test(String(encodedSignature)),
  },
]

const daysOf = ({ openingHours }: Readonly<Record<string, unknown>>): readonly Record<string, unknown>[] =>
  Array.isArray(openingHours) ? openingHours.filter(isFields) : []

const periodsOf = ({ periods }: Readonly<Record<string, unknown>>): readonly Record<string, unknown>[] =>
  Array.isArray(periods) ? periods.filter(isFields) : []

/** Statuses of a day without periods. */
const CLOSED: readonly unknown[] = ['CLOSED', 'UNKNOWN']

const OPENING_HOURS: readonly RecordRule[] = [
  {
    schema: 'CollectionCentre',
    path: 'openingHours',
    expected: 'seven days, Monday first',
    holds: (centre) =>
      !Array.isArray(centre['openingHours']) ||
      daysOf(centre)
        .map(({ day }) => day)
        .join() === DAYS.join(),
  },
  {
    schema: 'CollectionCentre',
    path: 'openingHours[].periods',
    expected: 'periods exactly on an OPEN day',
    holds: (centre) =>
      daysOf(centre).every((day) => {
        const hasPeriods = periodsOf(day).length > 0
        return day['status'] === 'OPEN' ? hasPeriods : !(hasPeriods && CLOSED.includes(day['status']))
      }),
  },
  {
    schema: 'CollectionCentre',
    path: 'openingHours[].periods[].closes',
    expected: 'later than opens, and not later than the next period opens',
    holds: (centre) =>
      daysOf(centre).every((day) => {
        const times = periodsOf(day).flatMap(({ opens, closes }) => [String(opens), String(closes)])
        return times.every((time, index) => {
          const before = times[index - 1] ?? ''
          return index % 2 === 1 ? before < time : before <= time
        })
      }),
  },
]

/** §1, §2, §2.1, §2.2, §2.3, §2.4, §2.5, §2.6, §2.10, §2.11, §2.12, §2.13. */
export const RECORDS_RULES: readonly ServiceRule[] = [
  {
    section: '1',
    text: 'Referrals, results, bundles, provider records and webhooks belong to one organisation. Other organisations do not find them.',
    fake: 'A second organisation owns one initial order in eight, a bundle, a webhook and two provider numbers. No endpoint returns its records.',
    open: 'There is one set of credentials. You cannot log in as the other organisation.',
    tests: ['testing/domain/referrals', 'testing/domain/results', 'testing/domain/catalogue'],
  },
  {
    section: '2',
    text: 'Every returned record has an `object` field with its type. Times are ISO 8601.',
    fake: 'Tests compare every response with the schemas of the client.',
    tests: ['testing/domain/contract'],
  },
  {
    section: '2.1',
    text: 'An address has a line, a city, a state and a country. Other fields are optional.',
    fake: 'The error lists each missing field.',
    tests: ['testing/domain/referrals-create'],
  },
  {
    section: '2.2',
    text: "A patient's unknown fields are empty strings. An unknown date of birth is `null`.",
    fake: 'About one in five of the initial INCOMING results has such fields.',
    tests: ['testing/domain/results'],
  },
  {
    section: '2.3',
    text: 'An ordering practitioner has a name, an address and a provider number.',
    fake: 'An order whose practitioner lacks one of them is rejected.',
    tests: ['testing/domain/referrals-medicare'],
  },
  {
    section: '2.4',
    text: 'A referral has the documented fields. `reference` is a number of eight digits.',
    fake: 'Every endpoint returns every field, but `bundleId` only for an order with a bundle. References are unique.',
    tests: ['testing/domain/referrals-create'],
    records: REFERRAL,
  },
  {
    section: '2.4',
    text: 'The PDF has a signed URL that expires. Every read returns a new URL. There is no PDF before the referral is issued or after it is deleted.',
    fake: "Real PDFs on a separate origin, which rejects an `Authorization` header. URLs expire on the fake's clock.",
    open: 'If the clock is stopped, two reads return the same URL. The lifetime is not documented: `documentUrlLifetimeMs`. These statuses are not documented either: 403 for an expired URL or an invalid signature, `deletedDocumentStatus` for a deleted document, and 404 for any other missing document.',
    tests: ['testing/domain/documents', 'testing/domain/referrals-methods'],
    records: REFERRAL_PDF,
  },
  {
    section: '2.4',
    text: '`emailSentAt` is the time of the email to the patient.',
    fake: '`referrals.emails()` returns the emails. An order with `emailReferralToCustomer: false` does not cause an email.',
    open: 'The fake does not send emails.',
    tests: ['testing/domain/referrals-create', 'testing/domain/referrals-methods'],
  },
  {
    section: '2.4',
    text: '`medicare` marks a Medicare referral. An older description of the service names this field `bulkBilled`.',
    fake: '`medicareFieldName` selects the name.',
    tests: ['testing/domain/referrals-medicare'],
    records: COMMERCIAL_REFERRAL,
  },
  {
    section: '2.5',
    text: 'A result is ORDERED, INCOMING or (later) UPLOADED.',
    fake: 'ORDERED and INCOMING results exist from the start. `results.receiveIncoming()` creates more.',
    open: 'UPLOADED is not sent, as on the service.',
    tests: ['testing/domain/results'],
    records: INCOMING_RESULT,
  },
  {
    section: '2.5',
    text: "A result is the complete current state: patient, laboratory's patient, report, summary and biomarkers.",
    fake: 'One seed determines the generated values of a result. So a later message does not change earlier values, with three exceptions: a correction, a message with values that you set, and a message that replaces the earlier messages (`replace`).',
    tests: ['testing/domain/results', 'testing/domain/referrals-generate-results'],
  },
  {
    section: '2.5',
    text: 'Report text has one entry for each laboratory message, with line numbers. It is `null` on old results. Some results have only report text.',
    fake: 'The text is in the format PIT, with line numbers of three digits. Some initial results have report text and biomarkers, some have no report text, and some have only report text. `results.receiveIncoming({ reportOnly: true })` creates more of the last kind.',
    tests: ['testing/domain/results'],
  },
  {
    section: '2.6',
    text: 'A biomarker has a value, a unit, an interval, additional ranges and a canonical reading.',
    fake: "More than a hundred biomarkers, with laboratories' spellings of units, and some converted units.",
    open: 'Values of `canonical.status` other than `already-standard` are not documented. The fake has `converted` and `not-numeric`.',
    tests: ['testing/domain/results', 'testing/console/console.browser'],
  },
  {
    section: '2.6',
    text: 'Female hormones have ranges by cycle phase in `additionalRanges`. Some lipids have a target for patients with a high risk.',
    fake: "The fake returns both kinds of range, in the laboratory's unit and in the canonical unit.",
    tests: ['testing/domain/results'],
  },
  {
    section: '2.7',
    text: 'A test has its turnaround times, its price in dollars and in cents, and whether Medicare can pay for it. `biomarkers` is present only on request.',
    tests: ['testing/domain/catalogue'],
  },
  {
    section: '2.8',
    text: 'A biomarker of the catalogue has its category, its unit, and the canonical and the most common unit.',
    tests: ['testing/domain/catalogue'],
  },
  {
    section: '2.9',
    text: 'A bundle has its tests and a visibility: PUBLIC or PRIVATE.',
    tests: ['testing/domain/catalogue'],
  },
  {
    section: '2.10',
    text: 'A provider record can have a dated signature, and has at most one connection with each vendor.',
    fake: 'The image is returned as a data URI with the same bytes.',
    open: 'The value of a missing title, phone or email: `absentProviderDetails`.',
    tests: ['testing/domain/providers'],
    records: SIGNATURE,
  },
  {
    section: '2.11',
    text: 'A centre has a brand, a vendor, an address, coordinates, and opening hours for seven days or `null`.',
    fake: '5,900 generated centres in real towns, with breaks, 24:00, UNKNOWN days, and some without opening hours.',
    open: 'Brands, names and vendors are invented.',
    tests: ['testing/domain/centres-data'],
    records: OPENING_HOURS,
  },
  {
    section: '2.12',
    text: "A webhook's URL is stored in normalised form.",
    fake: 'The form follows the URL standard. Comparisons use the stored form.',
    tests: ['testing/domain/webhooks-url', 'testing/domain/webhooks'],
  },
  {
    section: '2.13',
    text: 'A calculated price is in cents. Its total is the price of the tests, minus discounts, plus fees and tax.',
    fake: "The fake uses the catalogue's prices, a bulk discount from five tests on, a fee and 10 % GST.",
    open: "The service's discounts and fees are not documented.",
    tests: ['testing/domain/prices', 'testing/domain/catalogue'],
    records: TEST_PRICE,
  },
  {
    section: '2.14',
    text: 'The cursor of a page has the opaque cursor of the next page, the applied size, and the number of records on this page.',
    tests: ['conformance/paging'],
  },
]
