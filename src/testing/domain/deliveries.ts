import { createHmac } from 'node:crypto'

import {
  DELIVERY_TIME_HEADER,
  type EventName,
  type ReferralEventName,
  type ResultEventName,
  SIGNATURE_HEADER,
} from '../../contract/events.js'
import { WEBHOOK_ATTEMPTS, WEBHOOK_PICK_UP_MS, webhookRetryDelayMs } from '../../contract/limits.js'
import type { JobTable } from '../server/context.js'
import type { FakeContext } from '../state/context.js'
import type { ReferralRow, ResultRow } from '../state/orders.js'
import type { DeliveryRow, EventRecord, WebhookRow, WebhooksState } from '../state/webhooks.js'
import type { DeliveryOutcome } from '../transports/delivery-sender.js'
import { takeFaults } from './deliveries-faults.js'
import { createEvent, referralEventData, resultEventData } from './events.js'
import { addToJournal } from './journals.js'

export const ATTEMPT_JOB = 'deliveries.attempt'
/** Time after which a delivery with a `reorder` fault is sent without a later event of its entity. */
const REORDER_MS = 60_000

export const jobs: JobTable<FakeContext> = {
  [ATTEMPT_JOB]: (context, { id }) => {
    const delivery = typeof id === 'number' ? context.state.webhooks.deliveries.get(id) : undefined
    if (delivery !== undefined) startAttempt(context, delivery)
  },
}

export function emitReferralEvent(
  context: FakeContext,
  eventName: ReferralEventName,
  row: ReferralRow,
): void {
  emitEvent(context, eventName, row.uuid, referralEventData(context, eventName, row))
}

export function emitResultEvent(context: FakeContext, eventName: ResultEventName, row: ResultRow): void {
  emitEvent(context, eventName, row.uuid, resultEventData(context, eventName, row))
}

/**
 * Records an event and queues it for every subscribed webhook (§6). The first attempts start when the response to the
 * current request is ready, or at the end of the control method. A receiver can therefore get the event before the
 * client gets the response.
 */
export function emitEvent(
  context: FakeContext,
  eventName: EventName,
  entityUuid: string,
  data: Readonly<Record<string, unknown>>,
): EventRecord {
  const { webhooks } = context.state
  const event = createEvent(context, eventName, entityUuid, data)
  addToJournal(context, webhooks.events, event)
  for (const webhook of subscribersOf(webhooks, event)) enqueue(context, webhook, event)
  return event
}

/**
 * Queues an event for one webhook, after earlier events of the same entity. A new event overtakes an event that a
 * `reorder` fault delays.
 */
export function enqueue(
  context: FakeContext,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'organisation'>,
  event: EventRecord,
  repeat: DeliveryRow['repeat'] = null,
): DeliveryRow {
  const { webhooks } = context.state
  const faults = repeat === null ? takeFaults(webhooks.faults, webhook.id, event) : []
  const delivery: DeliveryRow = {
    id: webhooks.nextDeliveryId,
    webhookId: webhook.id,
    organisation: webhook.organisation,
    url: webhook.url,
    event,
    status: 'waiting',
    attempts: [],
    dueAt: null,
    repeat,
    queuedAt: context.clock.iso(),
    held: faults.includes('reorder'),
    faults,
  }
  webhooks.nextDeliveryId += 1
  webhooks.deliveries.set(delivery.id, delivery)
  dropFinished(context, webhooks)
  const queue = queueOf(webhooks, delivery)
  // A repeat of an earlier event is not the next event that a `reorder` fault waits for.
  queue.splice(repeat === null ? positionIn(webhooks, queue) : queue.length, 0, delivery.id)
  advanceQueue(context, queue)
  return delivery
}

/**
 * Marks interrupted attempts as failed. They were running when the restored snapshot was taken, and their responses are
 * lost. Each of their deliveries continues with the next attempt, or fails after the fifth attempt.
 */
export function resumeDeliveries(context: FakeContext): void {
  for (const delivery of context.state.webhooks.deliveries.values()) {
    if (delivery.status === 'sending')
      recordOutcome(context, delivery, { status: null, error: 'interrupted' })
  }
}

function* subscribersOf(webhooks: WebhooksState, event: EventRecord): Generator<WebhookRow> {
  for (const webhook of webhooks.webhooks.values()) {
    const isRecipient = event.organisation === null || event.organisation === webhook.organisation
    if (isRecipient && webhook.active && webhook.events.includes(event.eventName)) yield webhook
  }
}

function queueOf(webhooks: WebhooksState, delivery: DeliveryRow): number[] {
  const key = queueKey(delivery)
  const queue = webhooks.queues.get(key) ?? []
  webhooks.queues.set(key, queue)
  return queue
}

/** Returns the delivery for which another one waits: the first of its queue; `undefined` if it waits for none. */
export function blockerOf(
  { queues, deliveries }: WebhooksState,
  delivery: DeliveryRow,
): DeliveryRow | undefined {
  const queue = queues.get(queueKey(delivery)) ?? []
  const [first = delivery.id] = queue
  return first === delivery.id || !queue.includes(delivery.id) ? undefined : deliveries.get(first)
}

function queueKey(delivery: DeliveryRow): string {
  return `${delivery.webhookId} ${delivery.event.entityUuid}`
}

/** A new event goes to the end of its queue, or before a delivery that a `reorder` fault holds, which it releases. */
function positionIn(webhooks: WebhooksState, queue: readonly number[]): number {
  const held = queue
    .map((id) => webhooks.deliveries.get(id))
    .find((delivery) => delivery?.held === true && delivery.attempts.length === 0)
  if (held === undefined) return queue.length
  held.held = false
  return queue.indexOf(held.id)
}

