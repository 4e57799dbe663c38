import { WebhookVerificationError } from '../verification-error.js'
import { type Verdict, WEBHOOK_OUTCOMES, type WebhookResponse } from './outcomes.js'

/** Writes the answer to a delivery. Reasons hold nothing that the sender does not know. */
export function respond({ outcome, error }: Verdict): WebhookResponse {
  const reason = error instanceof WebhookVerificationError ? { reason: error.reason } : {}
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
