import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { deliveryOf, eventOf, ManualClock, seeingReceiver, settled, withoutNodeCrypto } from '../support.js'
import { ISSUED_VECTOR } from '../verification/vectors.js'

const URL = 'https://integrator.example/webhooks'

it('receiver.fetch accepts deliveries that openssl signed, also without node:crypto (§6)', async () => {
  const { receiver, seen } = seeingReceiver({ dedupe: false })
  const { body, signature } = ISSUED_VECTOR
  const request = () =>
    new Request(URL, { method: 'POST', headers: { 'x-svc-hmac-sha256': signature }, body })
  const response = await receiver.fetch(request())
  expect([response.status, await response.json()]).toEqual([200, { outcome: 'handled' }])
  expect((await withoutNodeCrypto(() => receiver.fetch(request()))).status).toBe(200)
  expect(seen).toHaveLength(2)
})

it.each([
  ['no body', { method: 'POST', headers: deliveryOf().headers, body: null }, 400, 'malformed'],
  ['no signature', { method: 'POST', body: '{}' }, 401, 'refused'],
  ['GET', { method: 'GET' }, 405, 'method-not-allowed'],
  ['too much', deliveryOf(JSON.stringify('x'.repeat(2 ** 20))), 413, 'body-too-large'],
])('receiver.fetch refuses %s (§6)', async (_title, init, status, outcome) => {
  const { receiver, seen } = seeingReceiver()
  const response = await receiver.fetch(new Request(URL, init))
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ outcome })
  expect(seen).toEqual([])
})

it.each<[string, (request: Request) => unknown]>([
  ['was read before', (request) => request.json()],
  ['has a reader of other code', (request) => request.body?.getReader()],
])('receiver.fetch responds with 500 and the reason when the body %s', async (_, take) => {
  const { receiver, onError } = seeingReceiver()
  const request = new Request(URL, deliveryOf())
  await take(request)
  expect((await receiver.fetch(request)).status).toBe(500)
  expect(onError.mock.calls[0]?.[0]).toMatchObject({
    reason: 'body-not-raw',
    message: expect.stringMatching(/was already read/),
  })
})

it('receiver.fetch responds with 500 to a body of texts instead of bytes, and cancels it', async () => {
  const { receiver, onError } = seeingReceiver()
  const { body, headers } = deliveryOf()
  const cancel = vi.fn()
  const texts = new ReadableStream({ start: (controller) => controller.enqueue(body), cancel })
  const request = new Request(URL, { method: 'POST', headers, body: texts, duplex: 'half' })
  expect((await receiver.fetch(request)).status).toBe(500)
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ reason: 'body-not-raw' })
  expect(cancel).toHaveBeenCalledOnce()
})

it('receiver.fetch reads no further than the limit, whatever the declared length', async () => {
  const { receiver } = seeingReceiver({ maxBodyBytes: 100_000 })
  const cancelled = vi.fn()
  let pulled = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1
      controller.enqueue(new Uint8Array(20_000))
    },
    cancel: cancelled,
  })
  const headers = { ...deliveryOf().headers, 'content-length': '10' }
  const response = await receiver.fetch(
    new Request(URL, { method: 'POST', headers, body: endless, duplex: 'half' }),
  )
  expect(response.status).toBe(413)
  expect(pulled).toBeLessThan(10)
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalled())
})

it('receiver.fetch responds with 408 at the deadline when the body does not arrive, and cancels it', async () => {
  const clock = new ManualClock()
  const { receiver, onError } = seeingReceiver({ clock })
  const cancelled = vi.fn()
  const stalled = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('{')),
    cancel: cancelled,
  })
  const response = receiver.fetch(
    new Request(URL, { method: 'POST', headers: deliveryOf().headers, body: stalled, duplex: 'half' }),
  )
  await settled()
  await clock.advance(2_500)
  expect((await response).status).toBe(408)
  expect(onError.mock.calls[0]?.[0]).toMatchObject({
    code: 'WEBHOOK_TIMEOUT',
    message: expect.stringMatching(/body/),
  })
  await vi.waitFor(() => expect(cancelled).toHaveBeenCalled())
  expect(clock.timers).toBe(0)
})

it('receiver.fetch responds with 400 when the body breaks off', async () => {
  const { receiver, seen } = seeingReceiver()
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })
  const response = await receiver.fetch(
    new Request(URL, { method: 'POST', headers: deliveryOf().headers, body: broken, duplex: 'half' }),
  )
  expect(response.status).toBe(400)
  expect(seen).toEqual([])
})

it('receiver.fetch accepts the raw request of Hono (§6)', async () => {
  const { receiver, seen } = seeingReceiver()
  const app = new Hono()
  app.all('/webhooks', (context) => receiver.fetch(context.req.raw))
  const event = eventOf()
  expect((await app.request('/webhooks', deliveryOf(event))).status).toBe(200)
  expect((await app.request('/webhooks')).status).toBe(405)
  expect(seen).toEqual([event])
})
