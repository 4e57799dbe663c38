import { InvalidRequestError, type Order, PathologyClient, type ValidateOptions } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { medicareOrder, order as sampleOrder } from '../../support/samples.js'

const order = (): Order => ({ ...sampleOrder(), address: { ...sampleOrder().address, postCode: '7000' } })

const DAY_MS = 86_400_000
const dateIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
const { postCode: _postCode, ...ADDRESS } = sampleOrder().address
const at = (state: string, postCode: string | undefined, country = 'AU'): Partial<Order> => ({
  address: { ...ADDRESS, state, country, ...(postCode === undefined ? {} : { postCode }) },
})

async function problems(change: object, options: ValidateOptions): Promise<string[]> {
  const client = clientOf('http://127.0.0.1:9')
  const given = { ...order(), ...change }
  const error: unknown = await client.referrals.validate(given, options).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return []
  if (!(error instanceof InvalidRequestError)) throw error
  return error.issues.map(({ field, rule, userMessage }) => `${field} ${rule}: ${userMessage}`)
}

it('an order that is validated is returned unchanged, and nothing is sent (§4.1)', async () => {
  const given: unknown = { ...medicareOrder(), medicareCardNumber: '2123 45670 1/1' }
  expect(await clientOf('http://127.0.0.1:9').referrals.validate(given)).toBe(given)
})

it('an order that is validated is rejected with every problem and its field, as by create (§4.1)', async () => {
  const client = clientOf('http://127.0.0.1:9')
  const bad = { ...order(), dob: '1986-02-30', gender: 'unknown', tests: [7] } as unknown
  const checked = await rejection(client.referrals.validate(bad))
  const created = await rejection(client.referrals.create(bad as Order))
  expect(checked).toMatchObject({
    name: 'InvalidRequestError',
    message: expect.stringMatching(/^referrals\.validate: /),
    issues: (created as { issues: unknown }).issues,
  })
  expect(checked).toMatchObject({ issues: [{ field: 'dob' }, { field: 'gender' }, { field: 'tests[0]' }] })
})

it('an order is validated against its API version (§9)', async () => {
  const { referrals } = clientOf('http://127.0.0.1:9')
  const refused = await rejection(referrals.validate(medicareOrder(), { apiVersion: '1.0.0' }))
  expect(refused).toMatchObject({ name: 'InvalidRequestError' })
})

it.each([
  [{ dob: dateIn(3) }, 'dob future-date: Enter a date of birth that is not in the future'],
  [{ dob: '1899-12-31' }, 'dob early-date: Enter a date of birth that is not before 1900'],
  [at('WAA', '6000'), 'address.state unknown-state: Choose a State or territory of Australia'],
  [at('WA', '600'), 'address.postCode unknown-postcode: Check the postcode: it has four digits'],
  [at('WA', '0100'), 'address.postCode unknown-postcode: Check the postcode: it has four digits'],
  [
    at('WA', '3000', ' Australia '),
    'address.postCode postcode-and-state: Check the postcode and the State: they do not match',
  ],
  [{ tests: ['fbc', 'tsh', 'fbc '] }, 'tests[2] duplicate: Remove the test that is chosen twice'],
  [
    { ...medicareOrder(order()), tests: ['tsh'], medicareTests: ['tsh'] },
    'medicareTests[0] duplicate: Remove the Medicare test that is chosen twice',
  ],
])('validate with plausible rejects %j', async (change, problem) => {
  expect(await problems(change, { plausible: true })).toEqual([problem])
  expect(await problems(change, {})).toEqual([])
})

it.each<Partial<Order>>([
  { dob: dateIn(0) },
  { dob: '1900-01-01' },
  at('W.A.', '6000'),
  at('new south  wales', '2620'),
  at('ACT', '2620'),
  at('nt', '0800'),
  at('WA', '0872'),
  at('WA', undefined),
  at('Otago', '9016', 'NZ'),
  { tests: ['fbc'], medicareTests: [] },
])('validate with plausible accepts %j', async (change) => {
  expect(await problems(change, { plausible: true })).toEqual([])
})

