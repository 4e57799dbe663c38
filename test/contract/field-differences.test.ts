import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type FieldDifference, responseDifferences, typeName } from '../../src/contract/field-differences.js'
import { RESPONSE_SCHEMAS, type ResponseSchemaName } from '../../src/contract/schemas/index.js'
import { PRICE, provider, referral, result, webhook } from '../support/samples.js'

/** The patient as a laboratory recorded them. */
const LAB_PATIENT = {
  firstName: 'ADA',
  lastName: 'BYRON',
  dob: null,
  gender: 'F',
  email: null,
  phone: null,
  medicareNumber: null,
  address: null,
}

const text = ({ level, path, expected, seen }: FieldDifference): string =>
  `${level} ${path}: ${expected}, not ${seen}`

const of = (name: ResponseSchemaName, value: unknown): string[] => responseDifferences(name, value).map(text)

it.each<[ResponseSchemaName, unknown]>([
  ['Referral', referral()],
  ['PlacedReferrals', referral()],
  ['PlacedReferrals', [referral(), referral()]],
  ['Result', result()],
  ['Result', { ...result(), labPatient: { ...LAB_PATIENT, dob: '01/05/1980' } }],
  ['Webhook', webhook()],
  ['Price', PRICE],
])('a valid %s does not differ from the contract', (name, value) => {
  expect(of(name, value)).toEqual([])
})

it.each<[string, ResponseSchemaName, unknown, string[]]>([
  ['another type', 'Webhook', { ...webhook(), active: 'yes' }, ['contract active: boolean, not string']],
  ['null', 'Webhook', { ...webhook(), url: null }, ['contract url: string, not null']],
  ['a fraction', 'Price', { ...PRICE, subTotal: 1.5 }, ['contract subTotal: integer, not number']],
  [
    'an entry of a list',
    'Referral',
    { ...referral(), tests: ['a', 7] },
    ['contract tests[]: string, not integer'],
  ],
  [
    'an unknown status',
    'Referral',
    { ...referral(), status: 'LOST' },
    [expect.stringMatching(/^contract status: one of PENDING_VERIFICATION, .*, not another string$/)],
  ],
  [
    'another object name',
    'Webhook',
    { ...webhook(), object: 'hook' },
    ['contract object: webhook, not another string'],
  ],
  [
    'a new event name',
    'Webhook',
    { ...webhook(), events: ['a.b'] },
    [expect.stringMatching(/^addition events\[\]: /)],
  ],
  [
    'a UUID in another form',
    'Referral',
    { ...referral(), uuid: '7' },
    ['contract uuid: UUID, not another string'],
  ],
  [
    'a time in another form',
    'Webhook',
    { ...webhook(), createdAt: '1 May' },
    ['contract createdAt: ISO 8601 timestamp, not another string'],
  ],
  ...(
    [
      ['2026-03-02T09:00:00', 'a time without a zone'],
      ['2026-03-02T09:00', 'a time without a zone'],
      ['2026-03-02', 'a date'],
      ['2026-03-02T09:00:00 +10:00', 'another string'],
      ['2026-02-30T09:00:00Z', 'another string'],
    ] as const
  ).map(([updatedAt, seen]): [string, ResponseSchemaName, unknown, string[]] => [
    `the time ${updatedAt}`,
    'Webhook',
    { ...webhook(), updatedAt },
    [`contract updatedAt: ISO 8601 timestamp, not ${seen}`],
  ]),
  [
    'a nested date',
    'Referral',
    { ...referral(), person: { ...referral().person, dob: '1/5/1980' } },
    ['contract person.dob: date YYYY-MM-DD, not another string'],
  ],
  ['a new field', 'Webhook', { ...webhook(), retries: 3 }, ['addition retries: no such field, not integer']],
  [
    'a new field with an unusual name',
    'Webhook',
    { ...webhook(), 'Ada Byron': 1 },
    ['addition (a name that is not shown): no such field, not integer'],
  ],
  [
    'the older name of medicare',
    'Referral',
    { ...referral(), medicare: undefined, bulkBilled: true },
    ['reading medicare: boolean, not missing, with bulkBilled instead'],
  ],
  [
    'no medicare at all',
    'Referral',
    { ...referral(), medicare: undefined },
    ['contract medicare: boolean, not missing'],
  ],
  [
    'a field that must be there, even as null',
    'Referral',
    { ...referral(), dvaNumber: undefined },
    ['contract dvaNumber: string or null, not missing'],
  ],
  [
    'details of a provider',
    'Provider',
    { ...provider(), title: null, phone: '', email: '', signatureSignedAt: null, encodedSignature: null },
    ['reading title: string, not null'],
  ],
  ['a list in place of an object', 'Webhook', [], ['contract : object, not array']],
  ['nothing', 'Webhook', undefined, ['contract : object, not missing']],
])('the difference from the contract is named: %s', (_, name, value, expected) => {
  expect(of(name, value)).toEqual(expected)
})

it('differences from the contract never contain a value, whatever the response', () => {
  const canary = 'Zubenelgenubi'
  const names = Object.keys(RESPONSE_SCHEMAS) as ResponseSchemaName[]
  const leaf = fc.oneof(
    fc.constant(canary),
    fc.constant(` ${canary}@example.com`),
    fc.constant(null),
    fc.double(),
  )
  const fields = fc.constantFrom(
    'uuid',
    'status',
    'person',
    'tests',
    'createdAt',
    'metadata',
    'biomarkers',
    'object',
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fields, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(fc.constantFrom(...names), value, (name, response) => {
      expect(JSON.stringify(responseDifferences(name, response))).not.toContain(canary)
    }),
  )
})

it('differences from the contract name types as JSON does', () => {
  expect([undefined, null, [], {}, 1, 1.5, '', true].map(typeName)).toEqual([
    ...['missing', 'null', 'array', 'object', 'integer', 'number', 'string', 'boolean'],
  ])
})
