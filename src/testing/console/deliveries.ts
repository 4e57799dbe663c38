import { createHmac } from 'node:crypto'
import { EVENT_NAMES } from '../../contract/events.js'
import type { FakeCore } from '../core/fake-core.js'
import { blockerOf } from '../domain/deliveries.js'
import type { FakeContext } from '../state/context.js'
import type { DeliveryAttempt, DeliveryRow, WebhookRow } from '../state/webhooks.js'
import { curlOf } from './curl.js'
import { headerLines, json, labelOf, ms, number, parsedJson, plural } from './format.js'
import {
  type Button,
  button,
  byStatus,
  direct,
  httpMark,
  link,
  type Page,
  REPEATS,
  type Section,
  type TableRow,
  time,
  type Value,
  type View,
} from './view.js'

const KEPT_WEBHOOKS = 100
const MAX_BODY = 4_000

export const deliveries: View<DeliveryRow> = {
  name: 'deliveries',
  tab: 'Deliveries',
  records: 'deliveries',
  searchHint: 'Event, URL, status or UUID',
  whenEmpty: 'No deliveries yet. Add a webhook, then change a referral or a result.',
  buttons: [{ label: 'Webhooks', href: '#/deliveries/webhooks' }],
  pages: {
    webhooks: {
      title: 'Webhooks',
      path: '/console/webhooks',
      description: "returns the organisation's newest 100 webhooks",
      page: webhooksPage,
    },
  },
  panel: 'webhooks',
  filters: {
    status: byStatus(['waiting', 'ready', 'sending', 'delivered', 'failed'], ({ status }) => status),
    event: {
      any: 'Any event',
      options: () => EVENT_NAMES.map((name) => [name, name]),
      test: ({ event }, wanted) => event.eventName === wanted,
    },
    url: {
      any: 'Any endpoint',
      options: ({ state }) => {
        const urls = state.webhooks.lists.own.slice(-KEPT_WEBHOOKS).map(({ url }) => url)
        return [...new Set(urls)].map((url) => [url, url])
      },
      test: ({ url }, wanted) => url === wanted,
    },
  },
  rows: ({ state }) => [...state.webhooks.deliveries.values()],
  position: ({ id }) => id,
  texts: ({ event, url, attempts }) => [
    event.eventName,
    event.eventUuid,
    event.entityUuid,
    url,
    attempts.at(-1)?.status ?? null,
  ],
  show: (row, { context }) => {
    const last = row.attempts.at(-1)
    return {
      id: row.id,
      title: row.event.eventName,
      isCode: true,
      below: [
        row.repeat && REPEATS[row.repeat],
        row.url,
        row.attempts.length === 0 ? null : plural(row.attempts.length, 'attempt'),
        last?.status ?? last?.failure,
      ],
      mark: statusMark(context, row),
      time: row.queuedAt,
    }
  },
  page: (core, id) => {
    const row = core.state.webhooks.deliveries.get(Number(id))
    if (row === undefined) throw new Error(`the fake has no delivery ${id}`)
    return deliveryPage(core, row)
  },
}

/** A status; of a delivery that waits for another one, a link to that. */
function statusMark({ state }: FakeContext, row: DeliveryRow): Value {
  const blocker = blockerOf(state.webhooks, row)
  if (blocker === undefined) return { status: row.status }
  const { id, event } = blocker
  return {
    status: row.status,
    ...link(`deliveries/${id}`, `Waiting for ${id}`),
    title: `Waits for delivery ${id}, ${event.eventName}`,
  }
}

function deliveryPage({ context, state }: FakeCore, row: DeliveryRow): Page {
  const { event, attempts, dueAt } = row
  const { eventName, eventUuid, entityUuid, body } = event
  const blocker = blockerOf(state.webhooks, row)
  const headers = attempts.at(-1)?.headers ?? { 'content-type': 'application/json' }
  const edited = { eventName, entityUuid, data: Object(parsedJson(body)).data }
  return {
    title: eventName,
    isCode: true,
    id: eventUuid,
    marks: [
      statusMark(context, row),
      ...row.faults.map((fault) => ({ text: labelOf(fault), tone: 'bad' }) as const),
      row.repeat && { text: REPEATS[row.repeat], tone: 'warn' },
    ],
    buttons: [
      direct('POST /events/{eventUuid}/resend', { params: { eventUuid }, tone: 'main' }),
      { ...triggerButton('Edit and send again'), values: edited },
      { label: 'Copy as curl', copy: curlOf({ method: 'POST', url: row.url, headers, body }) },
    ],
    sections: [
      {
        title: 'Attempts',
        columns: ['Attempt', 'Sent', 'Response', 'Duration', 'Signature'],
        rows: attempts.map((attempt) => attemptRow(attempt, signatureOf(context, row))),
        whenEmpty: 'No attempts yet.',
      },
      ...attempts.map(exchange),
      {
        title: 'Event',
        facts: [
          ['URL', row.url],
          ['Entity', entityLink(context, entityUuid)],
          ['Event', time(event.emittedAt)],
          ['Queued', time(row.queuedAt)],
          ['Next attempt', time(dueAt === null ? null : new Date(dueAt).toISOString())],
          [
            'Waits for',
            blocker && link(`deliveries/${blocker.id}`, `${blocker.id}, ${blocker.event.eventName}`),
          ],
        ],
      },
      {
        title: 'Body',
        hint: `${number(Buffer.byteLength(body))} bytes, exactly as signed`,
        text: body.length > MAX_BODY ? `${body.slice(0, MAX_BODY)} …` : body,
      },
      { title: 'Formatted body', folded: true, text: json(body) },
    ],
  }
}

