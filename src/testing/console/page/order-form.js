import { h } from './dom.js'
import { field } from './parts.js'

/**
 * @typedef {import('../views.js').Choices} Choices
 * @typedef {import('../views.js').Orderable} Orderable
 */

/** Number of visible rows of a list of tests. */
const ROWS = 6

/**
 * Returns the form of a new order. The fake invents values for empty fields.
 *
 * @param {Choices} choices
 */
export function orderForm({ tests, bundles }) {
  return h(
    'article',
    { 'data-key': 'new order' },
    h('header', null, h('h2', null, 'Place an order')),
    h(
      'form',
      { class: 'form', 'data-form': 'order', 'data-key': 'order' },
      text('First name', 'firstName'),
      text('Last name', 'lastName'),
      text('Email', 'email', 'email'),
      text('Born', 'dob', 'date'),
      field(
        'Gender',
        h(
          'select',
          { name: 'gender' },
          option('', 'Any'),
          option('female', 'Female'),
          option('male', 'Male'),
        ),
      ),
      text('Your reference', 'referenceNumber'),
      field(
        'Bundle',
        h(
          'select',
          { name: 'bundleId' },
          option('', 'None'),
          bundles.map(({ id, name }) => option(id, name)),
        ),
      ),
      testList('Tests', 'tests', tests),
      testList(
        'Medicare tests',
        'medicareTests',
        tests.filter(({ medicareListed }) => medicareListed),
      ),
      h(
        'label',
        { class: 'check' },
        h('input', { type: 'checkbox', name: 'emailReferralToCustomer', checked: true }),
        'Email the referral to the patient',
      ),
      h('button', { class: 'button', 'data-tone': 'main' }, 'Place the order'),
      h(
        'p',
        { class: 'hint' },
        'Sends the order over the API. The fake invents values for empty fields. Without a bundle, tests and Medicare tests, the fake chooses three blood tests.',
      ),
    ),
  )
}

/**
 * Returns the order of the form, without empty fields.
 *
 * @param {FormData} form
 */
export function orderOf(form) {
  const names = ['firstName', 'lastName', 'email', 'dob', 'gender', 'referenceNumber', 'bundleId']
  const texts = names.map((name) => [name, String(form.get(name) ?? '').trim()])
  const lists = ['tests', 'medicareTests'].map((name) => [name, form.getAll(name)])
  return {
    ...Object.fromEntries(
      [...texts, ...lists].filter(([, value]) => value !== undefined && value.length > 0),
    ),
    emailReferralToCustomer: form.has('emailReferralToCustomer'),
  }
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string} [type]
 */
function text(label, name, type = 'text') {
  return field(label, h('input', { name, type, placeholder: 'invented', autocomplete: 'off', size: 18 }))
}

/**
 * @param {string} value
 * @param {string} label
 */
function option(value, label) {
  return h('option', { value }, label)
}

/**
 * @param {string} label
 * @param {string} name
 * @param {readonly Orderable[]} tests
 */
function testList(label, name, tests) {
  return field(
    label,
    h(
      'select',
      { name, multiple: true, size: ROWS },
      tests.map((test) => option(test.id, test.name)),
    ),
  )
}
