import { h } from './dom.js'
import { number, plural, said, span } from './format.js'
import { block, button, empty, field } from './parts.js'

/**
 * @typedef {import('../views.js').FaultsView} FaultsView
 * @typedef {import('../views.js').Choices} Choices
 * @typedef {readonly [name: string, label: string, start: string]} Setting a number that a kind of fault needs
 */

/** @type {Readonly<Record<string, Setting>>} */
const SETTINGS = {
  status: ['status', 'Status', '503'],
  retryAfter: ['retryAfter', 'Retry-After, seconds', ''],
  latencyMs: ['latencyMs', 'Milliseconds', '2000'],
  bytes: ['bytes', 'Bytes at a time', '16'],
  everyMs: ['everyMs', 'Every, milliseconds', '50'],
}

/**
 * What can go wrong with a request: what it says, the numbers it needs, and the fault it makes of them.
 *
 * @type {Readonly<Record<string, readonly [label: string, settings: readonly string[],
 *   fault: (numbers: Readonly<Record<string, number>>) => Readonly<Record<string, unknown>>]>>}
 */
const KINDS = {
  status: ['Answer with an error, do nothing', ['status', 'retryAfter'], (numbers) => numbers],
  lost: ['Do the work, lose the answer', [], () => ({ loseResponse: true })],
  gateway: ['Do the work, answer 502', [], () => ({ loseResponse: true, status: 502 })],
  latency: ['Answer late', ['latencyMs'], (numbers) => numbers],
  reset: ['Reset the connection at once', [], () => ({ reset: 'before' })],
  'reset-mid-body': ['Reset the connection half way', [], () => ({ reset: 'mid-body' })],
  truncate: ['Close the connection half way', [], () => ({ truncate: true })],
  'stall-headers': ['Never answer', [], () => ({ stall: 'headers' })],
  'stall-body': ['Stop half way, keep the connection', [], () => ({ stall: 'body' })],
  drip: ['Send a few bytes at a time', ['bytes', 'everyMs'], (drip) => ({ drip })],
  'malformed-http': ['Send what is no HTTP', [], () => ({ malformed: 'http' })],
  'malformed-json': ['Cut the JSON short', [], () => ({ malformed: 'json' })],
}

const DELIVERY_KINDS = /** @type {const} */ ({
  'bad-signature': 'Sign it with another secret',
  duplicate: 'Send it twice',
  reorder: "Let the entity's next event overtake it",
  lost: 'Let no attempt arrive',
})

/**
 * @param {FaultsView} view
 * @param {Choices} choices
 * @param {{ route: string, kind: string }} form
 */
export function faultsPanel({ faults, deliveryFaults, quota }, choices, form) {
  return h(
    'div',
    { class: 'columns', 'data-key': 'faults' },
    h(
      'div',
      null,
      block('Inject a fault', injectForm(choices, form)),
      block('Inject a delivery fault', deliveryForm(choices)),
      block('Limit requests', quotaForm(quota)),
    ),
    h(
      'div',
      null,
      block('Waiting for requests', waiting(faults)),
      block('Waiting for deliveries', waitingForDeliveries(deliveryFaults)),
    ),
  )
}

/**
 * @param {Choices} choices
 * @param {{ route: string, kind: string }} form
 */
function injectForm({ routes }, { route, kind }) {
  const [, settings] = KINDS[kind] ?? ['', []]
  const offered = route === '' || route === '*' || routes.includes(route) ? routes : [route, ...routes]
  return h(
    'form',
    { class: 'form', 'data-form': 'inject', 'data-key': `inject ${route}` },
    field(
      'Route',
      h(
        'select',
        { name: 'route' },
        h('option', { value: '*' }, 'Any request'),
        offered.map((one) => h('option', { value: one, selected: one === route }, one)),
      ),
    ),
    field(
      'What goes wrong',
      h(
        'select',
        { name: 'kind', 'data-redraw': 'kind' },
        Object.entries(KINDS).map(([name, [label]]) =>
          h('option', { value: name, selected: name === kind }, label),
        ),
      ),
    ),
    settings.map((name) => settingField(name)),
    field('How many requests', numberInput('times', '1', 1)),
    field('From the nth', numberInput('nth', '1', 1)),
    h(
      'label',
      { class: 'check' },
      h('input', { type: 'checkbox', name: 'always' }),
      'Every request from then on',
    ),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Inject'),
  )
}

