import { createHmac } from 'node:crypto'
import { blockerOf } from '../domain/deliveries.js'
import { entriesOf, type JournalEntry } from '../server/journal.js'
import type { FakeContext } from '../state/context.js'
import type { DeliveryAttempt, DeliveryRow } from '../state/webhooks.js'
import { newestFirst } from './lists.js'

const KEPT_WEBHOOKS = 100

/** Filters of the request list by the value of `?show=`; any other value is the first digit of a status. */
const REQUEST_KINDS: Readonly<Record<string, (entry: JournalEntry) => boolean>> = {
  errors: ({ status }) => status === null || status >= 400,
  faults: ({ fault }) => fault !== null,
  changes: ({ method, part }) => part === 'api' && method !== 'GET',
}

/** Returns the stored deliveries, newest first, filtered by `?status=` and `?search=`. */
export function listDeliveries(context: FakeContext, query: URLSearchParams) {
  return newestFirst(
    {
      rows: [...context.state.webhooks.deliveries.values()],
      position: ({ id }) => id,
      filters: {
        status: ({ status }, wanted) => status === wanted,
        url: ({ url }, wanted) => url === wanted,
        event: ({ event }, wanted) => event.eventName === wanted,
      },
      texts: ({ event, url, attempts }) => [
        event.eventName,
        event.eventUuid,
        event.entityUuid,
        url,
        attempts.at(-1)?.status ?? null,
      ],
      show: (row) => deliverySummary(context, row),
    },
    query,
  )
}

/** Returns a delivery. Throws an Error if the delivery is not stored. */
export function showDelivery(context: FakeContext, id: number) {
  const { webhooks } = context.state
  const row = webhooks.deliveries.get(id)
  if (row === undefined) throw new Error(`the fake has no delivery ${id}`)
  const { body, entityUuid } = row.event
  const signature = signatureOf(context, row)
  return {
    ...deliverySummary(context, row),
    attemptList: row.attempts.map((attempt) => ({
      ...attempt,
      isSignatureValid: attempt.signature === signature,
    })),
    body,
    entity: viewOfEntity(context, entityUuid),
  }
}

/** Returns the newest 100 webhooks of the organisation, newest first, and the number of all its webhooks. */
export function listWebhooks(context: FakeContext) {
  const { own } = context.state.webhooks.lists
  const webhooks = own
    .slice(-KEPT_WEBHOOKS)
    .reverse()
    .map(({ id, url, events, active }) => ({ id, url, events, active }))
  return { webhooks, total: own.length }
}

/** Returns the stored requests, newest first, filtered by `?show=` (errors, faults, changes) and `?search=`. */
export function listRequests(context: FakeContext, query: URLSearchParams) {
  return newestFirst(
    {
      rows: keptRequests(context),
      position: ({ number }) => number,
      filters: {
        show: (entry, wanted) => REQUEST_KINDS[wanted]?.(entry) ?? String(entry.status).startsWith(wanted),
        route: ({ route }, wanted) => route === wanted,
      },
      texts: ({ method, path, route, code, status }) => [`${method} ${path}`, route, code, status],
      show: ({ headers: _, body: _1, responseHeaders: _2, responseBody: _3, ...entry }) => ({
        ...entry,
        position: entry.number,
      }),
    },
    query,
  )
}

/**
 * Returns a request, and the number of the previous one of the same endpoint. Throws an Error if the request is not
 * stored.
 */
export function showRequest(context: FakeContext, number: number) {
  const kept = keptRequests(context)
  const entry = kept.find((one) => one.number === number)
  if (entry === undefined) throw new Error(`the fake has no request ${number}`)
  const previous = kept.findLast((one) => one.number < number && one.route === entry.route)
  return { ...entry, previous: previous?.number ?? null }
}

function keptRequests(context: FakeContext): JournalEntry[] {
  return entriesOf(context.state.server.requests, context.options.journalLimit)
}

/** Returns the view of the console that shows an event's entity; `null` if no view shows it. */
export function viewOfEntity({ state: { orders } }: FakeContext, uuid: string) {
  if (orders.results.get(uuid)?.organisation === 'own') return 'results' as const
  return orders.referrals.get(uuid)?.organisation === 'own' ? ('referrals' as const) : null
}

/** Failures of attempts that never reached a receiver: an option, a fault or the end of the fake prevented them. */
const NOT_SENT: readonly (string | null)[] = ['not sent', 'lost', 'interrupted']

/** Returns the failed attempt that started last; `null` if there is none. */
export function lastRejection(context: FakeContext) {
  let last: { row: DeliveryRow; attempt: DeliveryAttempt } | undefined
  for (const row of context.state.webhooks.deliveries.values()) {
    const attempt = row.attempts.findLast(({ failure }) => failure !== null && !NOT_SENT.includes(failure))
    if (attempt === undefined || attempt.startedAt < (last?.attempt.startedAt ?? '')) continue
    last = { row, attempt }
  }
  if (last === undefined) return null
  const { row, attempt } = last
  return {
    delivery: row.id,
    attempt: attempt.number,
    eventName: row.event.eventName,
    status: attempt.status,
    failure: attempt.failure ?? '',
    isSignatureValid: attempt.signature === signatureOf(context, row),
    reason: reasonIn(attempt.responseBody ?? ''),
  }
}

function signatureOf({ state: { webhooks } }: FakeContext, { event, organisation }: DeliveryRow): string {
  return createHmac('sha256', webhooks.signingSecrets[organisation]).update(event.body, 'utf8').digest('hex')
}

/** Returns the reason in a receiver's response: a field of its JSON, or its text. */
function reasonIn(body: string): string {
  try {
    const json: unknown = JSON.parse(body)
    const fields = ['message', 'reason', 'error', 'code'].map((name) => Reflect.get(Object(json), name))
    return fields.find((field) => typeof field === 'string') ?? body
  } catch {
    return body
  }
}

function deliverySummary({ state }: FakeContext, row: DeliveryRow) {
  const { event, attempts, dueAt } = row
  const last = attempts.at(-1)
  const blocker = blockerOf(state.webhooks, row)
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
    blockedBy: blocker === undefined ? null : { position: blocker.id, eventName: blocker.event.eventName },
  }
}
