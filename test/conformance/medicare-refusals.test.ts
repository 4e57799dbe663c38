import { afterAll, describe, expect, test } from 'vitest'
import { shareOf } from '../support/sample.js'
import { expectError, expectOk } from './support/check.js'
import { at, objects } from './support/json.js'
import { setUpMedicare } from './support/medicare.js'
import { type Body, cards, place, placed, providerNumber } from './support/samples.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const { listed, unlisted, unsigned, practitioner, medicare } = await setUpMedicare(service)
const [testA = '', testC = ''] = listed

const badCard = 'INVALID_MEDICARE_NUMBER'
const cardEither = ['INVALID_PAYLOAD', badCard]
const numberEither = ['INVALID_PAYLOAD', 'MISSING_PROVIDER_NUMBER', 'INVALID_PROVIDER_NUMBER']
const doctor = (changes: Body): Body => ({ orderingPractitioner: { ...practitioner, ...changes } })
const single: readonly (readonly [string, Body, string | readonly string[]])[] = [
  ['no card', { medicareCardNumber: undefined }, badCard],
  ['an invalid checksum', { medicareCardNumber: cards.badCheck }, badCard],
  ['a 10-digit card (rule 7, §7: no IRN)', { medicareCardNumber: cards.ten }, cardEither],
  ['a 10-digit card with an invalid checksum', { medicareCardNumber: cards.badCheckTen }, cardEither],
  ['a 9-digit card', { medicareCardNumber: cards.eleven.slice(0, 9) }, cardEither],
  ['a 12-digit card', { medicareCardNumber: `${cards.eleven}1` }, cardEither],
  ['letters for a card', { medicareCardNumber: 'abcdefghijk' }, cardEither],
  ['an empty card', { medicareCardNumber: '' }, cardEither],
  ['card null', { medicareCardNumber: null }, cardEither],
  ['no doctor', { orderingPractitioner: undefined }, 'MISSING_PROVIDER_NUMBER'],
  ['doctor null', { orderingPractitioner: null }, ['MISSING_PROVIDER_NUMBER', 'INVALID_PAYLOAD']],
  ['doctor text', { orderingPractitioner: 'Dr Quill' }, 'INVALID_PAYLOAD'],
  ['an empty doctor', { orderingPractitioner: {} }, 'INVALID_PAYLOAD'],
  ['a doctor without name', doctor({ name: undefined }), 'INVALID_PAYLOAD'],
  ['a doctor without address', doctor({ address: undefined }), 'INVALID_PAYLOAD'],
  ['a doctor without number', doctor({ providerNumber: undefined }), numberEither],
  ['an empty number', doctor({ providerNumber: '' }), numberEither],
  ['a number that is a number', doctor({ providerNumber: 24266210 }), numberEither],
  ['a number not registered', doctor({ providerNumber: providerNumber(411777) }), 'INVALID_PROVIDER_NUMBER'],
  ['a number of 7 characters', doctor({ providerNumber: '242662B' }), 'INVALID_PROVIDER_NUMBER'],
  ['a number of 9 characters', doctor({ providerNumber: `${unsigned}X` }), 'INVALID_PROVIDER_NUMBER'],
  ['a number with special characters', doctor({ providerNumber: '!!!!!!!!' }), 'INVALID_PROVIDER_NUMBER'],
  ['a doctor without signature', doctor({ providerNumber: unsigned }), 'MISSING_PROVIDER_SIGNATURE'],
  ['a test that Medicare does not accept', { medicareTests: [unlisted[0]] }, 'INVALID_MEDICARE_TEST'],
  ['one such test among others', { medicareTests: [testA, unlisted[0]] }, 'INVALID_MEDICARE_TEST'],
  ['two such tests', { medicareTests: [unlisted[0], unlisted[1]] }, 'INVALID_MEDICARE_TEST'],
  [
    'an unknown Medicare test',
    { medicareTests: ['no-such-test'] },
    ['INVALID_PAYLOAD', 'INVALID_MEDICARE_TEST'],
  ],
  ['medicareTests text', { medicareTests: testA }, 'INVALID_PAYLOAD'],
  ['medicareTests with a number', { medicareTests: [1] }, 'INVALID_PAYLOAD'],
  ['an unknown bundle', { bundleId: 'no-such-bundle' }, 'INVALID_BUNDLE_ID'],
]

