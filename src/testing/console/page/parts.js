import { h } from './dom.js'
import { json, labelOf, longTime, shortTime } from './format.js'

/**
 * @typedef {import('./dom.js').Child} Child
 * @typedef {import('../views.js').RecordAction} RecordAction
 * @typedef {import('../views.js').TimelineEntry} TimelineEntry
 */

/** Colour of each status. */
const TONES = new Map([
  ['CREATED', 'quiet'],
  ['PENDING_VERIFICATION', 'warn'],
  ['ISSUED', 'busy'],
  ['SCHEDULED_REISSUE', 'warn'],
  ['PARTIAL_RESULTS', 'part'],
  ['COMPLETE', 'good'],
  ['IN_REVIEW', 'warn'],
  ['INSUFFICIENT_DATA', 'bad'],
  ['FAILED_TEST', 'bad'],
  ['BILLING_FAILED', 'bad'],
  ['REFUNDED', 'over'],
  ['TRANSFERRED', 'over'],
  ['waiting', 'warn'],
  ['ready', 'busy'],
  ['sending', 'busy'],
  ['delivered', 'good'],
  ['failed', 'bad'],
  ['ACTIVE', 'good'],
  ['MISSING', 'warn'],
  ['RETIRED', 'over'],
  ['NOT_SUBMITTED', 'quiet'],
  ['PENDING_CONFIRMATION', 'warn'],
  ['CONNECTED', 'good'],
  ['ACTION_NEEDED', 'bad'],
  ['STOP_REQUESTED', 'over'],
])

/** Actions with an emphasised button. */
const MAIN_ACTIONS = new Set(['issue', 'verify', 'partialResults', 'complete', 'release'])
/** Actions with a red button, because they end an order or a record. */
const ENDING_ACTIONS = new Set(['failBilling', 'failTest', 'refund', 'softDelete'])

/** Text for an empty value. */
const NOTHING = '–'

/** @param {string} status */
export function pill(status, text = labelOf(status)) {
  return h('span', { class: 'pill', 'data-tone': TONES.get(status) ?? 'quiet' }, text)
}

/** @param {number | null} status an HTTP status, or `null` without a response */
export function httpPill(status) {
  if (status === null) return h('span', { class: 'pill', 'data-tone': 'bad' }, 'no response')
  const tones = /** @type {const} */ (['quiet', 'quiet', 'good', 'quiet', 'warn', 'bad'])
  return h('span', { class: 'pill code', 'data-tone': tones[Math.floor(status / 100)] ?? 'bad' }, status)
}

/**
 * @param {string | null} iso
 * @param {string} now
 */
export function time(iso, now) {
  if (iso === null) return NOTHING
  return h('time', { datetime: iso, title: longTime(iso) }, shortTime(iso, now))
}

/** @param {string} text the text that a click copies */
export function copyable(text, shown = text) {
  return h(
    'button',
    { type: 'button', class: 'copy', 'data-copy': text, title: 'Copy' },
    h('span', { class: 'mono' }, shown),
  )
}

/**
 * Returns a button that copies a text.
 *
 * @param {string} label
 * @param {string} text
 */
export function copyText(label, text) {
  return h('button', { type: 'button', class: 'button small', 'data-copy': text }, label)
}

/** @param {Readonly<Record<string, string>>} headers */
export function headerList(headers) {
  const rows = Object.entries(headers)
  if (rows.length === 0) return empty('None.')
  return h(
    'dl',
    { class: 'headers' },
    rows.flatMap(([name, value]) => [
      h('dt', { 'data-key': `dt ${name}` }, name),
      h('dd', { 'data-key': `dd ${name}` }, value),
    ]),
  )
}

/** @param {number | null} duration in milliseconds; `null` if there is no duration */
export function ms(duration) {
  if (duration === null) return ''
  return `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`
}

/**
 * Returns a button that sends a request to the control API.
 *
 * @param {string} label
 * @param {{ method?: string, path: string, body?: unknown, tone?: string | null | undefined, confirm?: string,
 *   title?: string, done?: string, go?: string }} what
 */
export function button(label, { method = 'POST', path, body, tone, confirm, title, done, go }) {
  return h(
    'button',
    {
      type: 'button',
      class: 'button',
      'data-key': `${method} ${path} ${label}`,
      'data-tone': tone,
      'data-method': method,
      'data-path': path,
      'data-body': body === undefined ? null : JSON.stringify(body),
      'data-confirm': confirm,
      'data-done': done ?? `${label}: done`,
      'data-go': go,
      title,
    },
    label,
  )
}

