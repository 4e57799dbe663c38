import { JOBS } from './controls.js'
import { h } from './dom.js'
import { number, span } from './format.js'
import { block, button, empty, facts, time } from './parts.js'

/**
 * @typedef {import('../views.js').Overview} Overview
 * @typedef {import('../views.js').PlannedJob} PlannedJob
 * @typedef {import('../views.js').RecentEvent} RecentEvent
 */

/**
 * Draws the overview: counts, the last events and the planned events. The overview is a view of its own. The page also
 * shows it next to the lists of referrals, results and requests if no record is selected.
 *
 * @param {Overview} overview
 * @param {string} hint
 */
export function overviewPanel(overview, hint) {
  const { counts, failingDeliveries, lastEvents, planned, now } = overview
  return h(
    'article',
    { 'data-key': 'overview' },
    h('header', null, h('h2', null, 'Overview')),
    hint === '' ? null : empty(hint),
    block(
      'Now',
      facts([
        ['Referrals', link('referrals', counts.referrals)],
        ['Results', link('results', counts.results)],
        ['Deliveries', link('deliveries', counts.deliveries)],
        ['Failed or waiting for a retry', link('deliveries', failingDeliveries)],
        ['Requests', link('requests', counts.requests)],
        ['Pending faults', link('faults', counts.faults)],
      ]),
    ),
    block(
      'Last events',
      lastEvents.length === 0
        ? empty('No events yet. Place an order, or change a referral.')
        : h(
            'ol',
            { class: 'timeline' },
            lastEvents.map((event) => eventRow(event, now)),
          ),
    ),
    block(
      'Next',
      planned.length === 0
        ? empty('No planned events.')
        : h(
            'ol',
            { class: 'timeline' },
            planned.map((job) => jobRow(job, now)),
          ),
    ),
    h('p', { class: 'muted' }, 'All times are UTC, on the fake’s clock.'),
  )
}

/**
 * @param {string} view
 * @param {number} count
 */
function link(view, count) {
  return h('a', { href: `#/${view}` }, number(count))
}

/**
 * @param {RecentEvent} event
 * @param {string} now
 */
function eventRow({ eventName, eventUuid, emittedAt, entityUuid, entity }, now) {
  return h(
    'li',
    { 'data-kind': 'event', 'data-key': `${eventUuid} ${emittedAt}` },
    time(emittedAt, now),
    h(
      'div',
      null,
      h(
        'span',
        { class: 'what mono' },
        entity === null ? eventName : h('a', { href: `#/${entity}/${entityUuid}` }, eventName),
      ),
    ),
  )
}

/**
 * @param {PlannedJob} job
 * @param {string} now
 */
function jobRow({ dueAt, kind, eventName }, now) {
  const milliseconds = Math.max(0, Date.parse(dueAt) - Date.parse(now))
  return h(
    'li',
    { 'data-kind': 'planned' },
    time(dueAt, now),
    h(
      'div',
      { class: 'job' },
      h('span', { class: 'what' }, eventName === null ? (JOBS.get(kind) ?? kind) : `${eventName} is sent`),
      h('span', { class: 'muted' }, ` in ${span(milliseconds)} `),
      button('Advance to this event', {
        path: '/clock/advance',
        body: { milliseconds },
        done: 'Clock advanced',
      }),
    ),
  )
}
