import { signWebhook } from 'pathology-sdk/webhooks'
import { describe, expect, it } from 'vitest'
import { withoutNodeCrypto } from '../support.js'
import { SECRET, VECTORS } from './vectors.js'

describe('§6 signWebhook', () => {
  it.each(VECTORS)('signs as openssl does: $title', async ({ body, secret, signature }) => {
    await expect(signWebhook(body, secret)).resolves.toBe(signature)
    await expect(signWebhook(Buffer.from(body), secret)).resolves.toBe(signature)
    await expect(withoutNodeCrypto(() => signWebhook(body, secret))).resolves.toBe(signature)
  })

  it('rejects a body that could never be verified', async () => {
    await expect(signWebhook('', SECRET)).rejects.toMatchObject({ reason: 'body-empty' })
    await expect(signWebhook('{}', '')).rejects.toMatchObject({ reason: 'secret-missing' })
  })
})
