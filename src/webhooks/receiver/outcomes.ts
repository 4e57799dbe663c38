import type { WebhookEvent } from '../../contract/events.js'
import { isVerificationError } from '../verification/verification-error.js'

interface OutcomeRule {
  /** HTTP status of the response. The service sends the event again after any status except 2xx. */
  readonly status: number
  /** Log level; `undefined` for an outcome that is not reported. */
  readonly level: 'warn' | 'error' | undefined
}

/** All outcomes of a delivery. */
export const WEBHOOK_OUTCOMES = {
  /** The handler succeeded. */
  handled: { status: 200, level: undefined },
  /** Your queue accepted the event. */
  enqueued: { status: 200, level: undefined },
  /** The event was already handled. */
  duplicate: { status: 200, level: undefined },
  /** No handler is registered for the event. A repeated delivery would find no handler either. */
  ignored: { status: 200, level: undefined },
  /** The signature is missing or invalid, or the headers cannot be read. */
  refused: { status: 401, level: 'warn' },
  /** The body is empty, or signed but not an event. */
  malformed: { status: 400, level: 'warn' },
  /** The body could not be read, for example because the connection failed. */
  'body-unreadable': { status: 400, level: 'warn' },
  /** The body did not arrive within the timeout. */
  'body-timeout': { status: 408, level: 'warn' },
  /** The body is larger than `maxBodyBytes`. */
  'body-too-large': { status: 413, level: 'warn' },
  /** The request is not a POST request. */
  'method-not-allowed': { status: 405, level: undefined },
  /**
   * The delivery has one of these problems:
   * - The same event is still being handled, or is still claimed, for example by a process that has ended.
   * - This receiver is still handling an earlier event of the same referral or result.
   * - The event could not be claimed in time.
   */
  busy: { status: 409, level: 'warn' },
  /** The handler or the queue failed. */
  failed: { status: 500, level: 'error' },
  /** The handler did not finish within the timeout. */
  timeout: { status: 500, level: 'error' },
  /**
   * The de-duplication store failed or did not respond, `enqueue` did not finish within the timeout, or a mirror could
   * not store the event.
   */
  'store-unavailable': { status: 503, level: 'error' },
  /**
   * The receiver cannot verify the delivery: the runtime has no suitable cryptography, or other code has read or parsed
   * the body.
   */
  misconfigured: { status: 500, level: 'error' },
} as const satisfies Readonly<Record<string, OutcomeRule>>

/** Outcome of a delivery. */
export type WebhookOutcome = keyof typeof WEBHOOK_OUTCOMES

/** Outcome of a delivery with its event and error. */
export interface DeliveryResult {
  readonly outcome: WebhookOutcome
  readonly event?: WebhookEvent | undefined
  readonly error?: unknown
}

/** The HTTP response for the service. */
export interface WebhookResponse {
  /** The HTTP status. The service sends the event again after any status except 2xx. */
  readonly status: number
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON: `{ "outcome": "…" }`, with a `reason` if the verification failed. */
  readonly body: string
}

/** Creates the response to a delivery. The reason of a failed verification contains no secret. */
export function respond({ outcome, error }: DeliveryResult): WebhookResponse {
  const reason = isVerificationError(error) ? { reason: error.reason } : {}
  return {
    status: WEBHOOK_OUTCOMES[outcome].status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(outcome === 'method-not-allowed' ? { allow: 'POST' } : {}),
    },
    body: JSON.stringify({ outcome, ...reason }),
  }
}
