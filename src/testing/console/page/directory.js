import { h } from './dom.js'
import { number, said } from './format.js'
import { block, button, empty, field, pill, time } from './parts.js'

/** @typedef {import('../views.js').DirectoryView} DirectoryView */

/** What a weekly listing can bring, each with what it does (§3.4). */
const CHANGES = /** @type {const} */ ({
  created: 'New centres',
  updated: 'With new details',
  missing: 'Left out: ACTIVE to MISSING',
  revived: 'Back: MISSING to ACTIVE',
  retired: 'Retired now, of the MISSING',
})

/** Where routing can go from each status (§3.3), by the last part of its path. */
const ROUTING_MOVES = /** @type {const} */ ({
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
export function directoryPanel({ centres, refreshes, providers, providerCount }, now) {
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
            pill(status, `${number(count)} ${said(status).toLowerCase()}`),
          ),
        ),
      ),
      block('Weekly refresh', refreshForm()),
      block('Refreshes', refreshTable(refreshes, now)),
    ),
    h('div', null, block('Providers and routing', providerList(providers, providerCount))),
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
    h('p', { class: 'hint' }, 'Centres that were missing for three weeks running retire by themselves.'),
  )
}

/** @param {FormData} form */
export function planOf(form) {
  return Object.fromEntries(Object.keys(CHANGES).map((name) => [name, Number(form.get(name))]))
}

/**
 * @param {DirectoryView['refreshes']} refreshes
 * @param {string} now
 */
function refreshTable(refreshes, now) {
  if (refreshes.length === 0) return empty('None yet.')
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
        ['Ran', ...kinds.map(said)].map((title) => h('th', { scope: 'col' }, title)),
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
      { class: 'moves' },
      button('Send a batch to the laboratories', {
        path: '/routing/submit',
        body: {},
        title: 'Every NOT_SUBMITTED connection becomes PENDING_CONFIRMATION',
        done: 'Batch sent',
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
    total > providers.length ? empty(`and ${number(total - providers.length)} older ones`) : null,
  ]
}

/**
 * @param {string} providerNumber
 * @param {DirectoryView['providers'][number]['connections'][number]} connection
 */
function connectionRow(providerNumber, { vendorId, status }) {
  const moves = new Map(Object.entries(ROUTING_MOVES)).get(status) ?? []
  const base = `/routing/${encodeURIComponent(providerNumber)}/${encodeURIComponent(vendorId)}`
  return h(
    'div',
    { class: 'connection', 'data-key': vendorId },
    h('span', null, vendorId),
    pill(status),
    h(
      'span',
      { class: 'actions' },
      moves.map((move) =>
        button(said(move), { path: `${base}/${move}`, done: `${vendorId}: ${said(move)}` }),
      ),
    ),
  )
}
