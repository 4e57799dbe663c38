import { h } from './dom.js'
import { json } from './format.js'
import { block, empty, facts, httpPill, time } from './parts.js'

/**
 * @typedef {import('../views.js').RequestSummary} RequestSummary
 * @typedef {import('../../server/journal.js').JournalEntry} JournalEntry
 */

/** @type {import('./lists.js').ListView<RequestSummary, JournalEntry>} */
export const requests = {
  name: 'requests',
  label: 'Requests',
  path: '/console/requests',
  searchHint: 'Path, endpoint or error code',
  filter: {
    name: 'show',
    any: 'All requests',
    choices: () => [
      ['errors', 'Errors only'],
      ['faults', 'With a fault'],
      ['changes', 'Changes only'],
    ],
  },
  whenEmpty: 'No requests yet. Connect a client to the base URL.',
  idOf: ({ number }) => number,
  row: ({ method, path, route, status, code, durationMs, fault, time: at }, now) => [
    h('span', { class: 'mono' }, h('b', null, method), ` ${path}`),
    [
      route ?? 'unknown route',
      code === null ? '' : ` · ${code}`,
      ` · ${ms(durationMs)}`,
      fault === null ? null : h('span', { class: 'bad' }, ` · fault ${fault}`),
    ],
    httpPill(status),
    time(at, now),
  ],
  detail: requestDetail,
  nothingSelected: empty('Select a request to see its headers and body, without secrets and tokens.'),
}

/** @param {number} duration */
function ms(duration) {
  return `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`
}

/**
 * @param {JournalEntry} entry
 * @param {string} now
 */
function requestDetail(entry, now) {
  const { number, method, path, status, route, code, fault, headers, body } = entry
  const template = `${method} ${path.split('?')[0]}`
  return h(
    'article',
    { 'data-key': `request ${number}` },
    h('header', null, h('h2', { class: 'mono' }, `${method} ${path}`, httpPill(status))),
    h(
      'p',
      { class: 'links' },
      h('a', { href: `#/faults/${encodeURIComponent(template)}` }, 'Add a fault for this route'),
    ),
    block(
      'Request',
      facts([
        ['Number', number],
        ['Time', time(entry.time, now)],
        ['Duration', ms(entry.durationMs)],
        ['Endpoint', route ?? 'none'],
        ['Error code', code],
        ['Fault', fault === null ? '' : h('span', { class: 'bad' }, `fault ${fault} applied`)],
      ]),
    ),
    block(
      'Headers',
      h(
        'dl',
        { class: 'headers' },
        Object.entries(headers).flatMap(([name, value]) => [
          h('dt', { 'data-key': `dt ${name}` }, name),
          h('dd', { 'data-key': `dd ${name}` }, value),
        ]),
      ),
    ),
    block('Body', body === null ? empty('No body.') : h('pre', { tabindex: 0 }, json(body))),
  )
}
