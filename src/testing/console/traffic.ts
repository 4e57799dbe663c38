import { createHmac } from 'node:crypto'
import { entriesOf, type JournalEntry } from '../server/journal.js'
import type { FakeContext } from '../state/context.js'
import type { DeliveryRow } from '../state/webhooks.js'
import { equals, every, finds, type NewestPage, newestFirst } from './newest-first.js'
import type { DeliveryDetail, DeliverySummary, RequestSummary, WebhookSummary } from './views.js'

const KEPT_WEBHOOKS = 100

/** Filters by value of `?show=`. */
const REQUEST_KINDS: Readonly<Record<string, (entry: JournalEntry) => boolean>> = {
  errors: ({ status }) => status === null || status >= 400,
  faults: ({ fault }) => fault !== null,
  changes: ({ method, part }) => part === 'api' && method !== 'GET',
}

/** The kept deliveries, newest first, filtered by `?status=` and `?search=`. */
export function listDeliveries(context: FakeContext, query: URLSearchParams): NewestPage<DeliverySummary> {
  return newestFirst(
    {
      rows: [...context.state.webhooks.deliveries.values()],
      position: ({ id }) => id,
      matches: every<DeliveryRow>(
        equals(query, 'status', (row) => row.status),
        finds(query, ({ event, url }) => [event.eventName, event.eventUuid, event.entityUuid, url]),
      ),
      show: deliverySummary,
    },
    query,
  )
}

/** A delivery. Throws if it is not kept. */
export function showDelivery(context: FakeContext, id: number): DeliveryDetail {
  const { webhooks, orders } = context.state
  const row = webhooks.deliveries.get(id)
  if (row === undefined) throw new Error(`the fake has no delivery ${id}`)
  const { body, entityUuid } = row.event
  const secret = webhooks.signingSecrets[row.organisation]
  const signature = createHmac('sha256', secret).update(body, 'utf8').digest('hex')
  const isResult = orders.results.has(entityUuid)
  return {
    ...deliverySummary(row),
    attemptList: row.attempts.map((attempt) => ({
      ...attempt,
      isSignatureValid: attempt.signature === signature,
    })),
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

/** The kept requests, newest first, filtered by `?show=` (errors, faults, changes) and `?search=`. */
export function listRequests(context: FakeContext, query: URLSearchParams): NewestPage<RequestSummary> {
  return newestFirst(
    {
      rows: keptRequests(context),
      position: ({ number }) => number,
      matches: every<JournalEntry>(
        REQUEST_KINDS[query.get('show') ?? ''],
        finds(query, ({ method, path, route, code }) => [`${method} ${path}`, route, code]),
      ),
      show: ({ headers: _, body: _1, responseHeaders: _2, responseBody: _3, ...entry }) => ({
        ...entry,
        position: entry.number,
      }),
    },
    query,
  )
}

/** A request. Throws if it is not kept. */
export function showRequest(context: FakeContext, number: number): JournalEntry {
  const entry = keptRequests(context).find((one) => one.number === number)
  if (entry === undefined) throw new Error(`the fake has no request ${number}`)
  return entry
}

function keptRequests(context: FakeContext): JournalEntry[] {
  return entriesOf(context.state.server.requests, context.options.journalLimit)
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
    queuedAt: row.queuedAt,
    faults: row.faults,
  }
}
