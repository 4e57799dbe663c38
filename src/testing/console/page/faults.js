import { h } from './dom.js'
import { labelOf, number, plural, span } from './format.js'
import { block, button, empty, field } from './parts.js'

/**
 * @typedef {import('../views.js').FaultsView} FaultsView
 * @typedef {import('../views.js').Choices} Choices
 * @typedef {readonly [name: string, label: string, start: string]} Setting a number that the user can enter for a fault
 */

/** @type {Readonly<Record<string, Setting>>} */
const SETTINGS = {
  status: ['status', 'Status', '503'],
  retryAfter: ['retryAfter', 'Retry-After (seconds)', ''],
  latencyMs: ['latencyMs', 'Milliseconds', '2000'],
  bytes: ['bytes', 'Bytes per write', '16'],
  everyMs: ['everyMs', 'Interval (milliseconds)', '50'],
}

/**
 * Kinds of request faults: the label, the numbers that the user enters, and a function that creates the fault.
 *
 * @type {Readonly<Record<string, readonly [label: string, settings: readonly string[],
 *   fault: (numbers: Readonly<Record<string, number>>) => Readonly<Record<string, unknown>>]>>}
 */
const KINDS = {
  status: ['Error status', ['status', 'retryAfter'], (numbers) => numbers],
  lost: ['Lost response', [], () => ({ loseResponse: true })],
  gateway: ['Request carried out, then 502', [], () => ({ loseResponse: true, status: 502 })],
  latency: ['Late response', ['latencyMs'], (numbers) => numbers],
  reset: ['Connection reset at once', [], () => ({ reset: 'before' })],
  'reset-mid-body': ['Connection reset after half the body', [], () => ({ reset: 'mid-body' })],
  truncate: ['Connection closed after half the body', [], () => ({ truncate: true })],
  'stall-headers': ['No response', [], () => ({ stall: 'headers' })],
  'stall-body': ['No data after half the body', [], () => ({ stall: 'body' })],
  drip: ['Slow body', ['bytes', 'everyMs'], (drip) => ({ drip })],
  'malformed-http': ['Response that is not HTTP', [], () => ({ malformed: 'http' })],
  'malformed-json': ['Incomplete JSON', [], () => ({ malformed: 'json' })],
}

const DELIVERY_KINDS = /** @type {const} */ ({
  'bad-signature': 'Invalid signature',
  duplicate: 'Duplicate',
  reorder: 'Sent after the next event of the entity',
  lost: 'Every attempt lost',
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
      block('Add a fault', injectForm(choices, form)),
      block('Add a delivery fault', deliveryForm(choices)),
      block('Limit requests', quotaForm(quota)),
    ),
    h(
      'div',
      null,
      block('Pending faults', waiting(faults)),
      block('Pending delivery faults', waitingForDeliveries(deliveryFaults)),
      h('div', { class: 'action-bar' }, clearButtons(deliveryFaults.length)),
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
      'Fault',
      h(
        'select',
        { name: 'kind', 'data-redraw': 'kind' },
        Object.entries(KINDS).map(([name, [label]]) =>
          h('option', { value: name, selected: name === kind }, label),
        ),
      ),
    ),
    settings.map((name) => settingField(name)),
    field('Number of requests', numberInput('times', '1', 1)),
    field('First affected request', numberInput('nth', '1', 1)),
    h(
      'label',
      { class: 'check' },
      h('input', { type: 'checkbox', name: 'always' }),
      'Every following request',
    ),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Add fault'),
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
 * Returns the request body of a fault.
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
      'Fault',
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
    field('Number of deliveries', numberInput('times', '1', 1)),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Add fault'),
  )
}

/** @param {FaultsView['quota']} quota */
function quotaForm(quota) {
  return h(
    'form',
    { class: 'form', 'data-form': 'quota', 'data-key': 'quota' },
    field('Requests', numberInput('limit', '10', 0)),
    field('Period (seconds)', numberInput('seconds', '60', 1)),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Set limit'),
    quota === null
      ? h(
          'p',
          { class: 'hint' },
          "No limit. Requests above a limit get 429. The period is on the fake's clock.",
        )
      : h(
          'p',
          { class: 'hint' },
          `The limit is ${plural(quota.limit, 'request')} in ${span(quota.perMs)}. Requests in the current period: ${number(quota.used)}. `,
          button('Remove limit', { method: 'DELETE', path: '/quota', done: 'Limit removed' }),
        ),
  )
}

/** @param {number} deliveryFaults */
function clearButtons(deliveryFaults) {
  return [
    button('Remove all faults', {
      method: 'DELETE',
      path: '/faults',
      tone: 'bad',
      title: 'Also removes delivery faults and the request limit',
      done: 'Faults removed',
    }),
    deliveryFaults === 0
      ? null
      : button('Remove delivery faults', {
          method: 'DELETE',
          path: '/deliveries/faults',
          done: 'Delivery faults removed',
        }),
  ]
}

/** @param {FaultsView['faults']} faults */
function waiting(faults) {
  if (faults.length === 0) return empty('No pending faults.')
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
        button('Remove', { method: 'DELETE', path: `/faults/${id}`, done: `Fault ${id} removed` }),
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
  if (faults.length === 0) return empty('No pending delivery faults.')
  return h(
    'ul',
    { class: 'cards' },
    faults.map(({ kind, eventName, timesLeft }) =>
      h(
        'li',
        null,
        h('span', { class: 'wide' }, labelOf(kind)),
        h('span', { class: 'mono muted' }, eventName ?? 'any event'),
        h('span', { class: 'muted' }, number(timesLeft)),
      ),
    ),
  )
}
