import fc from 'fast-check'
import { orderFromForm, orderSchema } from 'pathology-sdk/forms'
import { expect, it } from 'vitest'
import { medicareOrder, order } from '../support/samples.js'

/** The fields of an order as a form sends them. */
function fieldsOf(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, each]): [string, string][] => {
    if (Array.isArray(each)) return each.map((entry) => [prefix + name, String(entry)])
    if (typeof each === 'object' && each !== null) return fieldsOf(each, `${prefix}${name}.`)
    return [[prefix + name, each === true ? 'on' : String(each)]]
  })
}

function formData(fields: readonly (readonly [string, string])[]): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  return data
}

const given = { ...medicareOrder(), tests: ['a', 'b'], emailReferralToCustomer: true }
const pairs = fieldsOf(given)

it.each([
  ['FormData', formData(pairs)],
  ['URLSearchParams', new URLSearchParams(pairs)],
  ['an object', given],
  [
    'an object of texts, as body parsers make it',
    Object.fromEntries(pairs.map(([name, value]) => [name, value])),
  ],
  ['names in brackets', formData(pairs.map(([name, value]) => [name.replace(/\.(\w+)/, '[$1]'), value]))],
  ['lists in brackets', formData(pairs.map(([name, value]) => [name.replace(/[tT]ests$/, '$&[]'), value]))],
])('orderFromForm makes a valid order of %s', (kind, data) => {
  const made = orderFromForm(data)
  const tests = kind.startsWith('an object of texts') ? ['b'] : ['a', 'b']
  expect(made).toEqual({ ...given, tests })
  expect(orderSchema['~standard'].validate(made).issues).toBeUndefined()
})

it('orderFromForm trims texts and drops blank fields, so an empty field is the same as none', () => {
  const blank = {
    medicareCardNumber: '',
    bundleId: ' ',
    dvaNumber: '',
    clinicalNotes: '\t',
    metadata: null,
  }
  const made = orderFromForm({ ...order(), firstName: '  Jamie ', ...blank })
  expect(made).toEqual({ ...order(), firstName: 'Jamie' })
  expect(orderFromForm({ address: { city: ' ' }, tests: ['', ' a '] })).toEqual({ tests: ['a'] })
})

it.each([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['False', false],
  [false, false],
  ['maybe', 'maybe'],
])('the checkbox emailReferralToCustomer with the value %j becomes %j', (value, expected) => {
  expect(orderFromForm({ emailReferralToCustomer: value })).toEqual({ emailReferralToCustomer: expected })
})

it('the last of several values of a single form field counts, as with a hidden field before a checkbox', () => {
  const data = formData([
    ['emailReferralToCustomer', 'off'],
    ['emailReferralToCustomer', 'on'],
  ])
  expect(orderFromForm(data)).toEqual({ emailReferralToCustomer: true })
})

it("orderFromForm drops the fields of other parts of the page, and keeps misspelt ones for the schema's problems", () => {
  const other = {
    _csrf: 'x',
    $ACTION_ID_4f: '',
    'g-recaptcha-response': 'x',
    page: '2',
    utf8: '✓',
    method: 'x',
  }
  const made = orderFromForm({ ...order(), ...other, emailRefferalToCustomer: 'on', city: 'Perth' })
  expect(made).toEqual({ ...order(), emailRefferalToCustomer: 'on', city: 'Perth' })
  expect(orderSchema['~standard'].validate(made).issues).toHaveLength(2)
})

it('orderFromForm makes an empty order of a body that was never parsed', () => {
  for (const body of [undefined, null, 'firstName=Jamie', 7]) expect(orderFromForm(body as never)).toEqual({})
})

it('orderFromForm never throws and never changes what it was given', () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'address[__proto__]', 'tests[0]', 'address.'),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(names, fc.string())),
      fc.dictionary(names, fc.jsonValue()),
      (list, object) => {
        const before = JSON.stringify(object)
        orderFromForm(formData(list))
        orderFromForm(object)
        expect(JSON.stringify(object)).toBe(before)
        expect(Reflect.get({}, 'x')).toBeUndefined()
      },
    ),
  )
})
