import { h } from './dom.js'
import { labelOf, number } from './format.js'
import { block, button, empty, field, pill, time } from './parts.js'

/** @typedef {import('../views.js').DirectoryView} DirectoryView */

/** Changes of a weekly listing (§3.4). */
const CHANGES = /** @type {const} */ ({
  created: 'New centres',
  updated: 'Changed details',
  missing: 'ACTIVE to MISSING',
  revived: 'MISSING to ACTIVE',
  retired: 'MISSING to RETIRED',
})

/** Actions that the page offers for a connection, by its status. An action is the last part of a request's path. */
const ROUTING_ACTIONS = /** @type {const} */ ({
  NOT_SUBMITTED: ['confirm', 'need-action'],
  PENDING_CONFIRMATION: ['confirm', 'need-action', 'stop'],
  CONNECTED: ['stop', 'need-action'],
  ACTION_NEEDED: ['confirm', 'stop'],
  STOP_REQUESTED: ['end'],
})

/**
 * @param {DirectoryView} view
 * @param {string} now
 */
export function directoryPanel({ centres, firstCentres, refreshes, providers, providerCount }, now) {
  return h(
    'div',
    { class: 'columns', 'data-key': 'directory' },
    h(
      'div',
      null,
      block(
        'Collection centres',
        h(
          'p',
          { class: 'summary' },
          Object.entries(centres).map(([status, count]) =>
            pill(status, `${number(count)} ${labelOf(status).toLowerCase()}`),
          ),
        ),
        firstCentres.length === 0 ? null : centreTable(firstCentres),
      ),
      block('Weekly refresh', refreshForm()),
      block('Refreshes', refreshTable(refreshes, now)),
    ),
    h('div', null, block('Providers and routing', providerList(providers, providerCount))),
  )
}

/** @param {DirectoryView['firstCentres']} firstCentres */
function centreTable(firstCentres) {
  return h(
    'table',
    { class: 'plain centres' },
    h(
      'thead',
      null,
      h('tr', null, h('th', { scope: 'col' }, 'First by name'), h('th', { scope: 'col' }, 'Open')),
    ),
    h(
      'tbody',
      null,
      firstCentres.map(({ uuid, name, place, hours }) =>
        h(
          'tr',
          { 'data-key': uuid },
          h('th', { scope: 'row' }, name, h('span', { class: 'note muted' }, ` ${place}`)),
          h('td', null, hours),
        ),
      ),
    ),
  )
}

function refreshForm() {
  return h(
    'form',
    { class: 'form', 'data-form': 'refresh', 'data-key': 'refresh' },
    Object.entries(CHANGES).map(([name, label]) =>
      field(label, h('input', { type: 'number', name, value: name === 'updated' ? 12 : 0, min: 0, step: 1 })),
    ),
    h('button', { class: 'button', 'data-tone': 'main' }, 'Refresh the directory'),
    h(
      'p',
      { class: 'hint' },
      'With 0 in the last field, the refresh retires each centre that is missing from retireAfterMissingWeeks consecutive listings.',
    ),
  )
}

/**
 * Returns the plan of a refresh. A number of 0 is omitted: `retired: 0` would prevent the automatic retirement.
 *
 * @param {FormData} form
 */
export function planOf(form) {
  const numbers = Object.keys(CHANGES).map((name) => /** @type {const} */ ([name, Number(form.get(name))]))
  return Object.fromEntries(numbers.filter(([, count]) => count > 0))
}

/**
 * @param {DirectoryView['refreshes']} refreshes
 * @param {string} now
 */
function refreshTable(refreshes, now) {
  if (refreshes.length === 0) return empty('No refreshes yet.')
  const kinds = /** @type {const} */ (['created', 'updated', 'revived', 'missing', 'retired'])
  return h(
    'table',
    { class: 'plain' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['Time', ...kinds.map(labelOf)].map((title) => h('th', { scope: 'col' }, title)),
      ),
    ),
    h(
      'tbody',
      null,
      refreshes.map(({ runUuid, ranAt, counts }) =>
        h(
          'tr',
          { 'data-key': runUuid },
          h('td', null, time(ranAt, now)),
          kinds.map((kind) =>
            h('td', { class: counts[kind] === 0 ? 'muted number' : 'number' }, number(counts[kind])),
          ),
        ),
      ),
    ),
  )
}

/**
 * @param {DirectoryView['providers']} providers
 * @param {number} total
 */
function providerList(providers, total) {
  return [
    h(
      'div',
      { class: 'action-bar' },
      button('Submit batch', {
        path: '/routing/submit',
        body: {},
        title: 'Changes every NOT_SUBMITTED connection to PENDING_CONFIRMATION',
        done: 'Batch submitted',
      }),
    ),
    h(
      'ul',
      { class: 'cards' },
      providers.map(({ providerNumber, name, signed, connections }) =>
        h(
          'li',
          { 'data-key': providerNumber },
          h('span', { class: 'wide' }, name),
          h('span', { class: 'mono muted' }, providerNumber),
          signed ? null : h('span', { class: 'pill', 'data-tone': 'warn' }, 'No signature'),
          connections.map((connection) => connectionRow(providerNumber, connection)),
        ),
      ),
    ),
    total > providers.length ? empty(`and ${number(total - providers.length)} more providers`) : null,
  ]
}

/**
 * @param {string} providerNumber
 * @param {DirectoryView['providers'][number]['connections'][number]} connection
 */
function connectionRow(providerNumber, { vendorId, status }) {
  const actions = new Map(Object.entries(ROUTING_ACTIONS)).get(status) ?? []
  const base = `/routing/${encodeURIComponent(providerNumber)}/${encodeURIComponent(vendorId)}`
  return h(
    'div',
    { class: 'connection', 'data-key': vendorId },
    h('span', null, vendorId),
    pill(status),
    h(
      'span',
      { class: 'actions' },
      actions.map((action) =>
        button(labelOf(action), { path: `${base}/${action}`, done: `${vendorId}: ${labelOf(action)}` }),
      ),
    ),
  )
}