/** @param {string} name */
function settingField(name) {
  const [id, label, start] = SETTINGS[name] ?? [name, name, '']
  return field(label, numberInput(id, start, 0))
}

/**
 * @param {string} name
 * @param {string} value
 * @param {number} min
 */
function numberInput(name, value, min) {
  return h('input', { type: 'number', name, value, min, step: 1, inputmode: 'numeric' })
}

/**
 * The body of a request for a fault.
 *
 * @param {FormData} form
 */
export function faultOf(form) {
  const [, settings, make] = KINDS[String(form.get('kind'))] ?? ['', [], () => ({})]
  const numbers = Object.fromEntries(
    settings.filter((name) => form.get(name) !== '').map((name) => [name, Number(form.get(name))]),
  )
  const times = form.get('always') === null ? Number(form.get('times')) : null
  return { route: form.get('route'), ...make(numbers), times, nth: Number(form.get('nth')) }
}

/** @param {Choices} choices */
function deliveryForm({ events }) {
  return h(
    'form',
    { class: 'form', 'data-form': 'deliveryFault', 'data-key': 'delivery' },
    field(
      'What goes wrong',
      h(
        'select',
        { name: 'kind' },
        Object.entries(DELIVERY_KINDS).map(([name, label]) => h('option', { value: name }, label)),
      ),
    ),
    field(
      'Event',
      h(
        'select',
        { name: 'eventName' },
        h('option', { value: '' }, 'Any event'),
        events.map((name) => h('option', null, name)),
      ),
    ),
    field('How many', numberInput('times', '1', 1)),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Inject'),
  )
}

/** @param {FaultsView['quota']} quota */
function quotaForm(quota) {
  return h(
    'form',
    { class: 'form', 'data-form': 'quota', 'data-key': 'quota' },
    field('Requests', numberInput('limit', '10', 0)),
    field('In so many seconds', numberInput('seconds', '60', 1)),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Answer 429 above it'),
    quota === null
      ? h('p', { class: 'hint' }, "None at present. Seconds are those of the fake's clock.")
      : h(
          'p',
          { class: 'hint' },
          `${number(quota.used)} of ${number(quota.limit)} used in ${span(quota.perMs)}. `,
          button('Lift it', { method: 'DELETE', path: '/quota', done: 'Limit lifted' }),
        ),
  )
}

/** @param {FaultsView['faults']} faults */
function waiting(faults) {
  if (faults.length === 0) return empty('None: every request is answered as it should be.')
  return h(
    'ul',
    { class: 'cards' },
    faults.map(({ id, route, fault, left, used }) =>
      h(
        'li',
        { 'data-key': id },
        h('span', { class: 'muted' }, `#${id}`),
        h('span', { class: 'mono wide' }, route === '*' ? 'Any request' : route, h('br'), describe(fault)),
        h(
          'span',
          { class: 'muted' },
          left === null ? `every request, ${used} so far` : plural(left, 'request'),
        ),
        button('Take back', { method: 'DELETE', path: `/faults/${id}`, done: `Fault ${id} taken back` }),
      ),
    ),
  )
}

/** @param {FaultsView['faults'][number]['fault']} fault */
function describe(fault) {
  return Object.entries(fault)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')
}

/** @param {FaultsView['deliveryFaults']} faults */
function waitingForDeliveries(faults) {
  if (faults.length === 0) return empty('None.')
  return h(
    'ul',
    { class: 'cards' },
    faults.map(({ kind, eventName, timesLeft }) =>
      h(
        'li',
        null,
        h('span', { class: 'wide' }, said(kind)),
        h('span', { class: 'mono muted' }, eventName ?? 'any event'),
        h('span', { class: 'muted' }, number(timesLeft)),
      ),
    ),
  )
}
