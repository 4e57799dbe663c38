import { curlOf } from './curl.js'
import { h } from './dom.js'
import { json } from './format.js'
import { block, copyText, empty, facts, headerList, httpPill, ms, time } from './parts.js'

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
  row: ({ method, path, route, status, code, durationMs, fault, repeatOf, time: at }, now) => [
    h('span', { class: 'mono' }, h('b', null, method), ` ${path}`),
    [
      route ?? 'unknown route',
      code === null ? '' : ` · ${code}`,
      ` · ${ms(durationMs)}`,
      fault === null ? null : h('span', { class: 'bad' }, ` · fault ${fault}`),
      repeatOf === null ? null : h('span', { class: 'warn' }, ` · repeats ${repeatOf}`),
    ],
    httpPill(status),
    time(at, now),
  ],
  detail: requestDetail,
  nothingSelected: 'Select a request to see its headers and bodies, without secrets and tokens.',
}

/**
 * @param {JournalEntry} entry
 * @param {string} now
 * @param {Record<'baseUrl' | 'authUrl' | 'documentsUrl', string>} origins
 */
function requestDetail(entry, now, { baseUrl, authUrl, documentsUrl }) {
  const { number, method, path, status, route, code, fault, headers, body, repeatOf } = entry
  const url = `${{ api: baseUrl, auth: authUrl, documents: documentsUrl }[entry.part]}${path}`
  const text = body === null ? null : bodyText(headers['content-type'] ?? '', body)
  const template = `${method} ${path.split('?')[0]}`
  return h(
    'article',
    { 'data-key': `request ${number}` },
    h('header', null, h('h2', { class: 'mono' }, `${method} ${path}`, httpPill(status))),
    h(
      'p',
      { class: 'links' },
      h('a', { href: `#/faults/${encodeURIComponent(template)}` }, 'Add a fault for this route'),
      copyText('Copy as curl', curlOf({ method, url, headers, body: text })),
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
        [
          'Repeats',
          repeatOf === null ? '' : h('a', { href: `#/requests/${repeatOf}` }, `request ${repeatOf}`),
        ],
        ['Response', status === null ? 'none' : `${status}, ${size(entry.responseBytes)}`],
      ]),
    ),
    block('Request headers', headerList(headers)),
    block('Request body', body === null ? empty('No JSON body.') : h('pre', { tabindex: 0 }, json(body))),
    block('Response headers', headerList(entry.responseHeaders)),
    block('Response body', responseBody(entry)),
  )
}

/** @param {JournalEntry} entry */
function responseBody({ status, responseBody: text, isResponseBodyCut, responseBytes, responseHeaders }) {
  if (status === null) return empty('No response.')
  if (text === null) return empty(`${size(responseBytes)} of ${responseHeaders['content-type'] ?? 'data'}.`)
  if (text === '') return empty('No body.')
  return [
    h('pre', { tabindex: 0 }, json(text)),
    isResponseBodyCut ? h('p', { class: 'muted' }, `The first part of ${size(responseBytes)}.`) : null,
  ]
}

/**
 * Returns the body as it was sent, apart from its white space and masked secrets.
 *
 * @param {string} type
 * @param {unknown} body
 */
function bodyText(type, body) {
  if (!type.includes('form-urlencoded')) return JSON.stringify(body)
  const fields = Object.entries(Object(body)).map(([name, value]) => {
    const text = String(value)
    return `${name}=${text === '[redacted]' ? text : encodeURIComponent(text)}`
  })
  return fields.join('&')
}

/** @param {number} bytes */
function size(bytes) {
  return bytes < 1_024 ? `${bytes} bytes` : `${(bytes / 1_024).toFixed(1)} kB`
}
