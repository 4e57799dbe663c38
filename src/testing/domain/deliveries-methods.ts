import { isRecord } from '../../common/known-options.js'
import type { EventName } from '../../contract/events.js'
import { checkFields, text } from '../server/value-rules.js'
import type { FakeContext } from '../state/context.js'
import type { DeliveryAttempt, DeliveryFault, DeliveryFaultKind, DeliveryStatus } from '../state/webhooks.js'
import { emitEvent, enqueue } from './deliveries.js'
import { addDeliveryFault } from './deliveries-faults.js'
import {
  EVENT_SUBJECTS,
  emptyRefreshData,
  referralEventData,
  rejectMisspeltEvent,
  resultEventData,
} from './events.js'

/** Delivery of one event to one webhook. */
export interface DeliveryRecord {
  /** Number of the delivery, from 1. */
  readonly id: number
  /** The webhook's id. */
  readonly webhookId: string
  /** The webhook's URL at the time of the event; for a resend, at the time of the resend. */
  readonly url: string
  /** Name of the event. */
  readonly eventName: EventName
  /** UUID of the event, the same in each of its deliveries. */
  readonly eventUuid: string
  /** UUID of the entity that the event is about. An entity's events are delivered in order. */
  readonly entityUuid: string
  /** The exact text that the signature covers. */
  readonly body: string
  /** Status of the delivery. */
  readonly status: DeliveryStatus
  /** The attempts so far, in order. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Due time of the next or running attempt, ISO 8601 on the fake's clock; `null` if there is no such attempt. */
  readonly nextAttemptAt: string | null
  /** `resend`: sent by a resend. `duplicate`: sent by a fault. `null`: first delivery of the event to the webhook. */
  readonly repeat: 'resend' | 'duplicate' | null
  /** Time at which the delivery was queued, ISO 8601 on the fake's clock. */
  readonly queuedAt: string
  /** The faults that apply to the delivery. */
  readonly faults: readonly DeliveryFaultKind[]
}

/** One event. The fake stores it even if no webhook is subscribed to it. */
export interface EmittedEvent {
  /** Name of the event. */
  readonly eventName: EventName
  /** UUID of the event. */
  readonly eventUuid: string
  /** UUID of the entity that the event is about. */
  readonly entityUuid: string
  /** Version of the event envelope. */
  readonly version: string
  /** Data of the event, as in its deliveries. */
  readonly data: Readonly<Record<string, unknown>>
  /** Time of the event, ISO 8601 on the fake's clock. */
  readonly emittedAt: string
}

/** Content of a triggered event. */
export interface TriggerRequest {
  /**
   * UUID of the entity. Default: the newest referral or result of the client's organisation; for a directory event, the
   * `runUuid` of its data. If there is no such UUID, or the event is unknown, the fake generates a UUID.
   */
  readonly entityUuid?: string | undefined
  /**
   * Data of the event. Default: the entity's data; for a directory event, a refresh without changes. Required if the
   * event is unknown, or the fake does not have the referral or result.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

const TRIGGER_RULES = { eventName: text, entityUuid: text, data: { accepts: isRecord, words: 'an object' } }

/** Control methods of events and webhook deliveries (§6). */
export const deliveryMethods = {
  /**
   * Returns the stored deliveries with their attempts, oldest first. Above `journalLimit`, the fake removes the oldest
   * finished deliveries.
   */
  list: listDeliveries,
  /** Returns the stored events, oldest first. The fake stores the newest `journalLimit` events. */
  events: listEvents,
  /**
   * Sends an event again, with the same bytes, to every webhook that has a stored delivery of the event. A webhook
   * whose URL has changed gets the event at its new URL. A deleted webhook gets the event at the URL of its last
   * delivery.
   *
   * @returns The number of queued deliveries.
   * @throws Error - The fake does not store a delivery of the event.
   */
  resend(context: FakeContext, eventUuid: string): number {
    const { webhooks } = context.state
    const earlier = [...webhooks.deliveries.values()].filter((row) => row.event.eventUuid === eventUuid)
    if (earlier.length === 0) throw new Error(`the fake has no delivery of event ${eventUuid}`)
    const targets = new Map(earlier.map((row) => [row.webhookId, row]))
    for (const { webhookId, url, organisation, event } of targets.values()) {
      const current = webhooks.webhooks.get(webhookId)?.url ?? url
      enqueue(context, { id: webhookId, url: current, organisation }, event, 'resend')
    }
    return targets.size
  },
  /**
   * Sends any event without changing its entity.
   *
   * @returns The event's UUID.
   * @throws Error - `data` is missing, and the fake cannot generate it.
   * @throws RangeError - The event is misspelt, or a field of `request` is unknown or invalid.
   */
  trigger(context: FakeContext, eventName: EventName, request: TriggerRequest = {}): string {
    checkFields({ eventName, ...request }, TRIGGER_RULES, 'trigger')
    rejectMisspeltEvent(eventName)
    const { entityUuid, data } = subjectOf(context, eventName, request)
    return emitEvent(context, eventName, entityUuid, data).eventUuid
  },
  /**
   * Adds a fault for the next deliveries: `bad-signature`, `duplicate`, `reorder` or `lost`. Deliveries that are
   * already queued, resends and duplicates do not get the fault. Throws a RangeError for a missing kind, an unknown or
   * invalid field, and a misspelt event.
   */
  fault: addDeliveryFault,
  /**
   * Removes every delivery fault. A delivery that already has a fault keeps the fault. `fake.faults.clear()` also
   * removes delivery faults.
   */
  clearFaults({ state }: FakeContext): void {
    state.webhooks.faults.splice(0)
  },
  /** Returns the delivery faults that still apply to deliveries. */
  unusedFaults: ({ state }: FakeContext): DeliveryFault[] => state.webhooks.faults,
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
    repeat: row.repeat,
    queuedAt: row.queuedAt,
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

/** Returns the caller's data for an event without a known entity. The fake cannot generate such data. */
function unknownSubject(context: FakeContext, request: TriggerRequest): Subject {
  if (request.data === undefined) {
    throw new Error(
      'the fake cannot generate data, because the event is unknown or its entity does not exist: pass `data`',
    )
  }
  return { entityUuid: request.entityUuid ?? context.random.uuid(), data: request.data }
}
