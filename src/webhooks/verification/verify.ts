import type { WebhookEvent } from '../../contract/events.js'
import { parseWebhookEvent } from './envelope.js'
import type { WebhookHeaders } from './headers.js'
import { checkedBody, type RawBody } from './raw-body.js'
import {
  copyBytes,
  findNodeCrypto,
  isValidByNode,
  isValidByWebCrypto,
  listSecrets,
  type NodeCrypto,
  readSignature,
  requireNodeCrypto,
  requireWebCrypto,
  signByNode,
  signByWebCrypto,
  type WebCrypto,
  type WebhookSecrets,
} from './signature.js'
import { WebhookVerificationError } from './verification-error.js'

/**
 * Verifies a delivery's signature and returns its event. Uses `node:crypto` if the runtime has this module, otherwise
 * WebCrypto.
 *
 * The signature covers the exact bytes of the body. Pass these bytes as a string, `Uint8Array`, `Buffer`, `ArrayBuffer`
 * or `DataView`, never as a parsed object. The signature does not contain a time, so the event can be old or repeated:
 * de-duplicate by `eventUuid`, and fetch the current state from the API.
 *
 * @param rawBody - The request's body as received, up to 10 MiB.
 * @param headersOrSignature - The request's headers in any shape, or the value of `x-svc-hmac-sha256`.
 * @param secretOrSecrets - The organisation's signing secret, or several during a change of secrets.
 * @returns The event, a union that narrows by `eventName`. Use `isKnownEvent` to separate unknown names.
 * @throws {@link WebhookVerificationError} with the `reason`. `verifyWebhook` throws no other error.
 *
 * @example
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, process.env.SIGNING_SECRET)
 * if (event.eventName === 'referral.issued' && event.data.uuid) await client.referrals.retrieve(event.data.uuid)
 * ```
 */
export async function verifyWebhook(
  rawBody: RawBody,
  headersOrSignature: WebhookHeaders | string,
  secretOrSecrets: WebhookSecrets,
): Promise<WebhookEvent> {
  const secrets = listSecrets(secretOrSecrets)
  const body = checkedBody(rawBody)
  return verifySigned(body, readSignature(headersOrSignature), secrets)
}

/**
 * {@link verifyWebhook} without a promise, for runtimes with `node:crypto` (Node, Bun, Deno).
 *
 * @throws {@link WebhookVerificationError} with the `reason`, also `crypto-unavailable` without `node:crypto`.
 */
export function verifyWebhookSync(
  rawBody: RawBody,
  headersOrSignature: WebhookHeaders | string,
  secretOrSecrets: WebhookSecrets,
): WebhookEvent {
  const secrets = listSecrets(secretOrSecrets)
  const body = checkedBody(rawBody)
  return verifyByNode(requireNodeCrypto(), body, readSignature(headersOrSignature), secrets)
}

/**
 * Signs a body as the service does, for tests of your own endpoint.
 *
 * @returns The value of the `x-svc-hmac-sha256` header: 64 lower-case hexadecimal digits.
 * @throws {@link WebhookVerificationError} for a body that is empty, not raw or larger than 10 MiB. Also thrown for a
 * secret that `verifyWebhook` rejects. The reason is `crypto-unavailable` if the runtime has no suitable cryptography.
 */
export async function signWebhook(rawBody: RawBody, secret: string): Promise<string> {
  listSecrets([secret])
  const body = checkedBody(rawBody)
  const crypto = findNodeCrypto()
  return crypto === undefined
    ? signByWebCrypto(requireWebCrypto(), secret, copyBytes(body))
    : signByNode(crypto, secret, body)
}

/** Verifies a signature and returns the event. The body, the signature's format and the secrets are already checked. */
export function verifySigned(
  body: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): WebhookEvent | Promise<WebhookEvent> {
  const crypto = findNodeCrypto()
  return crypto === undefined
    ? verifyByWebCrypto(requireWebCrypto(), body, signature, secrets)
    : verifyByNode(crypto, body, signature, secrets)
}

function verifyByNode(
  crypto: NodeCrypto,
  body: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): WebhookEvent {
  if (!isValidByNode(crypto, secrets, body, signature)) throw mismatch(body)
  return parseWebhookEvent(body)
}

async function verifyByWebCrypto(
  subtle: WebCrypto,
  body: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): Promise<WebhookEvent> {
  const bytes = copyBytes(body)
  if (!(await isValidByWebCrypto(subtle, secrets, bytes, signature))) throw mismatch(body)
  return parseWebhookEvent(bytes)
}

function mismatch(body: string | Uint8Array): WebhookVerificationError {
  const isLossy = typeof body === 'string' && body.includes('\uFFFD')
  return new WebhookVerificationError(
    'signature-mismatch',
    isLossy
      ? 'The body text contains U+FFFD, so its decoding probably lost bytes: pass the raw bytes.'
      : undefined,
  )
}
