import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { isPathologyError, PathologyClient, PathologyError } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { verifyWebhook, WebhookVerificationError } from 'pathology-sdk/webhooks'

const manifest = createRequire(import.meta.url)('pathology-sdk/package.json')
assert.equal(manifest.name, 'pathology-sdk')

const refused = await verifyWebhook('{}', '0'.repeat(64), 'a-signing-secret').catch((error) => error)
assert.ok(refused instanceof WebhookVerificationError)
assert.ok(refused instanceof PathologyError, 'entries share one PathologyError')
assert.ok(isPathologyError(refused))

const fake = await FakePathologyService.start({ port: 0 })
const client = new PathologyClient(fake.clientOptions())
assert.ok(Array.isArray(await client.referrals.list().toArray({ limit: 1 })))
await client.close()
await fake.close()