it('validate with plausible reports broken rules and implausible values together', async () => {
  const change = { ...at('WAA', '6000'), gender: 'x', email: 'a' }
  const found = await problems(change, { plausible: true })
  expect(found.map((text) => text.split(' ')[0])).toEqual(['email', 'gender', 'address.state'])
})

it.each([null, 7, 'order', [], { address: null }, { address: { state: 7, country: 'AU', postCode: {} } }])(
  'validate with plausible returns the issues of create for data that is not an order (%j)',
  async (given) => {
    const { referrals } = clientOf('http://127.0.0.1:9')
    const plain = await rejection(referrals.validate(given))
    const error = await rejection(referrals.validate(given, { plausible: true }))
    expect(error).toMatchObject({ issues: (plain as InvalidRequestError).issues })
  },
)

describe('validate with the data of the service', () => {
  let fake: FakePathologyService
  let client: PathologyClient

  beforeAll(() => {
    fake = new FakePathologyService({ centreCount: 400 })
    client = new PathologyClient(fake.clientOptions())
  })

  afterAll(async () => {
    await client.close()
    await fake.close()
  })

  it('validate with plausible accepts the State and postcode of every centre of the fake', async () => {
    const refused: unknown[] = []
    for await (const { state, postcode } of client.centres.list()) {
      const given = { ...order(), ...at(state, postcode) }
      await client.referrals.validate(given, { plausible: true }).catch(() => refused.push([state, postcode]))
    }
    expect(refused).toEqual([])
  })

  it('validate with catalogue rejects unknown tests and bundles, and tests that Medicare does not list (§4.3)', async () => {
    const given = medicareOrder({
      ...order(),
      tests: ['tsh', 'vitamin-z'],
      bundleId: 'nothing',
      medicareTests: ['lipoprotein-a', 'tsh', 'unknown-one'],
    })
    const error = await rejection(client.referrals.validate(given, { catalogue: true }))
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      code: 'INVALID_PAYLOAD',
      issues: [
        { field: 'tests[1]', rule: 'unknown-test' },
        { field: 'medicareTests[0]', rule: 'not-under-medicare' },
        { field: 'medicareTests[2]', rule: 'unknown-test' },
        { field: 'bundleId', rule: 'unknown-bundle' },
      ],
    })
    expect(fake.requests.filter(({ route }) => route === 'POST /v1/referrals')).toEqual([])
  })

  it('validate with catalogue accepts tests and private bundles that exist, and returns the same object', async () => {
    const given = medicareOrder({
      ...order(),
      tests: ['tsh'],
      bundleId: 'executive-check',
      medicareTests: ['ferritin'],
    })
    expect(await client.referrals.validate(given, { catalogue: true, plausible: true })).toBe(given)
  })

  it('validate with catalogue does not reject tests if the list of tests is incomplete (§4.7)', async () => {
    const body = { tests: [], cursor: { count: 20, resultCount: 2 } }
    fake.faults.next('GET /v1/tests', { status: 200, body })
    const given = { ...order(), tests: ['tsh'] }
    await expect(client.referrals.validate(given, { catalogue: true })).rejects.toMatchObject({
      name: 'InvalidResponseError',
      reason: 'incomplete-list',
    })
  })

  it('validate with catalogue fails with the error of the list, and an unknown option is rejected', async () => {
    fake.faults.next('GET /v1/tests', { status: 403 })
    await expect(client.referrals.validate(order(), { catalogue: true })).rejects.toMatchObject({
      status: 403,
    })
    const options = { catalog: true } as ValidateOptions
    await expect(client.referrals.validate(order(), options)).rejects.toThrow('catalog is not an option')
  })
})

it('validate reports each of 10,000 unknown fields, in time in proportion to their number', async () => {
  const names = Array.from({ length: 10_000 }, (_, nth) => [`k${nth}`, nth])
  const error = await rejection(clientOf('http://127.0.0.1:9').referrals.validate(Object.fromEntries(names)))
  const [last] = (error as InvalidRequestError).errorList.filter((each) => each.includes('number 10000'))
  expect(last).toBe('the request has an unknown field: field number 10000')
})
