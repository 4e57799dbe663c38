import { afterAll, describe, expect, test } from 'vitest'
import { pairsOf } from '../support/sample.js'
import { expectError, expectOk, expectShape, faults, nothing, type Test } from './support/check.js'
import { at, type Json, type JsonObject, str, strings } from './support/json.js'
import { person, referral } from './support/objects.js'
import {
  address,
  type Body,
  order,
  patient,
  place,
  placed,
  recordsOf,
  referralOf,
  without,
} from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const catalogue = recordsOf((await service.call('GET', '/v1/tests')).body)
const listed = catalogue.filter((entry) => entry['medicareListed'] === true).map((entry) => str(entry['id']))
const [testA = '', testB = '', testC = ''] = listed
const sorted = (list: readonly string[]): string[] => [...list].sort()

const created = await service.call('POST', '/v1/referrals', {
  body: order({ tests: [testA, testB], metadata: { plan: 'gold', level: 3, nested: { a: [1, null] } } }),
})
const fresh: [string, Test][] = [
  ['deletedAt', nothing],
  ['resultsUuid', nothing],
  ['orderingPractitioner', nothing],
  ['medicareCardNumber', nothing],
  ['dvaNumber', nothing],
  ['orderingPractitionerClinicalNotes', nothing],
  ['routingMessage', nothing],
  ['productId', nothing],
  ['productName', nothing],
  ['medicare', (value) => value === false],
  ['origin', (value) => value === 'API'],
  ['status', (value) => value === 'CREATED' || value === 'ISSUED'],
  ['metadata', (value) => JSON.stringify(value) === '{"plan":"gold","level":3,"nested":{"a":[1,null]}}'],
]

