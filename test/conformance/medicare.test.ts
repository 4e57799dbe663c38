import { afterAll, describe, expect, it } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk, faults, nothing, type Test } from './support/check.js'
import { at, first, type JsonObject, objects, str, strings } from './support/json.js'
import { setUpMedicare } from './support/medicare.js'
import { referral } from './support/objects.js'
import { cards, place, placed, recordsOf, referralOf, until, wholeList } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { listed, unlisted, practitioner, medicare } = await setUpMedicare(service)
const [testA = '', testB = '', testC = ''] = listed
const bundle = first(await wholeList(service, '/v1/bundles'))
const bundleId = str(bundle['id'])
const bundleTests = recordsOf(bundle['tests'] ?? null).map((entry) => str(entry['id']))

const more = { ...medicare, dvaNumber: 'NX123456', clinicalNotes: 'Fasting; tired.' }
const sorted = (list: readonly string[]): string[] => [...list].sort()

const two = objects(expectOk(await place(service, { ...more, tests: [testC, testA], metadata: { a: 1 } })))
const commercialOf = (pair: readonly JsonObject[]): JsonObject =>
  first(pair.filter((entry) => entry['medicare'] === false))
const medicareOf = (pair: readonly JsonObject[]): JsonObject =>
  first(pair.filter((entry) => entry['medicare'] === true))
const [commercial, underMedicare] = [commercialOf(two), medicareOf(two)]

describe('§4.1 rule 4: tests and medicareTests', () => {
  it('returns a list of two', () => expect(two.length).toBe(2))
  it.each([
    ['commercial', commercial],
    ['Medicare', underMedicare],
  ] as const)('the %s referral has the fields of §2.4', (_name, entry) => {
    expect(faults(entry, referral)).toEqual([])
  })
  it.each(['person', 'referenceNumber', 'metadata'])('both have the same %s', (name) => {
    expect(commercial[name]).toEqual(underMedicare[name])
    expect(commercial[name]).not.toBeNull()
  })
  it.each(['uuid', 'reference'])('each has its own %s', (name) => {
    expect(commercial[name]).not.toBe(underMedicare[name])
  })
  it('the commercial referral has tests, the Medicare referral has medicareTests', () => {
    expect(sorted(strings(commercial['tests']))).toEqual(sorted([testA, testC]))
    expect(sorted(strings(underMedicare['tests']))).toEqual(sorted([testA, testB]))
  })
  const fields: [string, unknown][] = [
    ['orderingPractitioner', practitioner],
    ['medicareCardNumber', cards.eleven],
    ['dvaNumber', more.dvaNumber],
    ['orderingPractitionerClinicalNotes', more.clinicalNotes],
  ]
  it.each(fields)('the Medicare referral has %s', (name, sent) => expect(underMedicare[name]).toEqual(sent))
  it.each([...fields.map(([name]) => name), 'routingMessage'])(
    '%s is null on the commercial referral',
    (name) => {
      expect(commercial[name]).toBeNull()
    },
  )
  it('rule 9: routingMessage is a sentence on the Medicare referral', () => {
    expect(str(underMedicare['routingMessage'])).toMatch(/\w+ \w+/)
  })
  it('routingMessage is null when either referral is read', async () => {
    for (const entry of two)
      expect((await referralOf(service, str(entry['uuid'])))['routingMessage']).toBeNull()
  })
  it('routingMessage is null in the list', async () => {
    const page = await service.call('GET', '/v1/referrals?sort=desc')
    for (const entry of objects(at(page.body, 'referrals'))) expect(entry['routingMessage']).toBeNull()
  })
  it('routingMessage is null on update and on delete', async () => {
    const made = medicareOf(objects((await place(service, medicare)).body))
    const path = `/v1/referrals/${str(made['uuid'])}`
    await until(
      () => referralOf(service, str(made['uuid'])),
      (now) => now['status'] === 'ISSUED',
    )
    const changed = await service.call('PATCH', path, { body: { firstName: 'Anna' } })
    expect(at(expectOk(changed), 'routingMessage')).toBeNull()
    expect(at(expectOk(await service.call('DELETE', path)), 'routingMessage')).toBeNull()
  })
  it.each(fields)('a read of the Medicare referral keeps %s', async (name, sent) => {
    expect((await referralOf(service, str(underMedicare['uuid'])))[name]).toEqual(sent)
  })
  it('both get a PDF', async () => {
    for (const entry of two)
      await until(
        () => referralOf(service, str(entry['uuid'])),
        (now) => now['referralAttachment'] !== null,
      )
  })
})

