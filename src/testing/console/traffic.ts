import { createHmac } from 'node:crypto'
import type { FakeContext } from '../server/context.js'
import { entriesOf, type JournalEntry } from '../server/journal.js'
import type { DeliveryRow } from '../state/webhooks.js'
import { equals, every, finds, type NewestPage, newestFirst } from './newest-first.js'
import type { DeliveryDetail, DeliverySummary, RequestSummary, WebhookSummary } from './views.js'

const KEPT_WEBHOOKS = 100

/** Which requests each choice of `?show=` keeps. */
const REQUEST_KINDS: Readonly<Record<string, (entry: JournalEntry) => boolean>> = {
  errors: ({ status }) => status === null || status >= 400,
  faults: ({ fault }) => fault !== null,
  changes: ({ method, door }) => door === 'api' && method !== 'GET',
}

/** Deliveries still kept, newest first; `?status=` and `?search=` narrow. */
export function listDeliveries(context: FakeContext, query: URLSearchParams): NewestPage<DeliverySummary> {
  return newestFirst(
    {
      rows: [...context.state.webhooks.deliveries.values()],
      position: ({ id }) => id,
      fits: every<DeliveryRow>(
        equals(query, 'status', (row) => row.status),
        finds(query, ({ event, url }) => [event.eventName, event.eventUuid, event.entityUuid, url]),
      ),
      show: deliverySummary,
    },
    query,
  )
}

/** One delivery; an error when it is not kept any more. */
export function showDelivery(context: FakeContext, id: number): DeliveryDetail {
  const { webhooks, orders } = context.state
  const row = webhooks.deliveries.get(id)
  if (row === undefined) throw new Error(`delivery ${id} is not kept`)
  const { body, entityUuid } = row.event
  const secret = webhooks.signingSecrets[row.organisation]
  const signature = createHmac('sha256', secret).update(body, 'utf8').digest('hex')
  const isResult = orders.results.has(entityUuid)
  return {
    ...deliverySummary(row),
    tries: row.attempts.map((attempt) => ({ ...attempt, signatureFits: attempt.signature === signature })),
    body,
    entity: isResult ? 'results' : entityOf(orders.referrals.has(entityUuid)),
  }
}

/** The organisation's webhooks, newest first. */
export function listWebhooks(context: FakeContext): { webhooks: WebhookSummary[]; total: number } {
  const { own } = context.state.webhooks.lists
  const webhooks = own
    .slice(-KEPT_WEBHOOKS)
    .reverse()
    .map(({ id, url, events, active }) => ({ id, url, events: events.length, active }))
  return { webhooks, total: own.length }
}

/** Requests still kept, newest first; `?show=` (errors, faults, changes) and `?search=` narrow. */
export function listRequests(context: FakeContext, query: URLSearchParams): NewestPage<RequestSummary> {
  return newestFirst(
    {
      rows: keptRequests(context),
      position: ({ number }) => number,
      fits: every<JournalEntry>(
        REQUEST_KINDS[query.get('show') ?? ''],
        finds(query, ({ method, path, route, code }) => [`${method} ${path}`, route, code]),
      ),
      show: ({ headers: _headers, body: _body, ...entry }) => ({ ...entry, position: entry.number }),
    },
    query,
  )
}

/** One request; an error when it is not kept any more. */
export function showRequest(context: FakeContext, number: number): JournalEntry {
  const entry = keptRequests(context).find((one) => one.number === number)
  if (entry === undefined) throw new Error(`request ${number} is not kept`)
  return entry
}

function keptRequests(context: FakeContext): JournalEntry[] {
  return entriesOf(context.state.kernel.requests, context.options.journalLimit)
}

function entityOf(isReferral: boolean): DeliveryDetail['entity'] {
  return isReferral ? 'referrals' : null
}

function deliverySummary(row: DeliveryRow): DeliverySummary {
  const { event, attempts, dueAt } = row
  const last = attempts.at(-1)
  return {
    position: row.id,
    eventName: event.eventName,
    eventUuid: event.eventUuid,
    entityUuid: event.entityUuid,
    url: row.url,
    status: row.status,
    attempts: attempts.length,
    lastStatus: last?.status ?? null,
    failure: last?.failure ?? null,
    nextAttemptAt: dueAt === null ? null : new Date(dueAt).toISOString(),
    emittedAt: event.emittedAt,
    repeat: row.repeat,
    faults: row.faults,
  }
}
