import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { PathologyClient } from 'pathology-sdk'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'

// Over a socket, so that undici and other lazy modules are loaded. No top-level await: it is CommonJS too.
async function main() {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      request.url === '/oauth/token'
        ? JSON.stringify({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 })
        : JSON.stringify({ vendors: [], events: [] }),
    )
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${server.address().port}`
  const client = new PathologyClient({ baseUrl: url, authUrl: url, clientId: 'id', clientSecret: 'secret' })
  await client.warmUp()
  assert.deepEqual(await client.vendors.list().toArray(), [])
  await client.close()
  const receiver = createWebhookReceiver({ secret: 'secret', on: { '*': () => undefined } })
  const answer = await receiver.lambda({
    headers: {},
    body: '{}',
    requestContext: { http: { method: 'POST' } },
  })
  assert.equal(answer.statusCode, 401)
  server.close()
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
