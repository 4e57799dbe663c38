import { PathologyError } from '../common/errors.js'
import { VERIFICATION_REASONS, type WebhookVerificationReason } from './verification-reasons.js'

/**
 * A webhook delivery that must not be trusted, or that cannot be checked.
 *
 * `reason` is one of a closed set; `code` is the same in capitals, such as `WEBHOOK_SIGNATURE_MISMATCH`.
 * Neither the secret, the signature nor any part of the body is in the error (§6).
 */
export class WebhookVerificationError extends PathologyError {
  override readonly name = 'WebhookVerificationError'
  /** Why the delivery cannot be trusted. */
  readonly reason: WebhookVerificationReason

  /**
   * `verifyWebhook` and the receiver make these; make one to test how your own code takes it.
   *
   * @param reason - What was wrong.
   * @param detail - A sentence to add to the reason's own; it must hold nothing secret or personal.
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
