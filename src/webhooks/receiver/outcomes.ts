import type { WebhookEvent } from '../../contract/events.js'

interface OutcomeRule {
  /** What the service is told: any 2xx ends the event's deliveries, anything else brings it back (§6). */
  readonly status: number
  /** How loudly it is reported; `undefined` when all is well. */
  readonly level: 'warn' | 'error' | undefined
}

/** Every way in which a delivery can end, with its answer. */
export const WEBHOOK_OUTCOMES = {
  /** The handler finished. */
  handled: { status: 200, level: undefined },
  /** Your queue took the event. */
  enqueued: { status: 200, level: undefined },
  /** The event was dealt with before. */
  duplicate: { status: 200, level: undefined },
  /** No handler is registered for the event: asking for it again would only hold up its entity's events. */
  ignored: { status: 200, level: undefined },
  /** The signature is missing or wrong. */
  refused: { status: 401, level: 'warn' },
  /** Signed or empty, but not an event. */
  malformed: { status: 400, level: 'warn' },
  /** The connection broke while the body was read. */
  'body-unreadable': { status: 400, level: 'warn' },
  /** The body did not arrive before the deadline. */
  'body-timeout': { status: 408, level: 'warn' },
  /** The body is larger than `maxBodyBytes`. */
  'body-too-large': { status: 413, level: 'warn' },
  /** Deliveries are POST requests. */
  'method-not-allowed': { status: 405, level: undefined },
  /** The same event, or an earlier one of its entity, is still being handled. */
  busy: { status: 409, level: 'warn' },
  /** The handler or the queue failed. */
  failed: { status: 500, level: 'error' },
  /** The handler or the queue had not finished by the deadline. */
  timeout: { status: 500, level: 'error' },
  /** The de-duplication store failed or did not answer. */
  'store-unavailable': { status: 503, level: 'error' },
  /** The endpoint is set up so that no delivery can be verified. */
  misconfigured: { status: 500, level: 'error' },
} as const satisfies Readonly<Record<string, OutcomeRule>>

/** How a delivery ended. */
export type WebhookOutcome = keyof typeof WEBHOOK_OUTCOMES

/** How a delivery ended, and over what. */
export interface Verdict {
  readonly outcome: WebhookOutcome
  readonly event?: WebhookEvent | undefined
  readonly error?: unknown
}

/** What to answer the service. */
export interface WebhookResponse {
  /** The HTTP status: a 2xx ends the event's deliveries, anything else brings it back (§6). */
  readonly status: number
  /** Headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON: `{ "outcome": "…" }`, with a `reason` when the delivery failed verification. */
  readonly body: string
}
