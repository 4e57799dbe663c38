import type { StandardSchemaV1 } from '@standard-schema/spec'
import { ApiError, InvalidRequestError, type Order, PathologyError } from 'pathology-sdk'
import { issuesByField, orderSchema } from 'pathology-sdk/forms'
import { expect, expectTypeOf, it } from 'vitest'
import { CANARIES, canariesIn } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { medicareOrder, order } from '../support/samples.js'

const OFFLINE = 'http://127.0.0.1:9'

async function issuesOf(change: object): Promise<InvalidRequestError['issues']> {
  const error = await rejection(clientOf(OFFLINE).referrals.validate({ ...order(), ...change }))
  if (!(error instanceof InvalidRequestError)) throw error
  return error.issues
}

const address = order().address

it.each([
  ['a suburb', { address: { ...address, city: ' ' } }, 'address.city', 'empty', 'Enter a suburb'],
  ['no suburb', { address: { ...address, city: undefined } }, 'address.city', 'required', 'Enter a suburb'],
  ['a gender', { gender: 'f' }, 'gender', 'choice', 'Choose a gender from the list'],
  ['an email', { email: 'a' }, 'email', 'email', 'Enter an email address such as name@example.com'],
  ['a phone number', { phone: 7 }, 'phone', 'type', 'Check the phone number'],
  ['no test', { tests: [] }, 'tests', 'at-least-one', 'Choose at least one test or a bundle'],
  ['an empty test', { tests: ['a', ''] }, 'tests[1]', 'empty', 'Choose a test'],
  [
    'a date of birth',
    { dob: '1986-02-30' },
    'dob',
    'date',
    'Enter a date of birth that exists, with day, month and year',
  ],
  [
    'a digit of a card',
    { medicareCardNumber: '2951 87313 5 1' },
    'medicareCardNumber',
    'card-check-digit',
    'Check the Medicare card number: one of its digits is not correct',
  ],
  [
    'no IRN',
    { ...medicareOrder(), medicareCardNumber: '2951 87312 5' },
    'medicareCardNumber',
    'card-irn-missing',
    'Add the digit next to the name on the card to the Medicare card number',
  ],
  [
    'no doctor',
    { ...medicareOrder(), orderingPractitioner: undefined },
    'orderingPractitioner',
    'required-with',
    'Enter the ordering doctor',
  ],
  [
    'an unknown field',
    { xyzzy: 1 },
    undefined,
    'unknown-field',
    'There is a problem with this form: load the page again, then try again',
  ],
  ['metadata', { metadata: 7 }, 'metadata', 'type', 'Check this value'],
])(
  'an issue of an order has its field, its rule and a sentence for a patient: %s (§4.1)',
  async (_, change, field, rule, userMessage) => {
    expect(await issuesOf(change)).toMatchObject([{ field, rule, userMessage }])
  },
)

it('the params of an issue have the numbers and names of its rule', async () => {
  expect(await issuesOf({ gender: 'f' })).toMatchObject([{ params: { values: ['male', 'female'] } }])
  const patch = { phone: '1', lastName: 'N' }
  const error = await rejection(
    clientOf(OFFLINE).referrals.update('0b7f6f0e-3f53-4a5e-9a37-1d2c3b4a5f60', patch),
  )
  const userMessage = 'Enter at least 6 characters for the phone number'
  expect(issuesByField(error)['phone']).toMatchObject([
    { rule: 'min-length', params: { minimum: 6 }, userMessage },
  ])
})

it.each([
  [{ fistName: 'A' }, 'fistName', 'firstName'],
  [{ refrenceNumber: 'A' }, 'refrenceNumber', 'referenceNumber'],
  [{ emailRefferalToCustomer: true }, 'emailRefferalToCustomer', 'emailReferralToCustomer'],
  [{ postcode: '0700' }, 'postcode', 'postCode'],
  [{ surname: 'A' }, 'surname', 'lastName'],
  [{ Tests: [] }, 'Tests', 'tests'],
])(
  'an unknown field that looks like one of ours is named with its suggestion: %j',
  async (change, field, meant) => {
    const issue = (await issuesOf(change)).find(({ rule }) => rule === 'unknown-field')
    const message = `${field} is not a field of this request; did you mean ${meant}?`
    expect(issue).toMatchObject({ field, message, params: { meant } })
  },
)

it('an unknown field that looks like none of ours is not named, since it may be a patient', async () => {
  for (const name of ['Nguyen', 'Jamie Citizen', 'Tess', 'Bob', CANARIES.lastName]) {
    const issue = (await issuesOf({ [name]: 1 })).find(({ rule }) => rule === 'unknown-field')
    expect(issue?.message).not.toContain(name)
    expect(issue?.field).toBeUndefined()
  }
})

it('issues of an order never contain a value', async () => {
  const client = clientOf(OFFLINE)
  let checked = 0
  for (const canary of Object.values(CANARIES)) {
    for (const name of Object.keys(medicareOrder())) {
      for (const bad of [[canary], { [canary]: canary }, ` ${canary}`]) {
        const given = { ...medicareOrder(), [name]: bad }
        const error: unknown = await client.referrals.validate(given).catch((reason: unknown) => reason)
        if (!(error instanceof InvalidRequestError)) continue
        checked += 1
        expect(canariesIn(JSON.stringify(error.issues))).toEqual([])
      }
    }
  }
  expect(checked).toBeGreaterThan(100)
})

