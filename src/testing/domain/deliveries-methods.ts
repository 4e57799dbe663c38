import type { EventName } from '../../contract/events.js'
import type { FakeContext } from '../server/context.js'
import type { DeliveryAttempt, DeliveryFault, DeliveryFaultKind, DeliveryStatus } from '../state/webhooks.js'
import { emitEvent, enqueue } from './deliveries.js'
import { addDeliveryFault, type DeliveryFaultRequest, unusedDeliveryFaults } from './deliveries-faults.js'
import { EVENT_SUBJECTS, emptyRefreshData, referralEventData, resultEventData } from './events.js'

/** One event on its way to one webhook, for a test to look at. */
export interface DeliveryRecord {
  /** The delivery's number, counted up from 1. */
  readonly id: number
  /** The webhook's id. */
  readonly webhookId: string
  /** Where it goes: the webhook's URL when the event happened. */
  readonly url: string
  /** What happened. */
  readonly eventName: EventName
  /** The event's id, a UUID: the same on every delivery of it. */
  readonly eventUuid: string
  /** The id, a UUID, of what the event is about: its events are delivered in order. */
  readonly entityUuid: string
  /** The exact text that the signature covers. */
  readonly body: string
  /** Where the delivery stands. */
  readonly status: DeliveryStatus
  /** The attempts so far, first one first. */
  readonly attempts: readonly DeliveryAttempt[]
  /** ISO 8601, on the fake's clock: when the next attempt is due; `null` when none is planned. */
  readonly nextAttemptAt: string | null
  /** The faults it has drawn. */
  readonly faults: readonly DeliveryFaultKind[]
}

/** One event that happened, whether a webhook wanted it or not. */
export interface EmittedEvent {
  /** What happened. */
  readonly eventName: EventName
  /** The event's id, a UUID. */
  readonly eventUuid: string
  /** The id, a UUID, of what the event is about. */
  readonly entityUuid: string
  /** The envelope's version. */
  readonly version: string
  /** The event's data, as deliveries carry it. */
  readonly data: Readonly<Record<string, unknown>>
  /** When it happened, ISO 8601 on the fake's clock. */
  readonly emittedAt: string
}

/** What to say in a triggered event; left out, it is made. */
export interface TriggerRequest {
  /** Whose event it is: the UUID of a referral or a result. Default: the newest one. */
  readonly entityUuid?: string | undefined
  /** The event's data, in place of the entity's own. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** Webhook deliveries from the service's side (§6). */
export const deliveryDrivers = {
  /** Every delivery still kept, oldest first, with its attempts. */
  list: (context: FakeContext): DeliveryRecord[] => listDeliveries(context),
  /** Every event still kept, oldest first. */
  events: (context: FakeContext): EmittedEvent[] => listEvents(context),
  /**
   * Sends an event again, with the same bytes, to every webhook that had it: a duplicate (§6).
   *
   * @returns how many deliveries were queued
   */
  resend(context: FakeContext, eventUuid: string): number {
    const { webhooks } = context.state
    const earlier = [...webhooks.deliveries.values()].filter((row) => row.event.eventUuid === eventUuid)
    if (earlier.length === 0) throw new Error(`no delivery of event ${eventUuid} is kept`)
    const targets = new Map(earlier.map((row) => [row.webhookId, row]))
    for (const { webhookId, url, organisation, event } of targets.values()) {
      enqueue(context, { id: webhookId, url, organisation }, event, { repeat: true })
    }
    return targets.size
  },
  /**
   * Sends any event of §6, without changing what it is about.
   *
   * @returns the event's UUID
   */
  trigger(context: FakeContext, eventName: EventName, request: TriggerRequest = {}): string {
    const { entityUuid, data } = subjectOf(context, eventName, request)
    return emitEvent(context, eventName, entityUuid, data).eventUuid
  },
  /** Makes coming deliveries go wrong: `bad-signature`, `duplicate`, `reorder`, `lost`. */
  fault: (context: FakeContext, request: DeliveryFaultRequest): void => addDeliveryFault(context, request),
  /** Delivery faults that nothing has drawn yet. */
  unusedFaults: (context: FakeContext): DeliveryFault[] => unusedDeliveryFaults(context),
} as const

function listDeliveries(context: FakeContext): DeliveryRecord[] {
  return [...context.state.webhooks.deliveries.values()].map((row) => ({
    id: row.id,
    webhookId: row.webhookId,
    url: row.url,
    eventName: row.event.eventName,
    eventUuid: row.event.eventUuid,
    entityUuid: row.event.entityUuid,
    body: row.event.body,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.dueAt === null ? null : new Date(row.dueAt).toISOString(),
    faults: [...row.faults],
  }))
}

function listEvents(context: FakeContext): EmittedEvent[] {
  return context.state.webhooks.events.map(({ body, entityUuid, emittedAt }) => ({
    ...JSON.parse(body),
    entityUuid,
    emittedAt,
  }))
}

interface Subject {
  readonly entityUuid: string
  readonly data: Readonly<Record<string, unknown>>
}

function subjectOf(context: FakeContext, eventName: EventName, request: TriggerRequest): Subject {
  const subject = EVENT_SUBJECTS.get(eventName)
  if (subject === 'referral') return referralSubject(context, eventName, request)
  if (subject === 'result') return resultSubject(context, eventName, request)
  if (subject === 'centres') return centresSubject(context, request)
  return unknownSubject(context, request)
}

function referralSubject(context: FakeContext, eventName: EventName, request: TriggerRequest): Subject {
  const { referrals, referralLists } = context.state.orders
  const row = request.entityUuid === undefined ? referralLists.own.at(-1) : referrals.get(request.entityUuid)
  if (row !== undefined) {
    return { entityUuid: row.uuid, data: request.data ?? referralEventData(context, eventName, row) }
  }
  return unknownSubject(context, request)
}

function resultSubject(context: FakeContext, eventName: EventName, request: TriggerRequest): Subject {
  const { results, resultLists } = context.state.orders
  const row = request.entityUuid === undefined ? resultLists.own.at(-1) : results.get(request.entityUuid)
  if (row !== undefined) {
    return { entityUuid: row.uuid, data: request.data ?? resultEventData(context, eventName, row) }
  }
  return unknownSubject(context, request)
}

function centresSubject(context: FakeContext, request: TriggerRequest): Subject {
  const data: Readonly<Record<string, unknown>> = request.data ?? { ...emptyRefreshData(context) }
  const runUuid = data['runUuid']
  return {
    entityUuid: request.entityUuid ?? (typeof runUuid === 'string' ? runUuid : context.random.uuid()),
    data,
  }
}

/** An event of which the fake knows nothing needs its data from the caller. */
function unknownSubject(context: FakeContext, request: TriggerRequest): Subject {
  if (request.data === undefined) {
    throw new Error('this event needs data: the fake has no referral or result it could be about')
  }
  return { entityUuid: request.entityUuid ?? context.random.uuid(), data: request.data }
}
