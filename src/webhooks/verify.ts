import type { WebhookEvent } from '../contract/events.js'
import { parseWebhookEvent } from './envelope.js'
import type { WebhookHeaders } from './headers.js'
import {
  findNodeCrypto,
  type NodeCrypto,
  nodeVerify,
  ownBytes,
  requireNodeCrypto,
  requireWebCrypto,
  type WebCrypto,
  webVerify,
} from './hmac.js'
import { checkedBody, type RawBody } from './raw-body.js'
import { listSecrets, type WebhookSecrets } from './secrets.js'
import { findSignature } from './signature-header.js'
import { WebhookVerificationError } from './verification-error.js'

/**
 * Checks a delivery's signature and reads its event (§6). Runs everywhere: by `node:crypto` where the runtime
 * has one, by WebCrypto elsewhere.
 *
 * The signature covers the exact bytes of the body, so pass those: a string, `Uint8Array`, `Buffer`,
 * `ArrayBuffer` or `DataView`, never a parsed object. A valid signature says that the service wrote this body,
 * not when: de-duplicate by `eventUuid`, and fetch the current state, for an event is only a signal.
 *
 * @param rawBody - The request's body as received, up to 10 MiB.
 * @param headersOrSignature - The request's headers in any shape, or the value of `x-svc-hmac-sha256`.
 * @param secretOrSecrets - The organisation's signing secret; several while one replaces another.
 * @returns The event, a union that narrows by `eventName`; see `isKnownEvent` for names new to this version.
 * @throws {@link WebhookVerificationError} and nothing else, with the `reason`.
 *
 * @example
 * ```ts
 * const event = await verifyWebhook(await request.text(), request.headers, process.env.SIGNING_SECRET)
 * if (event.eventName === 'referral.issued') await fetchReferral(event.data.uuid)
 * ```
 */
export async function verifyWebhook(
  rawBody: RawBody,
  headersOrSignature: WebhookHeaders | string,
  secretOrSecrets: WebhookSecrets,
): Promise<WebhookEvent> {
  const secrets = listSecrets(secretOrSecrets)
  const body = checkedBody(rawBody)
  return verifySigned(body, findSignature(headersOrSignature), secrets)
}

/**
 * {@link verifyWebhook} without a promise, for runtimes with `node:crypto` (Node, Bun, Deno).
 *
 * @throws {@link WebhookVerificationError} and nothing else; its reason is `crypto-unavailable` where the
 * runtime has no `node:crypto`.
 */
export function verifyWebhookSync(
  rawBody: RawBody,
  headersOrSignature: WebhookHeaders | string,
  secretOrSecrets: WebhookSecrets,
): WebhookEvent {
  const secrets = listSecrets(secretOrSecrets)
  const body = checkedBody(rawBody)
  return verifyByNode(requireNodeCrypto(), body, findSignature(headersOrSignature), secrets)
}

/** Verifies what was already found to be a body, a signature and secrets. */
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
  if (!nodeVerify(crypto, secrets, body, signature)) throw mismatch(body)
  return parseWebhookEvent(body)
}

export async function verifyByWebCrypto(
  subtle: WebCrypto,
  body: string | Uint8Array,
  signature: string,
  secrets: readonly string[],
): Promise<WebhookEvent> {
  const bytes = ownBytes(body)
  if (!(await webVerify(subtle, secrets, bytes, signature))) throw mismatch(body)
  return parseWebhookEvent(bytes)
}

function mismatch(body: string | Uint8Array): WebhookVerificationError {
  const lossy = typeof body === 'string' && body.includes('\uFFFD')
  return new WebhookVerificationError(
    'signature-mismatch',
    lossy ? 'The text holds U+FFFD, so bytes were lost when it was decoded: pass the bytes.' : undefined,
  )
}