it('issuesByField groups issues by field, with an empty key for the entire order', async () => {
  const bad = { ...order(), address: { ...address, city: '', state: '' }, [CANARIES.lastName]: 1 }
  const fields = issuesByField(await rejection(clientOf(OFFLINE).referrals.validate(bad)))
  expect(Object.keys(fields).sort()).toEqual(['', 'address.city', 'address.state'])
  expect(fields['address.city']).toHaveLength(1)
})

it('issuesByField reads the issues of the service, and returns nothing for other errors', () => {
  const issue = { message: 'is required', field: 'dob', rule: 'service', userMessage: 'Check this value' }
  const facts = { status: 400, code: undefined, errorList: [], issues: [issue], method: 'POST', path: '/' }
  const rest = { requestId: undefined, retryAfter: undefined, serviceMessage: undefined }
  const last = { safeDetail: undefined, bodyExcerpt: undefined, outcome: 'failed', attempts: 1 } as const
  expect(issuesByField(new ApiError({ ...facts, ...rest, ...last }))['dob']).toEqual([issue])
  class OfAnotherCopy extends PathologyError {
    readonly issues = [issue]
  }
  expect(issuesByField(new OfAnotherCopy('x'))['dob']).toEqual([issue])
  expect(issuesByField(JSON.parse(JSON.stringify({ issues: [issue] })))['dob']).toEqual([issue])
  for (const other of [new Error('x'), undefined, null, 'x', { issues: [7, null, {}] }, { issues: 'dob' }])
    expect(Object.keys(issuesByField(other))).toEqual([])
})

const { validate, vendor, version } = orderSchema['~standard']

it('orderSchema has the type of a Standard Schema', () => {
  expectTypeOf(orderSchema).toExtend<StandardSchemaV1<Order, Order>>()
  expectTypeOf<StandardSchemaV1.InferOutput<typeof orderSchema>>().toEqualTypeOf<Order>()
  expect([vendor, version]).toEqual(['pathology-sdk', 1])
})

it('orderSchema returns a copy of a valid order, with numbers without spaces', async () => {
  const given = medicareOrder({ medicareCardNumber: '2951 87312 5 1' })
  const { value } = (await validate(given)) as { value: Order }
  expect(value).toEqual({ ...given, medicareCardNumber: CANARIES.medicareCard })
  expect(given.medicareCardNumber).toBe('2951 87312 5 1')
})

it('orderSchema returns sentences with the path of each field', async () => {
  expect(await validate({ ...order(), tests: ['fbc', ''], address: { ...address, city: '' } })).toEqual({
    issues: [
      { message: 'Enter a suburb', path: ['address', 'city'] },
      { message: 'Choose a test', path: ['tests', 1] },
    ],
  })
})

it.each([null, undefined, 7, 'order', [], { metadata: { a: 'x'.repeat(300_000) } }, circular()])(
  'orderSchema returns issues for data that is not an order (%#)',
  (given) => {
    const { issues = [] } = validate(given)
    expect(issues.length).toBeGreaterThan(0)
    for (const { message } of issues) expect(message).toMatch(/^(?:Enter|Choose|Check)/)
  },
)

it('an empty order has one problem for each required field, also for those of the address', () => {
  const fields = (validate({}).issues ?? []).map(({ path }) => path.join('.'))
  const inAddress = ['addressLine1', 'city', 'state', 'country'].map((name) => `address.${name}`)
  const others = ['firstName', 'lastName', 'email', 'phone', 'dob', 'gender', 'referenceNumber', 'tests']
  expect(fields.toSorted()).toEqual([...inAddress, ...others].toSorted())
})

it('a Medicare order without a doctor has one problem for each required field of the doctor (§4.1)', () => {
  const { orderingPractitioner: _, ...rest } = medicareOrder()
  const fields = (validate(rest).issues ?? []).map(({ path }) => path.join('.'))
  expect(fields).toEqual(['name', 'address', 'providerNumber'].map((name) => `orderingPractitioner.${name}`))
})

it('the schema of API version 1.0.0 rejects the fields of 1.1.0 (§9)', () => {
  const schema = orderSchema.with({ apiVersion: '1.0.0' })['~standard']
  expect(schema.validate(order()).issues).toBeUndefined()
  expect(schema.validate({ ...order(), bundleId: 'x' }).issues).toMatchObject([{ path: ['bundleId'] }])
  expect(() => orderSchema.with({ apiVersion: '2.0.0' as never })).toThrow(/apiVersion must be 1\.0\.0 or/)
})

it.each([
  ['phone', '0400 12', 'Enter a phone number with at least 8 digits'],
  ['email', 'jamie@localhost', 'Enter an email address such as name@example.com'],
  ['dob', '2999-01-01', 'Enter a date of birth that is not in the future'],
])('the plausible schema also rejects an implausible %s', (field, value, message) => {
  const plausible = { ...address, state: 'WA', postCode: '6000', country: 'Australia' }
  const given = { ...order(), address: plausible, [field]: value }
  expect(validate(given).issues).toBeUndefined()
  const { issues } = orderSchema.with({ plausible: true })['~standard'].validate(given)
  expect(issues).toEqual([{ message, path: [field] }])
})

function circular(): object {
  const value: Record<string, unknown> = { ...order() }
  value['metadata'] = { value }
  return value
}
