import { PathologyError } from '../../common/errors.js'

/** The receiver's outcome of a delivery that failed verification: see `WEBHOOK_OUTCOMES`. */
type VerificationOutcome = 'refused' | 'malformed' | 'body-too-large' | 'misconfigured'

interface ReasonRule {
  /** The outcome, which decides the receiver's HTTP status. */
  readonly outcome: VerificationOutcome
  /** The problem and the next step. It never contains a secret, a signature or a part of a body. */
  readonly message: string
}

/** All reasons for a failed verification. */
export const VERIFICATION_REASONS = {
  'secret-missing': {
    outcome: 'misconfigured',
    message:
      "The webhook signing secret is missing: pass the organisation's signing secret as a non-empty string. Check that the environment variable is set.",
  },
  'secret-whitespace': {
    outcome: 'misconfigured',
    message:
      'The webhook signing secret begins or ends with white space, often a line break from a file or an environment variable: trim it.',
  },
  'body-not-raw': {
    outcome: 'misconfigured',
    message:
      'The webhook body is not raw: pass the exact bytes received, as a string, Uint8Array, Buffer, ArrayBuffer or DataView. The signature covers those bytes. A body that was parsed and serialised again has different bytes, so read the body before a JSON parser does.',
  },
  'body-empty': {
    outcome: 'malformed',
    message: 'The webhook body is empty. Check that no other code reads the request body first.',
  },
  'body-too-large': {
    outcome: 'body-too-large',
    message: 'The webhook body is larger than the limit.',
  },
  'headers-unreadable': {
    outcome: 'refused',
    message:
      "The webhook headers cannot be read: pass the request's headers (Headers, a record or Node's own), or the value of x-svc-hmac-sha256.",
  },
  'signature-missing': {
    outcome: 'refused',
    message:
      'The webhook has no x-svc-hmac-sha256 header, so its sender is unknown. Check whether a proxy removes the header.',
  },
  'signature-ambiguous': {
    outcome: 'refused',
    message:
      'The webhook has several x-svc-hmac-sha256 values; the service sends exactly one. Check whether a proxy adds the header.',
  },
  'signature-malformed': {
    outcome: 'refused',
    message: 'The x-svc-hmac-sha256 value is not a signature: it must be exactly 64 hexadecimal digits.',
  },
  'signature-mismatch': {
    outcome: 'refused',
    message:
      'The webhook signature does not match. Check that the secret belongs to this organisation and environment, and that the body has exactly the received bytes. If both are correct, the service did not send this webhook.',
  },
  'json-invalid': {
    outcome: 'malformed',
    message: 'The webhook body is not JSON in UTF-8.',
  },
  'json-too-deep': {
    outcome: 'malformed',
    message: 'The JSON of the webhook is nested too deeply.',
  },
  'envelope-invalid': {
    outcome: 'malformed',
    message: 'This is not a webhook event.',
  },
  'crypto-unavailable': {
    outcome: 'misconfigured',
    message: 'This runtime has no suitable cryptography to verify webhooks.',
  },
} as const satisfies Readonly<Record<string, ReasonRule>>

/** The reason for a failed verification. */
export type WebhookVerificationReason = keyof typeof VERIFICATION_REASONS

/**
 * A webhook delivery that failed verification, or could not be verified. Do not process it.
 *
 * `code` is `WEBHOOK_` and the `reason` in capitals with underscores, such as `WEBHOOK_SIGNATURE_MISMATCH`. The error
 * contains neither the secret, nor the signature, nor any part of the body.
 */
export class WebhookVerificationError extends PathologyError {
  override readonly name = 'WebhookVerificationError'
  /** The reason for the failed verification. */
  readonly reason: WebhookVerificationReason

  /**
   * Creates an error. `verifyWebhook` and the receiver create their own errors. Use the constructor only in tests.
   *
   * @param reason - The reason for the failed verification.
   * @param detail - A sentence to append to the message. The sentence must not contain secret or personal data.
   */
  constructor(reason: WebhookVerificationReason, detail?: string) {
    const { message } = VERIFICATION_REASONS[reason]
    super(detail === undefined ? message : `${message} ${detail}`, {
      code: `WEBHOOK_${reason.toUpperCase().replaceAll('-', '_')}`,
    })
    this.reason = reason
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), reason: this.reason }
  }
}

export function isVerificationError(error: unknown): error is WebhookVerificationError {
  return error instanceof WebhookVerificationError
}
