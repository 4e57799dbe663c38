import type { EventName } from '../../contract/events.js'
import { checkFields, integer, oneOf, text, type ValueRule } from '../server/value-rules.js'
import type { FakeContext } from '../state/context.js'
import type { DeliveryFault, DeliveryFaultKind, EventRecord } from '../state/webhooks.js'
import { rejectMisspeltEvent } from './events.js'

/** A fault for deliveries. Without `eventName`, `entityUuid` and `webhookId`, the fault matches every delivery. */
export interface DeliveryFaultRequest {
  /** Kind of fault. */
  readonly kind: DeliveryFaultKind
  /** Only deliveries of this event. */
  readonly eventName?: EventName | undefined
  /** Only deliveries about the referral, the result or the refresh of the collection centres with this UUID. */
  readonly entityUuid?: string | undefined
  /** Only deliveries to this webhook. */
  readonly webhookId?: string | undefined
  /** Number of deliveries that get the fault. Default 1. */
  readonly times?: number | undefined
}

const KINDS: readonly DeliveryFaultKind[] = ['bad-signature', 'duplicate', 'reorder', 'lost']

const FAULT_RULES: { readonly [Field in keyof Required<DeliveryFaultRequest>]: ValueRule } = {
  kind: oneOf(...KINDS),
  eventName: text,
  entityUuid: text,
  webhookId: text,
  times: integer(1),
}

/**
 * Adds a fault for the next matching deliveries (§6). Deliveries that are already queued, resends and duplicates do not
 * get the fault.
 *
 * @throws RangeError - The kind is missing, a field is unknown or invalid, or the event is misspelt.
 */
export function addDeliveryFault(context: FakeContext, request: DeliveryFaultRequest): void {
  checkFields(request, FAULT_RULES, 'delivery fault', ['kind'])
  const { kind, eventName = null, entityUuid = null, webhookId = null, times = 1 } = request
  if (eventName !== null) rejectMisspeltEvent(eventName)
  context.state.webhooks.faults.push({ kind, eventName, entityUuid, webhookId, timesLeft: times })
}

/** Takes the faults for one delivery from `faults`, at most one fault of each kind. */
export function takeFaults(
  faults: DeliveryFault[],
  webhookId: string,
  event: EventRecord,
): DeliveryFaultKind[] {
  const taken = faults.filter(
    (fault, index) =>
      matches(fault, webhookId, event) &&
      faults.findIndex((other) => other.kind === fault.kind && matches(other, webhookId, event)) === index,
  )
  for (const fault of taken) {
    fault.timesLeft -= 1
    if (fault.timesLeft === 0) faults.splice(faults.indexOf(fault), 1)
  }
  return taken.map((fault) => fault.kind)
}

function matches(fault: DeliveryFault, webhookId: string, event: EventRecord): boolean {
  return (
    (fault.eventName ?? event.eventName) === event.eventName &&
    (fault.entityUuid ?? event.entityUuid) === event.entityUuid &&
    (fault.webhookId ?? webhookId) === webhookId
  )
}
