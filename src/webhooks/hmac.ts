import { WebhookVerificationError } from './verification-error.js'

/** Node's own cryptography, as far as it is used here. */
export type NodeCrypto = Pick<typeof import('node:crypto'), 'createHmac' | 'timingSafeEqual'>
/** WebCrypto, as far as it is used here. */
export type WebCrypto = Pick<typeof globalThis.crypto.subtle, 'importKey' | 'sign' | 'verify'>

/** `node:crypto` where the runtime has one, without an import that would keep this entry out of other runtimes. */
export function findNodeCrypto(): NodeCrypto | undefined {
  if (globalThis.Buffer === undefined) return undefined
  return globalThis.process?.getBuiltinModule?.('node:crypto')
}

/** `node:crypto`, or an error that names the door to use instead. */
export function requireNodeCrypto(): NodeCrypto {
  const crypto = findNodeCrypto()
  if (crypto === undefined) {
    throw new WebhookVerificationError(
      'crypto-unavailable',
      'The synchronous functions need node:crypto (Node, Bun, Deno): use the asynchronous ones here.',
    )
  }
  return crypto
}

/** WebCrypto, or an error that says that the runtime has none. */
export function requireWebCrypto(): WebCrypto {
  const subtle = globalThis.crypto?.subtle
  if (subtle === undefined) {
    throw new WebhookVerificationError('crypto-unavailable', 'It has neither node:crypto nor crypto.subtle.')
  }
  return subtle
}

/** The signature of a body in lower-case hexadecimal digits, by `node:crypto` (§6). */
export function nodeSign(crypto: NodeCrypto, secret: string, body: string | Uint8Array): string {
  return crypto.createHmac('sha256', secret).update(body).digest('hex')
}

/** Whether one of the secrets gives this signature, compared in constant time (§6). */
export function nodeVerify(
  crypto: NodeCrypto,
  secrets: readonly string[],
  body: string | Uint8Array,
  signature: string,
): boolean {
  const given = globalThis.Buffer.from(signature, 'hex')
  return secrets.some((secret) =>
    crypto.timingSafeEqual(globalThis.Buffer.from(nodeSign(crypto, secret, body), 'hex'), given),
  )
}

/** The signature of a body in lower-case hexadecimal digits, by WebCrypto (§6). */
export async function webSign(
  subtle: WebCrypto,
  secret: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const signature = await subtle.sign('HMAC', await importSecret(subtle, secret), body)
  return Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Whether one of the secrets gives this signature; WebCrypto compares in constant time by itself (§6). */
export async function webVerify(
  subtle: WebCrypto,
  secrets: readonly string[],
  body: Uint8Array<ArrayBuffer>,
  signature: string,
): Promise<boolean> {
  const given = Uint8Array.from({ length: 32 }, (_, byte) =>
    Number.parseInt(signature.slice(byte * 2, byte * 2 + 2), 16),
  )
  for (const secret of secrets) {
    if (await subtle.verify('HMAC', await importSecret(subtle, secret), given, body)) return true
  }
  return false
}

/** Its own bytes: WebCrypto refuses shared memory, and the caller's may change while it works. */
export function ownBytes(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
}

function importSecret(subtle: WebCrypto, secret: string): ReturnType<WebCrypto['importKey']> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign', 'verify'])
}
