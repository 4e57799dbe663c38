const assert = require('node:assert/strict')
const { isPathologyError, PathologyClient, PathologyError } = require('pathology-sdk')
const { FakePathologyService } = require('pathology-sdk/testing')
const { verifyWebhook, WebhookVerificationError } = require('pathology-sdk/webhooks')

async function main() {
  assert.equal(require('pathology-sdk/package.json').name, 'pathology-sdk')

  const refused = await verifyWebhook('{}', '0'.repeat(64), 'a-signing-secret').catch((error) => error)
  assert.ok(refused instanceof WebhookVerificationError)
  assert.ok(refused instanceof PathologyError, 'entries share one PathologyError')
  assert.ok(isPathologyError(refused))

  const fake = await FakePathologyService.start({ port: 0 })
  const client = new PathologyClient(fake.clientOptions())
  assert.ok(Array.isArray(await client.referrals.list().toArray({ limit: 1 })))
  const page = await fetch(fake.controlUrl, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /<script type="module" src="\/console\.js">/)
  const script = await fetch(`${fake.controlUrl}/console.js`)
  assert.match(script.headers.get('content-type'), /javascript/, 'the console is in the package')
  await client.close()
  await fake.close()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
