import { blockerOf } from '../domain/deliveries.js'
import { isStillPlanned } from '../domain/referrals-timing.js'
import { biomarkerIdsOf } from '../domain/results-biomarkers.js'
import { entriesOf, type JournalEntry } from '../server/journal.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow, ResultRow } from '../state/orders.js'
import type { DeliveryRow, EventRecord } from '../state/webhooks.js'
import { labelOf, plural, shortTime } from './format.js'
import { link, REPEATS, type TimelineEntry, type Value } from './view.js'

/** Order of entries with the same time: a request, its effects, its events, and planned steps. */
const ORDER: readonly TimelineEntry['kind'][] = ['request', 'fact', 'event', 'planned']
/** Maximum number of entries. A timeline with more entries has only the newest. */
const LIMIT = 200

/**
 * Returns the history and the planned changes of a referral and its result, oldest first. Entries that the journals
 * have removed are missing.
 */
export function timelineOf(
  context: FakeContext,
  referral: ReferralRow | undefined,
  result: ResultRow | undefined,
): TimelineEntry[] {
  const { webhooks, server } = context.state
  const uuids = [referral?.uuid, result?.uuid].filter((uuid) => uuid !== undefined)
  const events = webhooks.events.filter((event) => uuids.includes(event.entityUuid))
  const deliveries = [...webhooks.deliveries.values()].filter(({ event }) => uuids.includes(event.entityUuid))
  const emitted = new Set(events.map(({ eventName, emittedAt }) => `${eventName} ${emittedAt}`))
  const facts = [
    ...(referral === undefined ? [] : referralFacts(referral)),
    ...(result === undefined ? [] : resultFacts(context, result)),
  ].filter(({ at, event }) => event === undefined || !emitted.has(`${event} ${at}`))
  return [
    ...requestsAbout(entriesOf(server.requests, context.options.journalLimit), uuids, referral),
    ...facts,
    ...events.map((event) => eventEntry(context, event, deliveries)),
    ...plannedChanges(context, uuids),
    ...deliveries.flatMap(plannedAttempt),
  ]
    .sort(
      (one, other) => one.at.localeCompare(other.at) || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind),
    )
    .slice(-LIMIT)
}

/** A past change of the record. The timeline omits the change if `event` was sent at the same time. */
type Fact = TimelineEntry & { readonly event?: string }

function referralFacts(row: ReferralRow): Fact[] {
  const origin = row.origin === 'API' ? 'over the API' : `by ${row.origin}`
  return [
    ...fact(row.createdAt, 'Ordered', `${origin}, ${plural(row.tests.length, 'test')}`, 'referral.created'),
    ...fact(row.issuedAt, 'Issued', 'the PDF exists', 'referral.issued'),
    ...fact(row.emailSentAt, 'Emailed', 'to the patient'),
    ...fact(row.deletedAt, 'Deleted', 'the PDF was removed'),
  ]
}

function resultFacts(context: FakeContext, row: ResultRow): Fact[] {
  const total = row.reportOnly ? 0 : biomarkerIdsOf(context, row.tests).length
  const messages = row.messages.flatMap(({ reported, receivedAt }) => {
    const content = total === 0 ? 'report text' : `${reported} of ${total} biomarkers`
    return fact(receivedAt, 'Laboratory message', content)
  })
  return [...messages, ...fact(row.deletedAt, 'Result deleted', 'its PDF was removed')]
}

/** Returns no fact without a time. */
function fact(at: string | null, title: string, detail: string, event?: string): Fact[] {
  return at === null ? [] : [{ at, kind: 'fact', title, detail, ...(event !== undefined && { event }) }]
}

function eventEntry(
  context: FakeContext,
  { eventName, eventUuid, emittedAt }: EventRecord,
  deliveries: readonly DeliveryRow[],
): TimelineEntry {
  const sent = deliveries.filter(({ event }) => event.eventUuid === eventUuid)
  return {
    ...{ at: emittedAt, kind: 'event', title: eventName },
    detail: sent.length === 0 ? 'no webhook subscribed, or delivery removed' : '',
    marks: sent.flatMap((row) => deliveryMarks(context, row)),
  }
}

/** The mark of a delivery, and a link to the one that blocks it. */
function deliveryMarks(context: FakeContext, row: DeliveryRow): Value[] {
  const { id, status, attempts, repeat, queuedAt } = row
  const parts = [
    labelOf(status),
    repeat && `${REPEATS[repeat].toLowerCase()} ${shortTime(queuedAt, context.clock.iso())}`,
    attempts.length > 1 && `${attempts.length} attempts`,
  ]
  const blocker = blockerOf(context.state.webhooks, row)
  return [
    { status, ...link(`deliveries/${id}`, parts.filter(Boolean).join(', ')), title: `delivery ${id}` },
    blocker && link(`deliveries/${blocker.id}`, `for delivery ${blocker.id}`),
  ]
}

/**
 * Returns the request that placed the order, and all other requests about the record except GET requests. Rejected
 * requests are included.
 */
function requestsAbout(
  entries: readonly JournalEntry[],
  uuids: readonly string[],
  referral: ReferralRow | undefined,
): TimelineEntry[] {
  const order = entries.findLast((entry) => isOrderOf(entry, referral))
  const isAbout = (entry: JournalEntry): boolean =>
    entry === order ||
    (entry.method !== 'GET' && uuids.some((uuid) => entry.path.toLowerCase().includes(uuid)))
  return entries.filter(isAbout).map((entry) => ({
    at: entry.time,
    kind: 'request',
    title: `${entry.method} ${entry.path}`,
    detail: [entry.status ?? 'no response', entry.code, entry.fault && `fault ${entry.fault}`]
      .filter(Boolean)
      .join(', '),
    href: `#/requests/${entry.number}`,
  }))
}

function isOrderOf({ route, body, time }: JournalEntry, referral: ReferralRow | undefined): boolean {
  if (referral === undefined || route !== 'referrals.create' || time > referral.createdAt) return false
  if (typeof body !== 'object' || body === null) return false
  return Reflect.get(body, 'referenceNumber') === referral.referenceNumber
}

function plannedChanges(context: FakeContext, uuids: readonly string[]): TimelineEntry[] {
  return context.state.server.jobs
    .filter(({ job }) => uuids.includes(String(job.argument['uuid'])) && isStillPlanned(context, job))
    .map(({ dueAt, job }) =>
      plan(dueAt, `Planned: ${String(job.argument['transition'] ?? job.kind)}`, 'by the service'),
    )
}

function plannedAttempt({ dueAt, event, status, attempts }: DeliveryRow): TimelineEntry[] {
  if (status !== 'waiting' || dueAt === null) return []
  return [plan(dueAt, event.eventName, `delivery attempt ${attempts.length + 1}`)]
}

function plan(dueAt: number, title: string, detail: string): TimelineEntry {
  return { at: new Date(dueAt).toISOString(), kind: 'planned', title, detail }
}
