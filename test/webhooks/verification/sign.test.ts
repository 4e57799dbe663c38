import { signWebhook } from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'
import { withoutNodeCrypto } from '../support.js'
import { SECRET, VECTORS } from './vectors.js'

it.each(VECTORS)('signWebhook signs as openssl does: $title (§6)', async ({ body, secret, signature }) => {
  await expect(signWebhook(body, secret)).resolves.toBe(signature)
  await expect(signWebhook(Buffer.from(body), secret)).resolves.toBe(signature)
  await expect(withoutNodeCrypto(() => signWebhook(body, secret))).resolves.toBe(signature)
})

it('signWebhook rejects a body that could never be verified (§6)', async () => {
  await expect(signWebhook('', SECRET)).rejects.toMatchObject({ reason: 'body-empty' })
  await expect(signWebhook('{}', '')).rejects.toMatchObject({ reason: 'secret-missing' })
})
