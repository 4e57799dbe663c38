import { h } from './dom.js'
import { json, longTime, said, shortTime } from './format.js'

/**
 * @typedef {import('./dom.js').Child} Child
 * @typedef {import('../views.js').RecordAction} RecordAction
 * @typedef {import('../views.js').TimelineEntry} TimelineEntry
 */

/** How a status looks: settled well, under way, waiting for somebody, gone wrong, or over. */
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

/** Moves that most people look for, and moves that end something. */
const MAIN_MOVES = new Set(['issue', 'verify', 'partialResults', 'complete', 'release'])
const ENDING_MOVES = new Set(['failBilling', 'failTest', 'refund', 'softDelete'])

/** Values of a fact: whatever is empty is a dash. */
const NOTHING = '–'

/** @param {string} status */
export function pill(status, text = said(status)) {
  return h('span', { class: 'pill', 'data-tone': TONES.get(status) ?? 'quiet' }, text)
}

/** @param {number | null} status an HTTP status, or `null` for no answer */
export function httpPill(status) {
  if (status === null) return h('span', { class: 'pill', 'data-tone': 'bad' }, 'no answer')
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

/** @param {string} text what a click copies */
export function copyable(text, shown = text) {
  return h(
    'button',
    { type: 'button', class: 'copy', 'data-copy': text, title: 'Copy' },
    h('span', { class: 'mono' }, shown),
  )
}

/**
 * A button that asks the control interface for something.
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
 * Buttons for the moves that a record can make now.
 *
 * @param {readonly RecordAction[]} moves
 * @param {{ roomy?: boolean }} [space] whether there is room for more lines of them than there are now
 */
export function moveBar(moves, { roomy = false } = {}) {
  const buttons = moves.map(({ name, path, description }) =>
    button(said(name), { path, title: description, tone: moveTone(name) }),
  )
  return h(
    'div',
    { class: roomy ? 'moves roomy' : 'moves', role: 'toolbar', 'aria-label': 'What can happen now' },
    buttons.length === 0 ? h('span', { class: 'muted' }, 'Nothing more can happen to it.') : buttons,
  )
}

/** @param {string} name */
function moveTone(name) {
  if (MAIN_MOVES.has(name)) return 'main'
  return ENDING_MOVES.has(name) ? 'bad' : undefined
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
 * Something long that is there when wanted.
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
  if (entries.length === 0) return empty('Nothing is known of its past.')
  return h(
    'ol',
    { class: 'timeline' },
    entries.map((entry, place) => timelineRow(entry, now, entries[place - 1]?.at === entry.at)),
  )
}

/**
 * @param {TimelineEntry} entry
 * @param {string} now
 * @param {boolean} isSame whether it happened at the moment of the entry before
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
      deliveries.map(({ id, status, attempts }) =>
        h(
          'a',
          { class: 'delivery', href: `#/deliveries/${id}`, title: `delivery ${id}` },
          pill(status, attempts > 1 ? `${said(status)}, ${attempts} attempts` : said(status)),
        ),
      ),
    ),
  )
}

/**
 * A control of a form with its label.
 *
 * @param {string} label
 * @param {Element} control
 */
export function field(label, control) {
  // Without a name of its own a choice would be called by its label and all that it offers.
  control.setAttribute('aria-label', label)
  return h('label', { class: 'field', 'data-key': label }, h('span', null, label), control)
}