function advanceQueue(context: FakeContext, queue: readonly number[]): void {
  const head = context.state.webhooks.deliveries.get(queue[0] ?? 0)
  if (head === undefined || head.status !== 'waiting' || head.attempts.length > 0) return
  // A resend of another event must not extend the wait.
  if (head.held && head.dueAt !== null) return
  const afterMs = head.held ? REORDER_MS : 0
  head.dueAt = context.clock.now() + afterMs
  head.status = head.held ? 'waiting' : 'ready'
  context.schedule(afterMs, { kind: ATTEMPT_JOB, argument: { id: head.id } })
}

function startAttempt(context: FakeContext, delivery: DeliveryRow): void {
  const queue = context.state.webhooks.queues.get(queueKey(delivery))
  const due = delivery.dueAt !== null && delivery.dueAt <= context.clock.now()
  if (!due || queue?.[0] !== delivery.id || delivery.status === 'sending') return
  if (isDropped(context, delivery)) {
    finish(context, delivery, 'failed')
    return
  }
  const startedAt = context.clock.iso()
  const signature = sign(context, delivery)
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: signature,
    [DELIVERY_TIME_HEADER]: startedAt,
  }
  delivery.status = 'sending'
  delivery.attempts.push({
    number: delivery.attempts.length + 1,
    startedAt,
    signature,
    headers,
    status: null,
    failure: null,
    durationMs: null,
    responseHeaders: {},
    responseBody: null,
  })
  if (delivery.faults.includes('lost')) {
    recordOutcome(context, delivery, { status: null, error: 'lost' })
    return
  }
  context.send(
    {
      url: delivery.url,
      headers,
      body: delivery.event.body,
    },
    (outcome) => recordOutcome(context, delivery, outcome),
  )
}

/** Returns `true` if the webhook is paused and `pausedDeliveries` is `dropped`, except for a resend (§4.6). */
function isDropped({ options, state }: FakeContext, { webhookId, repeat }: DeliveryRow): boolean {
  if (options.pausedDeliveries === 'sent' || repeat === 'resend') return false
  return state.webhooks.webhooks.get(webhookId)?.active === false
}

function sign(context: FakeContext, delivery: DeliveryRow): string {
  const secret = context.state.webhooks.signingSecrets[delivery.organisation]
  const wrong = delivery.faults.includes('bad-signature') && delivery.attempts.length === 0
  return createHmac('sha256', wrong ? `not ${secret}` : secret)
    .update(delivery.event.body, 'utf8')
    .digest('hex')
}

function recordOutcome(
  context: FakeContext,
  delivery: DeliveryRow,
  outcome: Pick<DeliveryOutcome, 'status' | 'error'> & Partial<DeliveryOutcome>,
): void {
  const attempt = delivery.attempts.at(-1)
  if (attempt === undefined) return
  const { durationMs = null, responseHeaders = {}, responseBody = null } = outcome
  Object.assign(attempt, { status: outcome.status, durationMs, responseHeaders, responseBody })
  attempt.failure = outcome.delivered === true ? null : (outcome.error ?? `status ${outcome.status}`)
  if (outcome.delivered === true) finish(context, delivery, 'delivered')
  else if (attempt.number >= WEBHOOK_ATTEMPTS) finish(context, delivery, 'failed')
  else planRetry(context, delivery, attempt.number)
}

function planRetry(context: FakeContext, delivery: DeliveryRow, failed: number): void {
  delivery.status = 'waiting'
  delivery.dueAt = nextAttemptAt(context, delivery, failed)
  const afterMs = Math.max(0, delivery.dueAt - context.clock.now())
  context.schedule(afterMs, { kind: ATTEMPT_JOB, argument: { id: delivery.id } })
}

/**
 * Returns the time of the next attempt (§6): N² minutes after the due time of attempt N. With `deliveryPickUp:
 * 'whole-minutes'`, rounds the time up to a full minute.
 */
function nextAttemptAt(context: FakeContext, delivery: DeliveryRow, failed: number): number {
  const startedAt = Date.parse(delivery.attempts.at(-1)?.startedAt ?? context.clock.iso())
  const planned = delivery.dueAt ?? startedAt
  // An attempt can start late, for example after the computer slept. If the attempt is a minute late or more, the N²
  // minutes count from its start.
  const from = startedAt - planned < WEBHOOK_PICK_UP_MS ? planned : startedAt
  const dueAt = from + webhookRetryDelayMs(failed)
  if (context.options.deliveryPickUp === 'from-first-attempt') return dueAt
  return Math.ceil(dueAt / WEBHOOK_PICK_UP_MS) * WEBHOOK_PICK_UP_MS
}

function finish(context: FakeContext, delivery: DeliveryRow, status: 'delivered' | 'failed'): void {
  const { webhooks } = context.state
  delivery.status = status
  delivery.dueAt = null
  const key = queueKey(delivery)
  const queue = (webhooks.queues.get(key) ?? []).filter((id) => id !== delivery.id)
  if (queue.length === 0) webhooks.queues.delete(key)
  else webhooks.queues.set(key, queue)
  advanceQueue(context, queue)
  if (status === 'delivered' && delivery.repeat === null && delivery.faults.includes('duplicate')) {
    const webhook = { id: delivery.webhookId, url: delivery.url, organisation: delivery.organisation }
    enqueue(context, webhook, delivery.event, 'duplicate')
  }
}

/** Removes the oldest finished deliveries above `journalLimit`. */
function dropFinished(context: FakeContext, { deliveries }: WebhooksState): void {
  for (const [id, { status }] of deliveries) {
    if (deliveries.size <= context.options.journalLimit) return
    if (status === 'delivered' || status === 'failed') deliveries.delete(id)
  }
}
