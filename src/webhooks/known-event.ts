import { isKnownEventName, type KnownEvent, type WebhookEvent } from '../contract/events.js'
import { fieldOf } from '../contract/read.js'

/**
 * Whether this version knows the event's name. Afterwards a `switch` over `event.eventName` can be exhaustive.
 * An event it does not know is no fault: acknowledge it, the service may add names at any time (§6).
 */
export function isKnownEvent(event: WebhookEvent): event is KnownEvent {
  const name = fieldOf(event, 'eventName')
  return typeof name === 'string' && isKnownEventName(name)
}