const alone: [string, Test][] = [
  ['medicare', (value) => value === true],
  ['bundleId', (value) => value === null || value === undefined],
  ['productId', nothing],
  ['productName', nothing],
  ['dvaNumber', nothing],
  ['orderingPractitionerClinicalNotes', nothing],
  ['status', (value) => value === 'CREATED' || value === 'ISSUED'],
]
describe('§4.1 rule 4: the forms of a Medicare order', async () => {
  const made = objects(expectOk(await place(service, medicare)))
  it('only medicareTests: a list of one referral', () => expect(made.length).toBe(1))
  it.each(alone)('its %s', (name, suits) => expect(suits(first(made)[name])).toBe(true))
  it('with a bundle: the commercial referral has the bundle', async () => {
    const pair = objects(expectOk(await place(service, { ...medicare, bundleId })))
    expect(pair.length).toBe(2)
    expect(sorted(strings(commercialOf(pair)['tests']))).toEqual(sorted(bundleTests))
    expect(commercialOf(pair)['bundleId']).toBe(bundleId)
    expect(medicareOf(pair)['productId']).toBeNull()
  })
  it('with a bundle and tests', async () => {
    const pair = objects(expectOk(await place(service, { ...medicare, bundleId, tests: [testA, testA] })))
    expect(sorted(strings(commercialOf(pair)['tests']))).toEqual(
      sorted([...new Set([...bundleTests, testA])]),
    )
  })
  it('with the same id in both lists', async () => {
    const pair = objects(
      expectOk(await place(service, { ...medicare, tests: [testA], medicareTests: [testA] })),
    )
    expect(pair.map((entry) => entry['tests'])).toEqual([[testA], [testA]])
  })
  it('with an empty list of tests: only the Medicare referral', async () => {
    expect(objects(expectOk(await place(service, { ...medicare, tests: [] }))).length).toBe(1)
  })
  it('with a test twice in medicareTests', async () => {
    const [only] = objects(expectOk(await place(service, { ...medicare, medicareTests: [testA, testA] })))
    expect(only?.['tests']).toEqual([testA])
  })
  it('with a doctor who has no routing', async () => {
    expect(objects(expectOk(await place(service, medicare)))[0]?.['medicare']).toBe(true)
  })
  it('without an email', async () => {
    for (const entry of objects(
      expectOk(await place(service, { ...medicare, tests: [testA], emailReferralToCustomer: false })),
    ))
      expect((await referralOf(service, str(entry['uuid'])))['emailSentAt']).toBeNull()
  })
  it.each([cards.eleven, cards.another, '29518731251', '61405230931'])(
    'with card %s',
    async (medicareCardNumber) => {
      expectOk(await place(service, { ...medicare, medicareCardNumber }))
    },
  )
})

describe('§4.1 rule 6: tests that Medicare accepts', () => {
  it.each(shareOf(unlisted, 0, 8))('%s is not a Medicare test, but can be ordered', async (id) => {
    expectError(await place(service, { ...medicare, medicareTests: [id] }), 400, 'INVALID_MEDICARE_TEST')
    expect((await placed(service, { tests: [id] }))['tests']).toEqual([id])
  })
  it.each(shareOf(listed, 0, 8))('%s is a Medicare test', async (id) => {
    expect(objects(expectOk(await place(service, { ...medicare, medicareTests: [id] }))).length).toBe(1)
  })
})
