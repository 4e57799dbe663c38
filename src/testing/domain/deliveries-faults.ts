import type { EventName } from '../../contract/events.js'
import type { FakeContext } from '../server/context.js'
import type { DeliveryFault, DeliveryFaultKind, EventRecord } from '../state/webhooks.js'

/** Which deliveries a fault is for; what is left out matches every one. */
export interface DeliveryFaultRequest {
  /** What goes wrong. */
  readonly kind: DeliveryFaultKind
  /** Only deliveries of this event. */
  readonly eventName?: EventName | undefined
  /** Only deliveries about the referral, the result or the refresh with this id, a UUID. */
  readonly entityUuid?: string | undefined
  /** Only deliveries to this webhook. */
  readonly webhookId?: string | undefined
  /** How many deliveries it is for. Default 1. */
  readonly times?: number | undefined
}

const KINDS: readonly DeliveryFaultKind[] = ['bad-signature', 'duplicate', 'reorder', 'lost']

/**
 * Makes the next deliveries that fit go wrong (§6): each draws a fault when its event happens.
 *
 * @throws RangeError - The kind is unknown, or `times` is not a whole number from 1.
 */
export function addDeliveryFault(context: FakeContext, request: DeliveryFaultRequest): void {
  const { kind, eventName = null, entityUuid = null, webhookId = null, times = 1 } = request
  if (!KINDS.includes(kind)) throw new RangeError(`delivery fault kind must be one of ${KINDS.join(', ')}`)
  if (!Number.isInteger(times) || times < 1) {
    throw new RangeError('delivery fault times must be a whole number from 1')
  }
  context.state.webhooks.faults.push({ kind, eventName, entityUuid, webhookId, timesLeft: times })
}

/** Faults that no delivery has drawn yet. */
export function unusedDeliveryFaults(context: FakeContext): DeliveryFault[] {
  return context.state.webhooks.faults
}

/** Takes from `faults` what this delivery draws: each kind once at most. */
export function drawFaults(
  faults: DeliveryFault[],
  webhookId: string,
  event: EventRecord,
): DeliveryFaultKind[] {
  const drawn = faults.filter(
    (fault, index) =>
      fits(fault, webhookId, event) &&
      faults.findIndex((other) => other.kind === fault.kind && fits(other, webhookId, event)) === index,
  )
  for (const fault of drawn) {
    fault.timesLeft -= 1
    if (fault.timesLeft === 0) faults.splice(faults.indexOf(fault), 1)
  }
  return drawn.map((fault) => fault.kind)
}

function fits(fault: DeliveryFault, webhookId: string, event: EventRecord): boolean {
  return (
    (fault.eventName ?? event.eventName) === event.eventName &&
    (fault.entityUuid ?? event.entityUuid) === event.entityUuid &&
    (fault.webhookId ?? webhookId) === webhookId
  )
}
