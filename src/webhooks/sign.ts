import { findNodeCrypto, nodeSign, ownBytes, requireWebCrypto, webSign } from './hmac.js'
import { checkedBody, type RawBody } from './raw-body.js'
import { listSecrets } from './secrets.js'

/**
 * Signs a body as the service does, for tests of your own endpoint (§6).
 *
 * @returns The value for the `x-svc-hmac-sha256` header: 64 lower-case hexadecimal digits.
 * @throws {@link WebhookVerificationError} for a body or a secret that `verifyWebhook` would not take.
 */
export async function signWebhook(rawBody: RawBody, secret: string): Promise<string> {
  listSecrets([secret])
  const body = checkedBody(rawBody)
  const crypto = findNodeCrypto()
  return crypto === undefined
    ? webSign(requireWebCrypto(), secret, ownBytes(body))
    : nodeSign(crypto, secret, body)
}
