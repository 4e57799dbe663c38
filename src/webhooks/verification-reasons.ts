/** What a webhook receiver answers the service for a reason: see `WEBHOOK_OUTCOMES`. */
type Blame = 'refused' | 'malformed' | 'body-too-large' | 'misconfigured'

interface ReasonRule {
  /** Whose fault it is, which decides the HTTP status that a receiver answers. */
  readonly blame: Blame
  /** What happened and what to do. No secret, signature or part of a body is ever put into it. */
  readonly message: string
}

/** Every way in which a delivery can fail verification (§6). */
export const VERIFICATION_REASONS = {
  'secret-missing': {
    blame: 'misconfigured',
    message:
      "The webhook signing secret is missing: pass the organisation's signing secret as a non-empty string. Is the environment variable set?",
  },
  'secret-whitespace': {
    blame: 'misconfigured',
    message:
      'The webhook signing secret begins or ends with white space, most often a line break from a file or an environment variable: trim it.',
  },
  'body-not-raw': {
    blame: 'misconfigured',
    message:
      'The webhook body is not raw: pass the exact bytes received, as a string, Uint8Array, Buffer, ArrayBuffer or DataView. The signature covers those bytes, and a parsed body written out again is not the same bytes; read the body before any JSON parser does.',
  },
  'body-empty': {
    blame: 'malformed',
    message: 'The webhook body is empty. Was the request body read by something else before?',
  },
  'body-too-large': {
    blame: 'body-too-large',
    message: 'The webhook body is larger than the limit.',
  },
  'headers-unreadable': {
    blame: 'refused',
    message:
      "The webhook headers cannot be read: pass the request's headers (Headers, a record or Node's own), or the value of x-svc-hmac-sha256.",
  },
  'signature-missing': {
    blame: 'refused',
    message: 'The webhook has no x-svc-hmac-sha256 header, so nothing shows who sent it.',
  },
  'signature-ambiguous': {
    blame: 'refused',
    message: 'The webhook has several x-svc-hmac-sha256 values; the service sends exactly one.',
  },
  'signature-malformed': {
    blame: 'refused',
    message: 'The x-svc-hmac-sha256 value is not a signature: it must be exactly 64 hexadecimal digits.',
  },
  'signature-mismatch': {
    blame: 'refused',
    message:
      'The webhook signature does not match. Either the secret is not the one of this organisation and environment, or the body is not byte for byte what was received, or the service did not send it.',
  },
  'json-invalid': {
    blame: 'malformed',
    message: 'The webhook is not JSON in UTF-8.',
  },
  'json-too-deep': {
    blame: 'malformed',
    message: 'The JSON of the webhook is nested too deeply.',
  },
  'envelope-invalid': {
    blame: 'malformed',
    message: 'This is not a webhook event.',
  },
  'crypto-unavailable': {
    blame: 'misconfigured',
    message: 'This runtime has no suitable cryptography to check webhooks with.',
  },
} as const satisfies Readonly<Record<string, ReasonRule>>

/** Why a delivery failed verification. */
export type WebhookVerificationReason = keyof typeof VERIFICATION_REASONS
