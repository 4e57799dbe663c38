import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'

import type { DeliveryReceiver } from 'pathology-sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startFake } from '../support.js'

/** A receiver on this machine; its URL. */
async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/hook`
}

async function deliver(url: string, webhookTimeoutMs = 1_000) {
  const fake = await startFake({ webhookTimeoutMs })
  fake.webhooks.createInPortal({ url, events: ['referral.refunded'] })
  fake.trigger('referral.refunded')
  await fake.settled()
  return fake.deliveries[0]
}

async function deliverInProcess(receive: DeliveryReceiver) {
  const fake = await startFake()
  fake.webhooks.createInPortal({ url: 'https://hooks.example/', events: ['referral.refunded'] })
  fake.deliverTo('https://hooks.example/', receive)
  fake.trigger('referral.refunded')
  await fake.settled()
  return fake.deliveries[0]
}

describe('deliveries over real HTTP (§6)', () => {
  it('a delivery does not follow a redirect (§6)', async () => {
    let reached = 0
    const elsewhere = await receiver((_incoming, response) => {
      reached += 1
      response.end()
    })
    const url = await receiver((incoming, response) => {
      incoming.resume()
      response.writeHead(307, { location: elsewhere }).end()
    })
    expect(await deliver(url)).toMatchObject({ attempts: [{ status: 307 }] })
    expect(reached).toBe(0)
  })

  it('a receiver that does not respond in time counts as failed (§6)', async () => {
    const url = await receiver((incoming) => incoming.resume())
    expect(await deliver(url, 50)).toMatchObject({ attempts: [{ status: null, failure: 'timeout' }] })
  })

  it('a status within the time limit counts, whatever happens to the body (§6)', async () => {
    const url = await receiver((incoming, response) => {
      incoming.resume()
      response.writeHead(200).write('and then')
    })
    expect(await deliver(url, 200)).toMatchObject({ status: 'delivered' })
  })

  it('a refused or closed connection counts as failed (§6)', async () => {
    const closed = createTcpServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', () => resolve()))
    const address = closed.address()
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`
    expect(await deliver(url)).toMatchObject({
      attempts: [{ status: null, failure: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) }],
    })
    await new Promise<void>((resolve) => closed.close(() => resolve()))
    expect(await deliver(url)).toMatchObject({ attempts: [{ status: null, failure: 'ECONNREFUSED' }] })
  })
})

describe("the receiver's response", () => {
  it('the response of a receiver is stored with its headers and its duration, without cookies', async () => {
    const url = await receiver((incoming, response) => {
      incoming.resume()
      const headers = { 'content-type': 'application/json', 'set-cookie': 'canary=1' }
      response.writeHead(401, headers).end('{"error":"the signature does not match"}')
    })
    const delivery = await deliver(url)
    const [attempt] = delivery?.attempts ?? []
    expect(attempt).toMatchObject({
      status: 401,
      headers: { 'x-svc-hmac-sha256': attempt?.signature },
      responseHeaders: { 'content-type': 'application/json' },
      responseBody: '{"error":"the signature does not match"}',
    })
    expect(attempt?.durationMs).toBeGreaterThan(0)
    expect(JSON.stringify(delivery)).not.toContain('canary')
  })

  it('a body of a receiver that does not end does not fail the delivery, and a long one is shortened', async () => {
    const url = await receiver((incoming, response) => {
      incoming.resume()
      response.writeHead(200).write('x'.repeat(10_000))
    })
    const delivery = await deliver(url)
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ status: 200, failure: null }] })
    expect(delivery?.attempts[0]?.responseBody?.length).toBeLessThanOrEqual(4_096)
  })

  it('a character of a receiver whose bytes arrive in two parts is complete', async () => {
    const [first, ...rest] = new TextEncoder().encode('é is fine')
    const parts = ReadableStream.from([new Uint8Array([first ?? 0]), new Uint8Array(rest)])
    const delivery = await deliverInProcess(() => new Response(parts))
    expect(delivery?.attempts).toMatchObject([{ responseBody: 'é is fine' }])
  })

  it.each<[string, DeliveryReceiver, string | RegExp]>([
    ['throws', () => Promise.reject(new Error('no such table')), 'Error: no such table'],
    ['returns nothing', () => JSON.parse('null'), /^TypeError: /],
  ])(
    'the reason of a failed attempt is the error of a receiver in this process that %s',
    async (_, receive, failure) => {
      const delivery = await deliverInProcess(receive)
      expect(delivery).toMatchObject({
        status: 'waiting',
        attempts: [{ status: null, failure: expect.stringMatching(failure) }],
      })
    },
  )

  it('a receiver that is not a function is rejected, because its deliveries would use the network', async () => {
    const fake = await startFake()
    const receiver = JSON.parse('{}')
    expect(() => fake.deliverTo('https://hooks.example/', receiver)).toThrow('receiver must be a function')
  })

  it('a resent delivery is marked, with its own time', async () => {
    const fake = await startFake()
    fake.webhooks.createInPortal({ url: 'http://127.0.0.1:9/hook', events: ['referral.refunded'] })
    fake.deliverTo('http://127.0.0.1:9/hook', () => new Response())
    fake.trigger('referral.refunded')
    await fake.clock.advance({ minutes: 7 })
    fake.deliveries.resend(fake.deliveries[0]?.eventUuid ?? '')
    await fake.settled()
    expect(fake.deliveries).toMatchObject([
      { repeat: null, queuedAt: expect.stringContaining('T09:00:00') },
      { repeat: 'resend', queuedAt: expect.stringContaining('T09:07:00') },
    ])
  })
})
