// The signature covers the body but not the time of the delivery, so the age of a delivery is not checked. The receiver
// recognises a repeated event by its `eventUuid` until `dedupeTtl` expires or the store drops the event (the default
// store keeps 10,000 events). A delivery of the event after that calls the handler again.

import { SIGNATURE_HEADER } from '../../contract/events.js'
import { allValues, type WebhookHeaders } from './headers.js'
import { WebhookVerificationError } from './verification-error.js'

const SIGNATURE_BYTES = 32
const SIGNATURE_DIGITS = SIGNATURE_BYTES * 2
const HEXADECIMAL = /^[0-9a-fA-F]+$/

/**
 * Returns the signature of a delivery. Throws if the signature is missing, ambiguous or malformed.
 *
 * The signature must be exactly 64 hexadecimal digits. Without this check, `Buffer.from(value, 'hex')` would ignore all
 * text after the last valid digit, and a signature with additional text would be accepted.
 *
 * @param source - The request's headers, or the header's value.
 */
export function readSignature(source: WebhookHeaders | string): string {
  const values = typeof source === 'string' ? [source] : allValues(source, SIGNATURE_HEADER)
  if (values === undefined) throw new WebhookVerificationError('headers-unreadable')
  const [value] = values
  if (value === undefined || value === '') throw new WebhookVerificationError('signature-missing')
  if (values.length > 1) throw new WebhookVerificationError('signature-ambiguous')
  if (isSignature(value)) return value
  // `Headers` and Node join the values of a repeated header with commas.
  const isJoined = typeof value === 'string' && value.includes(',')
  throw new WebhookVerificationError(isJoined ? 'signature-ambiguous' : 'signature-malformed')
}

function isSignature(value: unknown): value is string {
  return typeof value === 'string' && value.length === SIGNATURE_DIGITS && HEXADECIMAL.test(value)
}

export type NodeCrypto = Pick<typeof import('node:crypto'), 'createHmac' | 'timingSafeEqual'>

export type WebCrypto = Pick<typeof globalThis.crypto.subtle, 'importKey' | 'sign' | 'verify'>

/** Returns `node:crypto` if the runtime has this module. An import would make this entry fail in other runtimes. */
export function findNodeCrypto(): NodeCrypto | undefined {
  if (globalThis.Buffer === undefined) return undefined
  return globalThis.process?.getBuiltinModule?.('node:crypto')
}

/** Returns `node:crypto`, or throws an error that names the asynchronous functions. */
export function requireNodeCrypto(): NodeCrypto {
  const crypto = findNodeCrypto()
  if (crypto === undefined) {
    throw new WebhookVerificationError(
      'crypto-unavailable',
      'The synchronous functions require node:crypto (Node, Bun, Deno). Use the asynchronous functions in this runtime.',
    )
  }
  return crypto
}

export function requireWebCrypto(): WebCrypto {
  const subtle = globalThis.crypto?.subtle
  if (subtle === undefined) {
    throw new WebhookVerificationError(
      'crypto-unavailable',
      'The runtime has neither node:crypto nor crypto.subtle.',
    )
  }
  return subtle
}

export function signByNode(crypto: NodeCrypto, secret: string, body: string | Uint8Array): string {
  return crypto.createHmac('sha256', secret).update(body).digest('hex')
}

/** Returns `true` when the signature is valid for one of the secrets. Compares in constant time. */
export function isValidByNode(
  crypto: NodeCrypto,
  secrets: readonly string[],
  body: string | Uint8Array,
  signature: string,
): boolean {
  const given = globalThis.Buffer.from(signature, 'hex')
  return secrets.some((secret) =>
    crypto.timingSafeEqual(crypto.createHmac('sha256', secret).update(body).digest(), given),
  )
}

export async function signByWebCrypto(
  subtle: WebCrypto,
  secret: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const signature = await subtle.sign('HMAC', await importSecret(subtle, secret), body)
  return Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function isValidByWebCrypto(
  subtle: WebCrypto,
  secrets: readonly string[],
  body: Uint8Array<ArrayBuffer>,
  signature: string,
): Promise<boolean> {
  const given = Uint8Array.from({ length: SIGNATURE_BYTES }, (_, byte) =>
    Number.parseInt(signature.slice(byte * 2, byte * 2 + 2), 16),
  )
  for (const secret of secrets) {
    if (await subtle.verify('HMAC', await importSecret(subtle, secret), given, body)) return true
  }
  return false
}

/** Copies a body, because WebCrypto rejects shared memory, and because the caller may change the bytes meanwhile. */
export function copyBytes(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
}

function importSecret(subtle: WebCrypto, secret: string): ReturnType<WebCrypto['importKey']> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify'])
}

/**
 * One signing secret, or several during a change of secrets: a delivery signed with any of these secrets is accepted.
 * You can pass environment variables directly: a missing variable throws `WebhookVerificationError` with the reason
 * `secret-missing`.
 */
export type WebhookSecrets = string | undefined | readonly (string | undefined)[]

/** Checks the secrets and returns them as a list. An empty secret is rejected, because anybody could sign with it. */
export function listSecrets(secrets: WebhookSecrets): readonly string[] {
  const given: unknown = typeof secrets === 'string' ? [secrets] : secrets
  const list = Array.isArray(given) ? Array.from<unknown>(given) : []
  if (list.length === 0) throw new WebhookVerificationError('secret-missing')
  return list.map((secret, index) => checkedSecret(secret, index, list.length))
}

function checkedSecret(secret: unknown, index: number, count: number): string {
  const detail = count > 1 ? `It is secret ${index + 1} of ${count}.` : undefined
  if (typeof secret !== 'string' || secret === '') {
    throw new WebhookVerificationError('secret-missing', detail)
  }
  if (secret.trim() !== secret) throw new WebhookVerificationError('secret-whitespace', detail)
  return secret
}