describe('§4.1 a commercial order on the default version', () => {
  test('responds with 200 with one object', () => {
    expect(Array.isArray(expectOk(created))).toBe(false)
  })
  test('§2.4 each of its fields has its type', () => expectShape([created.body], referral))
  test('each of its fields has the value of a new order', () => {
    expectShape([created.body], Object.fromEntries(fresh))
  })
  test('§2.2 each field of its person has its type', () => expectShape([at(created.body, 'person')], person))
  test('its person has the values that were sent', () =>
    expect(at(created.body, 'person')).toMatchObject(patient))
  test('its tests are those that were sent', () => {
    expect(sorted(strings(at(created.body, 'tests')))).toEqual(sorted([testA, testB]))
  })
  test('it has an attachment exactly when it is ISSUED', () => {
    const isIssued = at(created.body, 'status') === 'ISSUED'
    expect(at(created.body, 'referralAttachment') !== null).toBe(isIssued)
  })
  test('GET gives the same referral', async () => {
    const now = await referralOf(service, str(at(created.body, 'uuid')))
    for (const name of ['uuid', 'person', 'tests', 'reference', 'referenceNumber', 'createdAt', 'metadata'])
      expect(now[name]).toEqual(at(created.body, name))
    expect(faults(now, referral)).toEqual([])
  })
  test('GET returns it ISSUED with a PDF in the end', async () => {
    const now = await referralOf(service, str(at(created.body, 'uuid')))
    expect(now['status']).toBe('ISSUED')
    expect(str(now['referralAttachment'])).toMatch(/^https?:\/\//)
  })
  test('it is the last record of the list', async () => {
    const answer = await service.call('GET', '/v1/referrals?sort=desc&count=1')
    expect(at(answer.body, 'referrals', 0, 'uuid')).toBe(at(created.body, 'uuid'))
  })
})

const VERSIONS = ['1.0.0', '1.1.0']
const ADDRESS_FIELDS = ['addressLine1', 'city', 'state', 'country']
const required = ['firstName', 'lastName', 'email', 'phone', 'address', 'dob', 'gender', 'referenceNumber']
const bad: readonly (readonly [string, Body, string | RegExp])[] = [
  ...pairsOf(
    ['firstName', 'lastName', 'email', 'phone', 'dob', 'gender', 'referenceNumber'],
    [12, null, ['a'], {}, true],
  ).map(({ one, other }) => [`${one} ${JSON.stringify(other)}`, { [one]: other }, one] as const),
  ...[
    '',
    '1984-2-9',
    '29/02/1984',
    '1984-02-30',
    '1985-02-29',
    '1984-13-01',
    '1984-00-10',
    '19840229',
    'yesterday',
    '1984-02-29T00:00:00Z',
    '84-02-29',
    ' 1984-02-29',
  ].map((dob) => [`dob '${dob}'`, { dob }, 'dob'] as const),
  ...['', 'Male', 'FEMALE', 'm', 'other', 'unknown'].map(
    (gender) => [`gender '${gender}'`, { gender }, 'gender'] as const,
  ),
  ...ADDRESS_FIELDS.map(
    (name) => [`address without ${name}`, { address: without(address, name) }, /address/] as const,
  ),
  ...pairsOf(ADDRESS_FIELDS, [5, null]).map(({ one, other }) => {
    return [`address.${one} ${other}`, { address: { ...address, [one]: other } }, new RegExp(one)] as const
  }),
  ['address text', { address: '12 Wattle Street' }, 'address'],
  ['address a list', { address: [] }, 'address'],
  ['address null', { address: null }, 'address'],
  ['address empty', { address: {} }, 'address'],
  ['address.postCode a number', { address: { ...address, postCode: 810 } }, 'postCode'],
  ['address.addressLine2 a number', { address: { ...address, addressLine2: 4 } }, 'addressLine2'],
  ['tests text', { tests: 'abc' }, 'tests'],
  ['tests an object', { tests: {} }, 'tests'],
  ['tests with a number', { tests: [1] }, 'tests'],
  ['tests with null', { tests: [null] }, 'tests'],
  ['an unknown test', { tests: ['no-such-test'] }, /no-such-test|tests/],
  ['an unknown test next to a known one', { tests: [testA, 'no-such-test'] }, /no-such-test|tests/],
  ['emailReferralToCustomer text', { emailReferralToCustomer: 'yes' }, 'emailReferralToCustomer'],
  ['emailReferralToCustomer a number', { emailReferralToCustomer: 1 }, 'emailReferralToCustomer'],
  ['metadata text', { metadata: 'a' }, 'metadata'],
  ['metadata a list', { metadata: [1] }, 'metadata'],
  ['metadata a number', { metadata: 1 }, 'metadata'],
  ['dvaNumber a number', { dvaNumber: 1 }, 'dvaNumber'],
  ['clinicalNotes a number', { clinicalNotes: 1 }, 'clinicalNotes'],
  ['medicareCardNumber a number', { medicareCardNumber: 2428778132 }, 'medicareCardNumber'],
]

describe('§4.1 rejects with INVALID_PAYLOAD, on either version', () => {
  test.each(pairsOf(required, VERSIONS))(
    'an order without $one, v$other',
    async ({ one: name, other: version }) => {
      const answer = await service.call('POST', '/v1/referrals', {
        body: without(order({ tests: [testA] }), name),
        version,
      })
      expectError(answer, 400, 'INVALID_PAYLOAD', name)
    },
  )
  test.each(pairsOf(bad, VERSIONS))(
    '$one.0, v$other',
    async ({ one: [, changes, mention], other: version }) => {
      const codes =
        'medicareCardNumber' in changes ? ['INVALID_PAYLOAD', 'INVALID_MEDICARE_NUMBER'] : 'INVALID_PAYLOAD'
      expectError(await place(service, { tests: [testA], ...changes }, version), 400, codes, mention)
    },
  )
})

describe.each(VERSIONS)('§4.1 v%s rejects with INVALID_PAYLOAD', (version) => {
  test('an empty body, and the error names every required field', async () => {
    const answer = await service.call('POST', '/v1/referrals', { body: {}, version })
    expectError(answer, 400, 'INVALID_PAYLOAD', ...required.map((name) => new RegExp(name)))
  })
  test('several problems at once, and the error names each', async () => {
    const answer = await place(
      service,
      { tests: [testA], dob: 'x', gender: 'x', address: {}, metadata: 'x' },
      version,
    )
    expectError(answer, 400, 'INVALID_PAYLOAD', /dob/, /gender/, /address/, /metadata/)
  })
  test.each([{}, { tests: [] }])('rule 1: neither tests nor bundle %j', async (changes) => {
    expectError(await place(service, changes, version), 400, 'INVALID_PAYLOAD', /tests/)
  })
  test('a rejected order creates no referral', async () => {
    const newest = async (): Promise<Json | undefined> =>
      at((await service.call('GET', '/v1/referrals?sort=desc&count=1')).body, 'referrals', 0, 'uuid')
    const before = await newest()
    await place(service, { tests: [testA], dob: 'x' }, version)
    expect(await newest()).toBe(before)
  })
})

const good: readonly (readonly [string, Body, (made: JsonObject) => boolean])[] = [
  [
    'no addressLine2',
    { address: without(address, 'addressLine2') },
    (made) => at(made, 'person', 'address', 'city') === 'Darwin',
  ],
  [
    'addressLine2 null',
    { address: { ...address, addressLine2: null } },
    (made) => at(made, 'person', 'address', 'addressLine2') === null,
  ],
  [
    'no postCode',
    { address: without(address, 'postCode') },
    (made) => at(made, 'person', 'address', 'city') === 'Darwin',
  ],
  ['a postCode with a leading zero', {}, (made) => at(made, 'person', 'address', 'postCode') === '0810'],
  ['gender male', { gender: 'male' }, (made) => at(made, 'person', 'gender') === 'male'],
  [
    'emailReferralToCustomer false',
    { emailReferralToCustomer: false },
    (made) => made['emailSentAt'] === null,
  ],
  [
    'emailReferralToCustomer true',
    { emailReferralToCustomer: true },
    (made) => made['object'] === 'referral',
  ],
  ['metadata empty', { metadata: {} }, (made) => made['object'] === 'referral'],
  [
    'metadata deep',
    { metadata: { a: { b: { c: ['d', 1, true, null] } } } },
    (made) => JSON.stringify(made['metadata']) === '{"a":{"b":{"c":["d",1,true,null]}}}',
  ],
  [
    'letters of other scripts',
    { firstName: '明美', lastName: 'Müller-Ñandú' },
    (made) => at(made, 'person', 'firstName') === '明美',
  ],
  [
    'one test twice',
    { tests: [testA, testA] },
    (made) => JSON.stringify(made['tests']) === JSON.stringify([testA]),
  ],
  ['three tests', { tests: [testC, testA, testB, testA] }, (made) => strings(made['tests']).length === 3],
  ['a reference used before', { referenceNumber: 'again' }, (made) => made['referenceNumber'] === 'again'],
  ['the same reference again', { referenceNumber: 'again' }, (made) => made['referenceNumber'] === 'again'],
  ['a leap day', { dob: '2000-02-29' }, (made) => at(made, 'person', 'dob') === '2000-02-29'],
]

describe('§4.1 accepts, on either version', () => {
  test.each(pairsOf(good, VERSIONS))(
    '$one.0, v$other',
    async ({ one: [, changes, suits], other: version }) => {
      const made = await placed(service, { tests: [testA], ...changes }, version)
      expect(suits(made), JSON.stringify(made)).toBe(true)
      expect(faults(made, referral)).toEqual([])
    },
  )
  test.each(VERSIONS)('v%s gives every referral its own uuid and 8-digit reference', async (version) => {
    const made = await Promise.all([1, 2, 3, 4].map(() => placed(service, { tests: [testA] }, version)))
    expect(new Set(made.map((entry) => entry['uuid'])).size).toBe(4)
    expect(new Set(made.map((entry) => entry['reference'])).size).toBe(4)
  })
})
