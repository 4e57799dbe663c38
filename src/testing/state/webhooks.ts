import type { EventName } from '../../contract/events.js'
import type { Organisation } from './orders.js'

/** One webhook (§2.12). */
export interface WebhookRow {
  readonly sequence: number
  readonly organisation: Organisation
  readonly id: string
  url: string
  events: readonly EventName[]
  active: boolean
  readonly createdAt: string
  updatedAt: string
}

/** One event, with the exact text that is signed and sent (§6). */
export interface EventRecord {
  readonly eventUuid: string
  readonly eventName: EventName
  readonly entityUuid: string
  /** The organisation that receives the event; `null` for every organisation. */
  readonly organisation: Organisation | null
  readonly body: string
  readonly emittedAt: string
}

/** One attempt at a delivery. */
export interface DeliveryAttempt {
  /** Number of the attempt, from 1. */
  readonly number: number
  /** Start of the attempt, ISO 8601 on the fake's clock. */
  readonly startedAt: string
  /** The value of the signature header. */
  readonly signature: string
  /** The headers of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** The receiver's HTTP status; `null` without a response. */
  status: number | null
  /** Reason for the failure; `null` while the attempt runs and after a 2xx in time. */
  failure: string | null
  /**
   * Milliseconds of real time until the response or the error; `null` for a running, interrupted or lost attempt; 0
   * with `sendWebhooks: false`.
   */
  durationMs: number | null
  /** The receiver's headers, names in lower case, cookies masked as `[redacted]`; empty without a response. */
  responseHeaders: Readonly<Record<string, string>>
  /**
   * The receiver's text, at most 4,096 characters. '' if the text does not arrive within 250 ms after the headers.
   * `null` without a response.
   */
  responseBody: string | null
}

/**
 * Status of a delivery.
 *
 * - `waiting`: waits for an earlier event of the same entity, for its retry, or because of a `reorder` fault.
 * - `ready`: is sent when the response to the current request is ready, or at the end of the control method.
 * - `sending`: an attempt is running.
 * - `delivered`: the receiver responded with a 2xx in time.
 * - `failed`: all five attempts failed, or the delivery was dropped because its webhook is paused.
 */
export type DeliveryStatus = 'waiting' | 'ready' | 'sending' | 'delivered' | 'failed'

/** Delivery of one event to one webhook. */
export interface DeliveryRow {
  readonly id: number
  readonly webhookId: string
  readonly organisation: Organisation
  /** The webhook's URL at the time of the event; for a resend, at the time of the resend. */
  readonly url: string
  readonly event: EventRecord
  status: DeliveryStatus
  attempts: DeliveryAttempt[]
  /** Due time of the next or running attempt, in milliseconds on the fake's clock; `null` if there is none. */
  dueAt: number | null
  /** `resend`: sent by a resend. `duplicate`: sent by a fault. `null`: first delivery of the event to the webhook. */
  readonly repeat: 'resend' | 'duplicate' | null
  /** Time at which the delivery was queued, ISO 8601 on the fake's clock. */
  readonly queuedAt: string
  /** `true` for a delivery with a `reorder` fault until the next event of the same record is queued before it. */
  held: boolean
  /** The faults that apply to the delivery. */
  readonly faults: readonly DeliveryFaultKind[]
}

/**
 * Kind of a delivery fault.
 *
 * - `bad-signature`: the first attempt has a signature from another secret.
 * - `duplicate`: the delivery is sent a second time after its success.
 * - `reorder`: the next event of the same record is sent first. If there is no next event within a minute on the fake's
 *   clock, the delivery is sent then.
 * - `lost`: no attempt reaches the receiver. The delivery fails after the fifth attempt.
 */
export type DeliveryFaultKind = 'bad-signature' | 'duplicate' | 'reorder' | 'lost'

/** A pending delivery fault. */
export interface DeliveryFault {
  /** Kind of fault. */
  readonly kind: DeliveryFaultKind
  /** Only deliveries of this event; `null` for every event. */
  readonly eventName: EventName | null
  /** Only deliveries about the entity with this UUID; `null` for every entity. */
  readonly entityUuid: string | null
  /** Only deliveries to this webhook; `null` for every webhook. */
  readonly webhookId: string | null
  /** Number of deliveries to which the fault still applies. */
  timesLeft: number
}

/** An email to the organisation's owners and webhook managers about a webhook. */
export interface OwnerNotice {
  /** Change of the webhook. */
  readonly kind: 'webhook-created' | 'webhook-repointed' | 'webhook-deleted'
  /** The webhook's id. */
  readonly webhookId: string
  /** Time of sending, ISO 8601 on the fake's clock. */
  readonly sentAt: string
}

export interface WebhooksState {
  /** Each organisation's signing secret. No endpoint returns it (§4.6). */
  readonly signingSecrets: Readonly<Record<Organisation, string>>
  nextSequence: number
  nextDeliveryId: number
  readonly webhooks: Map<string, WebhookRow>
  readonly lists: Readonly<Record<Organisation, WebhookRow[]>>
  /** The newest events, oldest first. */
  readonly events: EventRecord[]
  /** Deliveries by id, in order of creation. Above `journalLimit`, the oldest finished deliveries are removed. */
  readonly deliveries: Map<number, DeliveryRow>
  /** Ids of unfinished deliveries in their order, by webhook and entity (§6). */
  readonly queues: Map<string, number[]>
  readonly faults: DeliveryFault[]
  readonly ownerNotices: OwnerNotice[]
}

export function createWebhooksState(signingSecrets: WebhooksState['signingSecrets']): WebhooksState {
  return {
    signingSecrets,
    nextSequence: 1,
    nextDeliveryId: 1,
    webhooks: new Map(),
    lists: { own: [], other: [] },
    events: [],
    deliveries: new Map(),
    queues: new Map(),
    faults: [],
    ownerNotices: [],
  }
}