describe('§4.1 rules 5 to 7: one problem', () => {
  test.each(single)('%s', async (_what, changes, code) => {
    expectError(await place(service, { ...medicare, ...changes }), 400, code)
  })
  test.each(shareOf(single, 0, 4))('%s, next to commercial tests', async (_what, changes, code) => {
    expectError(await place(service, { ...medicare, tests: [testC], ...changes }), 400, code)
  })
  test.each(shareOf(unlisted, 0, 8))('rule 6: %s is not a Medicare test', async (id) => {
    expectError(await place(service, { ...medicare, medicareTests: [id] }), 400, 'INVALID_MEDICARE_TEST')
  })
  test.each(shareOf(unlisted, 0, 8))('%s can be ordered as a commercial test on v1.1.0', async (id) => {
    expect((await placed(service, { tests: [id] }))['tests']).toEqual([id])
  })
  test.each(shareOf(listed, 0, 8))('%s is a Medicare test', async (id) => {
    expect(objects(expectOk(await place(service, { ...medicare, medicareTests: [id] }))).length).toBe(1)
  })
})

const card = /medicareCardNumber/
const number = /orderingPractitioner|providerNumber/
const several: readonly (readonly [string, Body, readonly RegExp[]])[] = [
  [
    'neither card nor doctor',
    { medicareCardNumber: undefined, orderingPractitioner: undefined },
    [card, number],
  ],
  [
    'invalid card and no doctor',
    { medicareCardNumber: cards.badCheck, orderingPractitioner: undefined },
    [card, number],
  ],
  ['no card and no first name', { medicareCardNumber: undefined, firstName: undefined }, [card, /firstName/]],
  ['invalid card and invalid gender', { medicareCardNumber: cards.badCheck, gender: 'x' }, [card, /gender/]],
  ['no doctor and invalid dob', { orderingPractitioner: undefined, dob: 'x' }, [number, /dob/]],
  ['no doctor and no address', { orderingPractitioner: undefined, address: undefined }, [number, /address/]],
  ['short card and no email', { medicareCardNumber: cards.ten, email: undefined }, [card, /email/]],
  [
    'all of them',
    { medicareCardNumber: undefined, orderingPractitioner: undefined, phone: 5, lastName: null },
    [card, number, /phone/, /lastName/],
  ],
  [
    'no card and a doctor without name',
    { medicareCardNumber: undefined, ...doctor({ name: undefined }) },
    [card, /name/],
  ],
  [
    'no card and an unregistered doctor',
    { medicareCardNumber: undefined, ...doctor({ providerNumber: providerNumber(411777) }) },
    [card, number],
  ],
  [
    'an invalid card and a doctor without a signature',
    { medicareCardNumber: cards.badCheck, ...doctor({ providerNumber: unsigned }) },
    [card, number],
  ],
  [
    'no doctor and a test not for Medicare',
    { orderingPractitioner: undefined, medicareTests: [unlisted[0]] },
    [number, /medicareTests/],
  ],
  [
    'no card and an unknown test',
    { medicareCardNumber: undefined, tests: ['no-such-test'] },
    [card, /tests/],
  ],
  [
    'no card and an unknown bundle',
    { medicareCardNumber: undefined, bundleId: 'no-such-bundle' },
    [card, /bundleId/],
  ],
]
describe('§4.1 rule 8: several problems are INVALID_PAYLOAD, each in errorList', () => {
  test.each(several)('%s', async (_what, changes, mentions) => {
    expectError(await place(service, { ...medicare, ...changes }), 400, 'INVALID_PAYLOAD', ...mentions)
  })
  test('a rejected order creates no referral', async () => {
    const newest = async (): Promise<unknown> =>
      at((await service.call('GET', '/v1/referrals?sort=desc&count=1')).body, 'referrals', 0, 'uuid')
    const before = await newest()
    await place(service, { ...medicare, tests: [testA], medicareCardNumber: cards.badCheck })
    expect(await newest()).toBe(before)
  })
})
