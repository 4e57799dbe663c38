import { curlOf } from './curl.js'
import { h } from './dom.js'
import { labelOf, number, plural } from './format.js'
import {
  block,
  button,
  copyable,
  copyText,
  empty,
  facts,
  field,
  foldedJson,
  headerList,
  httpPill,
  ms,
  pill,
  REPEATS,
  time,
} from './parts.js'

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
      ['waiting', 'ready', 'sending', 'delivered', 'failed'].map((status) => [status, labelOf(status)]),
  },
  tools: h('a', { class: 'button', href: '#/deliveries/webhooks' }, 'Webhooks'),
  whenEmpty: 'No deliveries yet. Add a webhook, then change a referral or a result.',
  idOf: ({ position }) => position,
  row: ({ eventName, url, status, attempts, lastStatus, failure, queuedAt, repeat }, now) => [
    h('span', { class: 'mono' }, eventName),
    [
      repeat === null ? null : h('span', { class: 'warn' }, `${REPEATS[repeat]} · `),
      url,
      attempts === 0 ? '' : ` · ${plural(attempts, 'attempt')}`,
      outcomeOf(lastStatus, failure),
    ],
    pill(status),
    time(queuedAt, now),
  ],
  detail: deliveryDetail,
}

/**
 * @param {number | null} status
 * @param {string | null} failure
 */
function outcomeOf(status, failure) {
  if (status !== null) return ` · ${status}`
  return failure === null ? '' : ` · ${failure}`
}

/**
 * @param {DeliveryDetail} detail
 * @param {string} now
 */
function deliveryDetail(detail, now) {
  const { position, eventName, eventUuid, entityUuid, entity, status, faults, repeat, body, blockedBy } =
    detail
  return h(
    'article',
    { 'data-key': `delivery ${position}` },
    h(
      'header',
      null,
      h('h2', { class: 'mono' }, eventName, pill(status)),
      faults.map((fault) => h('span', { class: 'pill', 'data-tone': 'bad' }, labelOf(fault))),
      repeat === null ? null : h('span', { class: 'pill', 'data-tone': 'warn' }, REPEATS[repeat]),
      copyable(eventUuid),
    ),
    h(
      'div',
      { class: 'action-bar' },
      button('Resend', {
        path: `/events/${eventUuid}/resend`,
        tone: 'main',
        title: 'Sends the same bytes to the same webhooks again',
        done: 'Event sent again',
      }),
      copyText(
        'Copy as curl',
        curlOf({
          method: 'POST',
          url: detail.url,
          headers: detail.attemptList.at(-1)?.headers ?? { 'content-type': 'application/json' },
          body,
        }),
      ),
    ),
    block('Attempts', attempts(detail, now), attemptDetails(detail)),
    block(
      'Event',
      facts([
        ['URL', detail.url],
        ['Entity', entity === null ? entityUuid : h('a', { href: `#/${entity}/${entityUuid}` }, entityUuid)],
        ['Event', time(detail.emittedAt, now)],
        ['Queued', time(detail.queuedAt, now)],
        ['Next attempt', time(detail.nextAttemptAt, now)],
        [
          'Waits for',
          blockedBy === null
            ? null
            : h(
                'a',
                { href: `#/deliveries/${blockedBy.position}` },
                `delivery ${blockedBy.position}, ${blockedBy.eventName}`,
              ),
        ],
      ]),
    ),
    block(
      'Body',
      h('p', { class: 'muted' }, `${number(new TextEncoder().encode(body).length)} bytes, exactly as signed`),
      h('pre', { class: 'wrapped', tabindex: 0 }, body.length > 4_000 ? `${body.slice(0, 4_000)} …` : body),
    ),
    foldedJson('Formatted body', body),
  )
}

/**
 * @param {DeliveryDetail} detail
 * @param {string} now
 */
function attempts({ attemptList }, now) {
  if (attemptList.length === 0) return empty('No attempts yet.')
  return h(
    'table',
    { class: 'plain attempts' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['', 'Sent', 'Response', 'Duration', 'Signature'].map((title) => h('th', { scope: 'col' }, title)),
      ),
    ),
    h(
      'tbody',
      null,
      attemptList.map(
        ({ number: place, startedAt, status, failure, durationMs, signature, isSignatureValid }) =>
          h(
            'tr',
            { 'data-key': place },
            h('td', { class: 'muted' }, place),
            h('td', null, time(startedAt, now)),
            h(
              'td',
              null,
              status === null && failure === null ? 'sending' : httpPill(status),
              failure === null || status !== null ? null : h('span', { class: 'muted' }, ` ${failure}`),
            ),
            h('td', { class: 'muted' }, ms(durationMs)),
            h(
              'td',
              { class: 'signature' },
              h(
                'span',
                { class: 'pill', 'data-tone': isSignatureValid ? 'good' : 'bad' },
                isSignatureValid ? 'Signature valid' : 'Signature invalid',
              ),
              copyable(signature, `${signature.slice(0, 12)}…${signature.slice(-6)}`),
            ),
          ),
      ),
    ),
  )
}

/**
 * Draws the headers and the response of each attempt.
 *
 * @param {DeliveryDetail} detail
 */
function attemptDetails({ attemptList }) {
  return attemptList.map(({ number: place, headers, responseHeaders, responseBody }) =>
    h(
      'details',
      { class: 'fold', 'data-key': `attempt ${place}` },
      h('summary', null, `Headers and response of attempt ${place}`),
      block('Sent headers', headerList(headers)),
      block('Received headers', headerList(responseHeaders)),
      block(
        'Received body',
        responseBody === null || responseBody === ''
          ? empty('No body.')
          : h('pre', { class: 'wrapped', tabindex: 0 }, responseBody),
      ),
    ),
  )
}

/**
 * Draws the panel that is shown next to the deliveries if no delivery is selected.
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
      h('button', { class: 'button', 'data-tone': 'main' }, 'Add webhook'),
      h(
        'p',
        { class: 'hint' },
        'The webhook gets every event. Loopback URLs are accepted here, also with http.',
      ),
    ),
    webhooks.length === 0
      ? empty('No webhooks yet. Events are not delivered.')
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
    total > webhooks.length ? empty(`and ${number(total - webhooks.length)} older webhooks`) : null,
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
          'Entity',
          h('input', {
            name: 'entityUuid',
            placeholder: 'UUID, default the newest',
            size: 30,
            autocomplete: 'off',
          }),
        ),
        h('button', { class: 'button', 'data-tone': 'main' }, 'Send'),
        h('p', { class: 'hint' }, 'Sends the event without changing the entity.'),
      ),
    ),
  )
}
