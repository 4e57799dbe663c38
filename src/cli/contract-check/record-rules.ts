import { isFields } from '../../contract/check.js'
import { type FieldDifference, responseDifferences, typeName } from '../../contract/field-differences.js'
import type { ResponseSchemaName } from '../../contract/schemas/index.js'

type Fields = Readonly<Record<string, unknown>>

/** A rule of a record that its types do not show. */
interface RecordRule {
  readonly path: string
  readonly expected: string
  readonly holds: (record: Fields) => boolean
}

/** Fields that only Medicare referrals have. */
const MEDICARE_FIELDS = [
  'orderingPractitioner',
  'medicareCardNumber',
  'dvaNumber',
  'orderingPractitionerClinicalNotes',
]

/** Statuses that the interface names as examples of referrals without a PDF. */
const WITHOUT_PDF: readonly unknown[] = ['CREATED', 'SCHEDULED_REISSUE']
/** Statuses of referrals that have a result. */
const WITH_RESULT: readonly unknown[] = ['PARTIAL_RESULTS', 'COMPLETE']

const isNone = (value: unknown): boolean => value === null || value === undefined

const REFERRAL_RULES: readonly RecordRule[] = [
  {
    path: 'referralAttachment',
    expected: 'null without a PDF and after deletion',
    holds: ({ status, deletedAt, referralAttachment }) =>
      (!WITHOUT_PDF.includes(status) && isNone(deletedAt)) || isNone(referralAttachment),
  },
  {
    path: 'resultsUuid',
    expected: 'UUID in PARTIAL_RESULTS and COMPLETE',
    holds: ({ status, resultsUuid }) => !WITH_RESULT.includes(status) || !isNone(resultsUuid),
  },
  {
    path: 'reference',
    expected: 'eight digits',
    holds: ({ reference }) => typeof reference !== 'string' || /^\d{8}$/.test(reference),
  },
  ...MEDICARE_FIELDS.map(
    (path): RecordRule => ({
      path,
      expected: 'null unless ordered under Medicare',
      holds: (record) => record['medicare'] !== false || isNone(record[path]),
    }),
  ),
]

/** Rules by the schema of the record. */
const RULES: Readonly<Partial<Record<ResponseSchemaName, readonly RecordRule[]>>> = {
  Referral: REFERRAL_RULES,
  Result: ['referralUuid', 'referenceNumber'].map((path) => ({
    path,
    expected: 'null when INCOMING',
    holds: (record) => record['provenance'] !== 'INCOMING' || isNone(record[path]),
  })),
  Test: [
    {
      path: 'priceCents',
      expected: 'price in cents',
      holds: ({ price, priceCents }) =>
        typeof price !== 'number' || Math.round(price * 100) === Number(priceCents),
    },
  ],
  Provider: [
    {
      path: 'encodedSignature',
      expected: 'data URI of a PNG',
      holds: ({ hasSignature, encodedSignature }) =>
        hasSignature !== true ||
        isNone(encodedSignature) ||
        /^data:image\/png;base64,/.test(String(encodedSignature)),
    },
  ],
}

/** Compares a record with its schema and its rules. */
export function recordDifferences(name: ResponseSchemaName, record: unknown): FieldDifference[] {
  const found = responseDifferences(name, record)
  if (!isFields(record)) return found
  const differing = new Set(found.filter(({ level }) => level === 'contract').map(({ path }) => path))
  const broken = (RULES[name] ?? []).filter(({ path, holds }) => !differing.has(path) && !holds(record))
  return [
    ...found,
    ...broken.map(({ path, expected }): FieldDifference => {
      const type = typeName(record[path])
      return { level: 'contract', path, expected, seen: type === 'string' ? 'another string' : type }
    }),
  ]
}

/** Returns a difference if a record has a routing message. Only the response to an order may have one. */
export function routingMessageDifferences(record: Fields): FieldDifference[] {
  const { routingMessage } = record
  if (isNone(routingMessage)) return []
  return [{ level: 'contract', path: 'routingMessage', expected: 'null', seen: typeName(routingMessage) }]
}
