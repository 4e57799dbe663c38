import { afterAll, describe, expect, it } from 'vitest'
import { pairsOf } from '../support/sample.js'
import { expectOk, expectShape, faults, nothing, type Test } from './support/check.js'
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
  it('responds with 200 with one object', () => {
    expect(Array.isArray(expectOk(created))).toBe(false)
  })
  it('§2.4 each of its fields has its type', () => expectShape([created.body], referral))
  it('each of its fields has the value of a new order', () => {
    expectShape([created.body], Object.fromEntries(fresh))
  })
  it('§2.2 each field of its person has its type', () => expectShape([at(created.body, 'person')], person))
  it('its person has the values that were sent', () =>
    expect(at(created.body, 'person')).toMatchObject(patient))
  it('its tests are those that were sent', () => {
    expect(sorted(strings(at(created.body, 'tests')))).toEqual(sorted([testA, testB]))
  })
  it('it has an attachment exactly when it is ISSUED', () => {
    const isIssued = at(created.body, 'status') === 'ISSUED'
    expect(at(created.body, 'referralAttachment') !== null).toBe(isIssued)
  })
  it('GET gives the same referral', async () => {
    const now = await referralOf(service, str(at(created.body, 'uuid')))
    for (const name of ['uuid', 'person', 'tests', 'reference', 'referenceNumber', 'createdAt', 'metadata'])
      expect(now[name]).toEqual(at(created.body, name))
    expect(faults(now, referral)).toEqual([])
  })
  it('GET returns it ISSUED with a PDF in the end', async () => {
    const now = await referralOf(service, str(at(created.body, 'uuid')))
    expect(now['status']).toBe('ISSUED')
    expect(str(now['referralAttachment'])).toMatch(/^https?:\/\//)
  })
  it('it is the last record of the list', async () => {
    const answer = await service.call('GET', '/v1/referrals?sort=desc&count=1')
    expect(at(answer.body, 'referrals', 0, 'uuid')).toBe(at(created.body, 'uuid'))
  })
})

const VERSIONS = ['1.0.0', '1.1.0']
describe.each(VERSIONS)('§4.1 v%s', (version) => {
  it('a rejected order creates no referral', async () => {
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
  it.each(pairsOf(good, VERSIONS))('$one.0, v$other', async ({ one: [, changes, suits], other: version }) => {
    const made = await placed(service, { tests: [testA], ...changes }, version)
    expect(suits(made), JSON.stringify(made)).toBe(true)
    expect(faults(made, referral)).toEqual([])
  })
  it.each(VERSIONS)('v%s gives every referral its own uuid and 8-digit reference', async (version) => {
    const made = await Promise.all([1, 2, 3, 4].map(() => placed(service, { tests: [testA] }, version)))
    expect(new Set(made.map((entry) => entry['uuid'])).size).toBe(4)
    expect(new Set(made.map((entry) => entry['reference'])).size).toBe(4)
  })
})
