import type { EventName } from '../../contract/events.js'
import type { SeedContext } from '../server/context.js'
import type { Organisation } from './orders.js'

/** One webhook as the fake keeps it (§2.12). */
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

/** One event with the exact text that is signed and sent (§6). */
export interface EventRecord {
  readonly eventUuid: string
  readonly eventName: EventName
  readonly entityUuid: string
  /** `null`: an event of the service as a whole, sent to every organisation. */
  readonly organisation: Organisation | null
  readonly body: string
  readonly emittedAt: string
}

/** One try at sending a delivery (§6). */
export interface DeliveryAttempt {
  /** 1 for the first. */
  readonly number: number
  /** When it was sent, ISO 8601 on the fake's clock. */
  readonly startedAt: string
  /** What was sent as the signature header. */
  readonly signature: string
  /** The endpoint's HTTP status; `null` when it gave none. */
  status: number | null
  /** Why it counts as failed; `null` while it is under way, or when it was a 2xx in time. */
  failure: string | null
}

/**
 * Where a delivery stands.
 *
 * - `waiting`: behind an earlier event of the same entity, for its retry, or held back by a fault.
 * - `ready`: sent as soon as the current step ends.
 * - `sending`: an attempt is under way.
 * - `delivered`: answered with a 2xx in time.
 * - `failed`: given up after the last attempt (§6).
 */
export type DeliveryStatus = 'waiting' | 'ready' | 'sending' | 'delivered' | 'failed'

/** One event on its way to one webhook. */
export interface DeliveryRow {
  readonly id: number
  readonly webhookId: string
  readonly organisation: Organisation
  /** Where it goes: the webhook's URL when the event happened. */
  readonly url: string
  readonly event: EventRecord
  status: DeliveryStatus
  attempts: DeliveryAttempt[]
  /** When the next attempt is due, in milliseconds on the fake's clock; `null` when none is planned. */
  dueAt: number | null
  /** Sent for the second time on purpose: by `resend` or a fault. */
  readonly repeat: boolean
  /** Held back until the entity's next event has overtaken it. */
  held: boolean
  /** The faults it has drawn. */
  readonly faults: readonly DeliveryFaultKind[]
}

/**
 * What can be made to go wrong with a delivery.
 *
 * - `bad-signature`: one attempt carries a signature by another secret.
 * - `duplicate`: it is sent a second time after it was delivered.
 * - `reorder`: the entity's next event overtakes it; without one it goes a minute later.
 * - `lost`: no attempt reaches the endpoint; after the fifth it is given up.
 */
export type DeliveryFaultKind = 'bad-signature' | 'duplicate' | 'reorder' | 'lost'

/** A fault that waits for a delivery to fit. */
export interface DeliveryFault {
  /** What goes wrong. */
  readonly kind: DeliveryFaultKind
  /** Only deliveries of this event; `null` for every one. */
  readonly eventName: EventName | null
  /** Only deliveries about what has this id, a UUID; `null` for every one. */
  readonly entityUuid: string | null
  /** Only deliveries to this webhook; `null` for every one. */
  readonly webhookId: string | null
  /** How many deliveries are still to draw it. */
  timesLeft: number
}

/** What the service would have emailed the organisation's owners (§4.6). */
export interface OwnerNotice {
  /** What was done to the webhook. */
  readonly kind: 'webhook-created' | 'webhook-repointed' | 'webhook-deleted'
  /** The webhook's id. */
  readonly webhookId: string
  /** When it was sent, ISO 8601 on the fake's clock. */
  readonly sentAt: string
}

/** Subscriptions, events and deliveries. */
export interface WebhooksState {
  /** Each organisation's signing secret; no endpoint returns it (§4.6). */
  readonly signingSecrets: Readonly<Record<Organisation, string>>
  nextSequence: number
  nextDeliveryId: number
  readonly webhooks: Map<string, WebhookRow>
  readonly lists: Readonly<Record<Organisation, WebhookRow[]>>
  /** The newest events, oldest first; bounded. */
  readonly events: EventRecord[]
  /** The newest deliveries by id, oldest first; bounded, but a delivery that is not settled stays. */
  readonly deliveries: Map<number, DeliveryRow>
  /** Ids of unsettled deliveries in their order, by webhook and entity (§6). */
  readonly queues: Map<string, number[]>
  readonly faults: DeliveryFault[]
  readonly ownerNotices: OwnerNotice[]
}

/** No webhook yet; `seedWebhooks` and the portal's driver add some. */
export function createWebhooksState({ options, random }: SeedContext): WebhooksState {
  return {
    signingSecrets: { own: options.signingSecret, other: `fake-signing-secret-${random.uuid()}` },
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
