import { request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import type { WebhookReceiverOptions } from 'pathology-sdk/webhooks'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf, eventOf, seeingReceiver } from '../support.js'

async function serve(options: Partial<WebhookReceiverOptions> = {}) {
  const { receiver, seen } = seeingReceiver(options)
  const app = fastify({ forceCloseConnections: true })
  onTestFinished(() => app.close())
  app.post('/parsed', async (request) => ({ got: request.body }))
  await app.register(receiver.fastify, { path: '/webhooks' })
  await app.register(receiver.fastify, { prefix: '/prefixed' })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin, seen }
}

it.each(['/webhooks', '/prefixed'])(
  'receiver.fastify accepts a delivery at %s, with any white space (§6)',
  async (path) => {
    const { origin, seen } = await serve()
    const delivery = deliveryOf(JSON.stringify(eventOf(), null, 3))
    const response = await fetch(`${origin}${path}`, delivery)
    expect([response.status, await response.json()]).toEqual([200, { outcome: 'handled' }])
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(seen).toEqual([JSON.parse(delivery.body)])
  },
)

it('receiver.fastify does not change the JSON parsing of other routes', async () => {
  const { origin } = await serve()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${origin}/parsed`, { method: 'POST', headers, body: '{"a":1}' })
  expect(await response.json()).toEqual({ got: { a: 1 } })
})

it.each(['text/plain', 'application/x-www-form-urlencoded', undefined])(
  'receiver.fastify accepts the content type %s',
  async (type) => {
    const { origin } = await serve()
    const { headers, body } = deliveryOf()
    const { 'content-type': _, ...unlabelled } = headers
    const response = await fetch(`${origin}/webhooks`, {
      method: 'POST',
      headers: type === undefined ? unlabelled : { ...unlabelled, 'content-type': type },
      body: Buffer.from(body),
    })
    expect(response.status).toBe(200)
  },
)

it('receiver.fastify accepts 250 KB and responds with 413 above maxBodyBytes (§8)', async () => {
  const { origin, seen } = await serve({ maxBodyBytes: 300_000 })
  const send = (size: number) =>
    fetch(`${origin}/webhooks`, deliveryOf(eventOf({ data: { note: 'x'.repeat(size) } })))
  expect((await send(250_000)).status).toBe(200)
  expect((await send(300_000)).status).toBe(413)
  expect(seen).toHaveLength(1)
})

it.each([
  [{ method: 'GET' }, 405],
  [{ method: 'PUT', body: '{}' }, 405],
  [{ method: 'POST' }, 401],
  [{ ...deliveryOf(), body: '{}' }, 401],
  [deliveryOf('{"eventName":'), 400],
])('receiver.fastify responds to %o with %i (§6)', async (request, status) => {
  const { origin, seen } = await serve()
  expect((await fetch(`${origin}/webhooks`, request)).status).toBe(status)
  expect(seen).toEqual([])
})

it('receiver.fastify responds with 413 to a length over the limit without waiting for the body', async () => {
  const { origin } = await serve()
  const headers = { ...deliveryOf().headers, 'content-length': 2 ** 20 + 1 }
  const status = await new Promise((resolve, reject) => {
    const outgoing = request(`${origin}/webhooks`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      outgoing.destroy()
    })
    outgoing.on('error', reject).flushHeaders()
  })
  expect(status).toBe(413)
})

it('receiver.fastify responds with 408 when the body does not arrive', async () => {
  const { origin } = await serve({ timeout: 40 })
  const { headers } = deliveryOf()
  const stream = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) })
  const response = await fetch(`${origin}/webhooks`, {
    method: 'POST',
    headers,
    body: stream,
    duplex: 'half',
  })
  expect(response.status).toBe(408)
})

it('receiver.fastify reports a body that a hook has read as a configuration error, without waiting for the body', async () => {
  const { receiver } = seeingReceiver()
  const app = fastify()
  app.addHook('preHandler', async ({ body }) => void (body instanceof Readable && (await text(body))))
  await app.register(receiver.fastify, { path: '/webhooks' })
  const { headers, body } = deliveryOf()
  const response = await app.inject({ method: 'POST', url: '/webhooks', headers, payload: body })
  expect(response.json()).toEqual({ outcome: 'misconfigured', reason: 'body-not-raw' })
})