function attemptRow(attempt: DeliveryAttempt, expected: string): TableRow {
  const { status, failure, signature, durationMs } = attempt
  const isValid = signature === expected
  return {
    cells: [
      attempt.number,
      time(attempt.startedAt),
      status === null ? (failure ?? 'sending') : httpMark(status),
      ms(durationMs),
      { text: `Signature ${isValid ? 'valid' : 'invalid'}`, tone: isValid ? 'good' : 'bad', copy: signature },
    ],
  }
}

/** What an attempt sent and received. */
function exchange({ number: place, headers, responseHeaders, responseBody }: DeliveryAttempt): Section {
  const received = [headerLines(responseHeaders), responseBody ?? ''].join('\n\n').trim()
  return {
    title: `Headers and response of attempt ${place}`,
    folded: true,
    text: `Sent\n${headerLines(headers)}\n\nReceived\n${received === '' ? 'nothing' : received}`,
  }
}

function entityLink({ state: { orders } }: FakeContext, uuid: string): Value {
  const view = viewOfEntity(orders, uuid)
  return view === null ? uuid : link(`${view}/${uuid}`, uuid)
}

/** Returns the view of the console that shows an event's entity; `null` if no view shows it. */
export function viewOfEntity(orders: FakeContext['state']['orders'], uuid: string) {
  if (orders.results.get(uuid)?.organisation === 'own') return 'results'
  return orders.referrals.get(uuid)?.organisation === 'own' ? 'referrals' : null
}

function webhooksPage({ state }: FakeCore): Page {
  const { own } = state.webhooks.lists
  const older = own.length - KEPT_WEBHOOKS
  return {
    title: 'Webhooks',
    sections: [
      {
        title: 'Add a webhook',
        form: button('POST /webhooks', { label: 'Add webhook', folded: ['events'], done: 'Webhook added' }),
      },
      {
        title: 'Webhooks of the organisation',
        ...(older > 0 && { hint: `and ${number(older)} older webhooks` }),
        rows: own.slice(-KEPT_WEBHOOKS).reverse().map(webhookRow),
        whenEmpty: 'No webhooks yet. Events are not delivered.',
      },
      { title: 'Send an event', form: triggerButton('Send') },
    ],
  }
}

function webhookRow({ id, url, events, active }: WebhookRow): TableRow {
  const params = { id }
  return {
    cells: [
      url,
      { text: plural(events.length, 'event'), title: events.join(', ') },
      { text: active ? 'Active' : 'Paused', tone: active ? 'good' : 'warn' },
    ],
    buttons: [
      {
        ...direct('PUT /webhooks/{id}', { params, body: { active: !active } }),
        label: active ? 'Pause' : 'Continue',
      },
      button('PUT /webhooks/{id}', { params, label: 'Change', values: { url, events, active } }),
      direct('DELETE /webhooks/{id}', {
        params,
        label: 'Delete',
        tone: 'bad',
        confirm: `Delete the webhook of ${url}?`,
      }),
    ],
  }
}

function triggerButton(label: string): Button {
  return button('POST /trigger', {
    label,
    folded: ['data'],
    done: 'Deliveries added: {deliveries}. Each active webhook that has the event gets one.',
  })
}

/** Failures of attempts that never reached a receiver: an option, a fault or the end of the fake prevented them. */
const NOT_SENT: readonly (string | null)[] = ['not sent', 'lost', 'interrupted']

/** Returns the failed attempt that started last, with the receiver's reason; `null` if there is none. */
export function lastRejection(context: FakeContext): { readonly key: string; readonly text: string } | null {
  const failed = [...context.state.webhooks.deliveries.values()].flatMap((row) => {
    const attempt = row.attempts.findLast(({ failure }) => failure !== null && !NOT_SENT.includes(failure))
    return attempt === undefined ? [] : [{ row, attempt }]
  })
  const last = failed.reduce<(typeof failed)[number] | undefined>(
    (latest, one) => (one.attempt.startedAt >= (latest?.attempt.startedAt ?? '') ? one : latest),
    undefined,
  )
  return last === undefined ? null : rejection(context, last.row, last.attempt)
}

function rejection(context: FakeContext, row: DeliveryRow, { number: place, ...attempt }: DeliveryAttempt) {
  const { status, failure, signature } = attempt
  const words = reasonIn(attempt.responseBody ?? '').slice(0, 200)
  const isValid = signature === signatureOf(context, row)
  const what =
    status === null
      ? `the receiver did not respond: ${failure}`
      : `the receiver responded with ${status}, ${words === '' ? 'without a reason' : words} (the signature is ${isValid ? 'valid' : 'invalid'})`
  const title = `Delivery ${row.id}, ${row.event.eventName}`
  return { key: `${row.id} ${place}`, text: `${title}${place === 1 ? '' : `, attempt ${place}`}: ${what}` }
}

function signatureOf({ state: { webhooks } }: FakeContext, { event, organisation }: DeliveryRow): string {
  return createHmac('sha256', webhooks.signingSecrets[organisation]).update(event.body, 'utf8').digest('hex')
}

/** Returns the reason in a receiver's response: a field of its JSON, or its text. */
function reasonIn(body: string): string {
  const fields = ['message', 'reason', 'error', 'code'].map((name) =>
    Reflect.get(Object(parsedJson(body)), name),
  )
  return fields.find((field) => typeof field === 'string') ?? body
}