/**
 * Returns the buttons for the possible changes of a record.
 *
 * @param {readonly RecordAction[]} actions
 * @param {{ roomy?: boolean }} [space] reserves room for two lines of buttons
 */
export function actionBar(actions, { roomy = false } = {}) {
  const buttons = actions.map(({ name, path, description }) =>
    button(labelOf(name), { path, title: description, tone: actionTone(name) }),
  )
  return h(
    'div',
    { class: roomy ? 'action-bar roomy' : 'action-bar', role: 'toolbar', 'aria-label': 'Actions' },
    buttons.length === 0 ? h('span', { class: 'muted' }, 'No further actions.') : buttons,
  )
}

/** @param {string} name */
function actionTone(name) {
  if (MAIN_ACTIONS.has(name)) return 'main'
  return ENDING_ACTIONS.has(name) ? 'bad' : undefined
}

/** @param {readonly (readonly [label: string, value: Child])[]} rows */
export function facts(rows) {
  return h(
    'dl',
    { class: 'facts' },
    rows.map(([label, value]) =>
      h(
        'div',
        { 'data-key': label },
        h('dt', null, label),
        h('dd', null, value === null || value === '' ? NOTHING : value),
      ),
    ),
  )
}

/**
 * @param {string} title
 * @param {...Child} children
 */
export function block(title, ...children) {
  return h('section', { class: 'block', 'data-key': title }, h('h3', null, title), ...children)
}

/**
 * Returns a long value that is collapsed at first.
 *
 * @param {string} summary
 * @param {unknown} value
 */
export function foldedJson(summary, value) {
  return h(
    'details',
    { class: 'fold', 'data-key': summary },
    h('summary', null, summary),
    h('pre', { tabindex: 0 }, json(value)),
  )
}

/** @param {string} text */
export function empty(text) {
  return h('p', { class: 'empty' }, text)
}

/**
 * @param {readonly TimelineEntry[]} entries
 * @param {string} now
 */
export function timeline(entries, now) {
  if (entries.length === 0) return empty('No entries.')
  return h(
    'ol',
    { class: 'timeline' },
    entries.map((entry, place) => timelineRow(entry, now, entries[place - 1]?.at === entry.at)),
  )
}

/**
 * @param {TimelineEntry} entry
 * @param {string} now
 * @param {boolean} isSame whether the entry has the same time as the previous entry
 */
function timelineRow({ at, kind, title, detail, request, deliveries = [] }, now, isSame) {
  const name = request === undefined ? title : h('a', { href: `#/requests/${request}` }, title)
  return h(
    'li',
    { 'data-kind': kind, class: isSame ? 'same' : null },
    time(at, now),
    h(
      'div',
      null,
      h('span', { class: kind === 'fact' ? 'what' : 'what mono' }, name),
      detail === '' ? null : h('span', { class: 'muted' }, ` ${detail}`),
      deliveries.map((delivery) => deliveryLink(delivery, now)),
    ),
  )
}

/**
 * @param {import('../views.js').TimelineDelivery} delivery
 * @param {string} now
 */
function deliveryLink({ id, status, attempts, repeat, queuedAt }, now) {
  const again = repeat === null ? [] : [`${REPEATS[repeat].toLowerCase()} ${shortTime(queuedAt, now)}`]
  const count = attempts > 1 ? [`${attempts} attempts`] : []
  return h(
    'a',
    { class: 'delivery', href: `#/deliveries/${id}`, title: `delivery ${id}` },
    pill(status, [labelOf(status), ...again, ...count].join(', ')),
  )
}

/** Marks of deliveries that repeat an earlier delivery of the event to the same webhook. */
export const REPEATS = /** @type {const} */ ({ resend: 'Resent', duplicate: 'Duplicate' })

/**
 * Returns a control of a form with its label.
 *
 * @param {string} label
 * @param {Element} control
 */
export function field(label, control) {
  // Without aria-label, the accessible name of a select element would contain all its options.
  control.setAttribute('aria-label', label)
  return h('label', { class: 'field', 'data-key': label }, h('span', null, label), control)
}
