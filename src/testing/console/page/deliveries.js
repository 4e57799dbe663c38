import { h } from './dom.js'
import { number, plural, said } from './format.js'
import { block, button, copyable, empty, facts, field, foldedJson, httpPill, pill, time } from './parts.js'

/**
 * @typedef {import('../views.js').DeliverySummary} DeliverySummary
 * @typedef {import('../views.js').DeliveryDetail} DeliveryDetail
 * @typedef {import('../views.js').WebhookSummary} WebhookSummary
 * @typedef {import('../views.js').Choices} Choices
 */

/** @type {import('./lists.js').ListView<DeliverySummary, DeliveryDetail>} */
export const deliveries = {
  name: 'deliveries',
  label: 'Deliveries',
  path: '/console/deliveries',
  searchHint: 'Event, URL or UUID',
  filter: {
    name: 'status',
    any: 'Any status',
    choices: () =>
      ['waiting', 'ready', 'sending', 'delivered', 'failed'].map((status) => [status, said(status)]),
  },
  tools: h('a', { class: 'button', href: '#/deliveries/webhooks' }, 'Webhooks'),
  whenEmpty: 'No delivery yet. Add a webhook, then let something happen.',
  idOf: ({ position }) => position,
  row: ({ eventName, url, status, attempts, lastStatus, failure, emittedAt }, now) => [
    h('span', { class: 'mono' }, eventName),
    [url, attempts === 0 ? '' : ` · ${plural(attempts, 'attempt')}`, answerOf(lastStatus, failure)],
    pill(status),
    time(emittedAt, now),
  ],
  detail: deliveryDetail,
}

/**
 * @param {number | null} status
 * @param {string | null} failure
 */
function answerOf(status, failure) {
  if (status !== null) return ` · ${status}`
  return failure === null ? '' : ` · ${failure}`
}

/**
 * @param {DeliveryDetail} detail
 * @param {string} now
 */
function deliveryDetail(detail, now) {
  const { position, eventName, eventUuid, entityUuid, entity, status, faults, repeat, body } = detail
  return h(
    'article',
    { 'data-key': `delivery ${position}` },
    h(
      'header',
      null,
      h('h2', { class: 'mono' }, eventName, pill(status)),
      faults.map((fault) => h('span', { class: 'pill', 'data-tone': 'bad' }, said(fault))),
      repeat ? h('span', { class: 'pill', 'data-tone': 'warn' }, 'Sent again') : null,
      copyable(eventUuid),
    ),
    h(
      'div',
      { class: 'moves' },
      button('Send it again', {
        path: `/events/${eventUuid}/resend`,
        tone: 'main',
        title: 'The same bytes, to every webhook that had it: a duplicate',
        done: 'Sent again',
      }),
    ),
    block('Attempts', attempts(detail, now)),
    block(
      'Event',
      facts([
        ['To', detail.url],
        ['About', entity === null ? entityUuid : h('a', { href: `#/${entity}/${entityUuid}` }, entityUuid)],
        ['Happened', time(detail.emittedAt, now)],
        ['Next attempt', time(detail.nextAttemptAt, now)],
      ]),
    ),
    block(
      'Body',
      h('p', { class: 'muted' }, `${number(new TextEncoder().encode(body).length)} bytes, exactly as signed`),
      h('pre', { class: 'wrapped', tabindex: 0 }, body.length > 4_000 ? `${body.slice(0, 4_000)} …` : body),
    ),
    foldedJson('Body, laid out', body),
  )
}

/**
 * @param {DeliveryDetail} detail
 * @param {string} now
 */
function attempts({ attemptList }, now) {
  if (attemptList.length === 0) return empty('None yet.')
  return h(
    'table',
    { class: 'plain attempts' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['', 'Sent', 'Answer', 'Signature'].map((title) => h('th', { scope: 'col' }, title)),
      ),
    ),
    h(
      'tbody',
      null,
      attemptList.map(({ number: place, startedAt, status, failure, signature, isSignatureValid }) =>
        h(
          'tr',
          { 'data-key': place },
          h('td', { class: 'muted' }, place),
          h('td', null, time(startedAt, now)),
          h(
            'td',
            null,
            status === null && failure === null ? 'under way' : httpPill(status),
            failure === null ? null : h('span', { class: 'muted' }, ` ${failure}`),
          ),
          h(
            'td',
            { class: 'signature' },
            h(
              'span',
              { class: 'pill', 'data-tone': isSignatureValid ? 'good' : 'bad' },
              isSignatureValid ? 'Fits the secret' : 'Does not fit',
            ),
            copyable(signature, `${signature.slice(0, 12)}…${signature.slice(-6)}`),
          ),
        ),
      ),
    ),
  )
}

/**
 * What stands beside the deliveries while none is chosen.
 *
 * @param {{ webhooks: readonly WebhookSummary[], total: number }} data
 * @param {Choices} choices
 */
export function webhooksPanel({ webhooks, total }, { events }) {
  return h(
    'article',
    { 'data-key': 'webhooks' },
    h('header', null, h('h2', null, 'Webhooks')),
    h(
      'form',
      { class: 'form', 'data-form': 'webhook', 'data-key': 'add' },
      field(
        'URL',
        h('input', {
          name: 'url',
          type: 'url',
          required: true,
          placeholder: 'http://127.0.0.1:3000/webhooks',
          size: 36,
        }),
      ),
      h('button', { class: 'button', 'data-tone': 'main' }, 'Add, for every event'),
      h('p', { class: 'hint' }, 'As the portal does: on this machine http and loopback are fine here.'),
    ),
    webhooks.length === 0
      ? empty('No webhook yet: events happen, and nobody is told.')
      : h(
          'ul',
          { class: 'cards' },
          webhooks.map(({ id, url, events: count, active }) =>
            h(
              'li',
              { 'data-key': id },
              h('span', { class: 'mono wide' }, url),
              h('span', { class: 'muted' }, plural(count, 'event')),
              h(
                'span',
                { class: 'pill', 'data-tone': active ? 'good' : 'over' },
                active ? 'Active' : 'Paused',
              ),
            ),
          ),
        ),
    total > webhooks.length ? empty(`and ${number(total - webhooks.length)} older ones`) : null,
    block(
      'Send an event',
      h(
        'form',
        { class: 'form', 'data-form': 'trigger', 'data-key': 'trigger' },
        field(
          'Event',
          h(
            'select',
            { name: 'eventName' },
            events.map((name) => h('option', null, name)),
          ),
        ),
        field(
          'About',
          h('input', {
            name: 'entityUuid',
            placeholder: 'UUID; left out, the newest',
            size: 30,
            autocomplete: 'off',
          }),
        ),
        h('button', { class: 'button', 'data-tone': 'main' }, 'Send'),
        h('p', { class: 'hint' }, 'Nothing else changes: it only says that something happened.'),
      ),
    ),
  )
}
