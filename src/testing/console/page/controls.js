import { h } from './dom.js'
import { clockTime, number, span } from './format.js'

/**
 * @typedef {import('../views.js').Overview} Overview
 * @typedef {{ name: string, label: string }} Tab
 */

/** Clock steps for which there is a button. */
const STEPS = /** @type {const} */ ([
  ['+1 min', { minutes: 1 }],
  ['+1 h', { hours: 1 }],
  ['+1 day', { days: 1 }],
  ['+1 week', { days: 7 }],
])

/** Labels of the planned jobs. */
export const JOBS = new Map([
  ['referrals.transition', 'a referral changes its status'],
  ['deliveries.attempt', 'a delivery is sent'],
  ['centres.weeklyRefresh', 'the directory is refreshed'],
])

const UNITS = /** @type {const} */ (['seconds', 'minutes', 'hours', 'days'])

/** Returns the buttons and the form next to the clock. The page draws them only once, so that typed text stays. */
export function clockTools() {
  return [
    STEPS.map(([label, step]) =>
      h(
        'button',
        {
          type: 'button',
          class: 'button small',
          'data-method': 'POST',
          'data-path': '/clock/advance',
          'data-body': JSON.stringify(step),
          'data-done': `Clock: ${label}`,
        },
        label,
      ),
    ),
    h(
      'form',
      { 'data-form': 'advance', class: 'advance' },
      h('input', { type: 'number', name: 'amount', value: 15, min: 1, 'aria-label': 'Amount' }),
      h(
        'select',
        { name: 'unit', 'aria-label': 'Unit' },
        UNITS.map((unit) => h('option', { selected: unit === 'minutes' }, unit)),
      ),
      h('button', { class: 'button small' }, 'Advance'),
    ),
  ]
}

/**
 * @param {number} now
 * @param {Overview['clock']} clock
 */
export function clockFace(now, clock) {
  const { day, time } = clockTime(now)
  return [
    h('span', { class: 'time' }, time),
    h(
      'span',
      { class: 'day' },
      day,
      h('span', { class: 'zone', title: 'All times are UTC, as in the API' }, ' UTC'),
      h('span', { class: 'muted' }, clock === 'stopped' ? ' · stopped' : ' · running'),
    ),
  ]
}

/**
 * @param {Overview['next']} next
 * @param {number} now
 */
export function nextJob(next, now) {
  const wait = next === null ? 0 : new Date(next.dueAt).getTime() - now
  if (next === null || wait <= 0) return [h('span', { class: 'muted' }, 'No planned events')]
  return [
    h('span', { class: 'muted' }, `In ${span(wait)}: ${JOBS.get(next.kind) ?? next.kind} `),
    h(
      'button',
      {
        type: 'button',
        class: 'button small',
        'data-method': 'POST',
        'data-path': '/clock/advance',
        'data-body': JSON.stringify({ milliseconds: wait }),
        'data-done': 'Clock advanced',
      },
      'Advance to this event',
    ),
  ]
}

/**
 * @param {readonly Tab[]} tabs
 * @param {string} current
 * @param {Overview | undefined} overview
 */
export function tabBar(tabs, current, overview) {
  /** @type {Readonly<Record<string, number>>} */
  const counts = overview?.counts ?? {}
  return h(
    'ul',
    null,
    tabs.map(({ name, label }) =>
      h(
        'li',
        { 'data-key': name },
        h(
          'a',
          { href: `#/${name}`, 'aria-current': name === current ? 'page' : null },
          label,
          name in counts ? h('span', { class: 'count' }, number(counts[name] ?? 0)) : null,
          name === 'deliveries' && (overview?.failingDeliveries ?? 0) > 0
            ? h(
                'span',
                { class: 'trouble', title: 'failed or waiting for a retry' },
                number(overview?.failingDeliveries ?? 0),
              )
            : null,
        ),
      ),
    ),
  )
}
