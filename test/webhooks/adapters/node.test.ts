import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { WebhookReceiverOptions } from 'pathology-sdk/webhooks'
import { expect, it, vi } from 'vitest'
import { deliveryOf, eventOf, listening, seeingReceiver, sign } from '../support.js'
import { ISSUED_VECTOR } from '../verification/vectors.js'

async function serve(options: Partial<WebhookReceiverOptions> = {}) {
  const { receiver, seen, onError } = seeingReceiver(options)
  const origin = await listening(createServer(receiver.node))
  return { origin, seen, onError }
}

/** Writes a request's raw bytes, and returns all received bytes until the connection closes. */
function exchange(
  origin: string,
  parts: readonly (string | Uint8Array)[],
  halfClose = false,
): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    for (const part of parts) socket.write(part)
    if (halfClose) socket.end()
  })
}

const head = (lines: readonly string[]): string =>
  ['POST / HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines, '', ''].join('\r\n')

it('receiver.node accepts deliveries that openssl signed, byte for byte (§6)', async () => {
  const { origin, seen } = await serve()
  const { body, signature } = ISSUED_VECTOR
  const response = await fetch(origin, {
    method: 'POST',
    headers: { 'X-Svc-Hmac-Sha256': signature },
    body,
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({ outcome: 'handled' })
  expect(seen).toEqual([JSON.parse(body)])
})

it('receiver.node accepts a body of 250 KB in many chunks, and characters that are split between two chunks (§8)', async () => {
  const { origin, seen } = await serve()
  const event = eventOf({ eventName: 'collection_centres.updated', data: { note: '病'.repeat(85_000) } })
  const { headers, body } = deliveryOf(event)
  const bytes = Buffer.from(body)
  const parts = Array.from({ length: Math.ceil(bytes.length / 4_001) }, (_, n) =>
    bytes.subarray(n * 4_001, (n + 1) * 4_001),
  )
  const answer = await exchange(origin, [
    head([`Content-Length: ${bytes.length}`, `X-Svc-Hmac-Sha256: ${headers['x-svc-hmac-sha256']}`]),
    ...parts,
  ])
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(seen).toEqual([event])
})

it('receiver.node accepts a body sent without its length', async () => {
  const { origin, seen } = await serve()
  const { body, signature } = ISSUED_VECTOR
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const answer = await exchange(origin, [
    head(['Transfer-Encoding: chunked', `x-svc-hmac-sha256: ${signature}`]),
    chunked,
  ])
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(seen).toHaveLength(1)
})

it('receiver.node rejects a signature header that is sent twice (§6)', async () => {
  const { origin, seen } = await serve()
  const { body, signature } = ISSUED_VECTOR
  const line = `x-svc-hmac-sha256: ${signature}`
  const answer = await exchange(origin, [head([`Content-Length: ${body.length}`, line, line]), body])
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  expect(answer).toContain('signature-ambiguous')
  expect(seen).toEqual([])
})

it.each(['GET', 'PUT', 'DELETE'])('receiver.node responds to %s with 405 (§6)', async (method) => {
  const { origin } = await serve()
  const response = await fetch(origin, { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
})

it('receiver.node responds with 413 to a length over the limit without waiting for the body', async () => {
  const { origin } = await serve()
  const lines = [`Content-Length: ${2 ** 20 + 1}`, `x-svc-hmac-sha256: ${'0'.repeat(64)}`]
  const answer = await exchange(origin, [head(lines)], true)
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
})

it('receiver.node responds with 413 to a body over the limit without a declared length, and the sender can read the response', async () => {
  const { origin, seen } = await serve({ maxBodyBytes: 50_000 })
  const body = 'x'.repeat(3_000_000)
  const stream = new ReadableStream({
    start(controller) {
      for (let sent = 0; sent < body.length; sent += 60_000)
        controller.enqueue(Buffer.from(body.slice(sent, sent + 60_000)))
      controller.close()
    },
  })
  const headers = { 'x-svc-hmac-sha256': sign(body) }
  const response = await fetch(origin, { method: 'POST', headers, body: stream, duplex: 'half' })
  expect(response.status).toBe(413)
  expect(seen).toEqual([])
})

it('receiver.node responds with 413 while a body that does not end still arrives, and closes the connection in the end', async () => {
  const { origin, onError } = await serve({ maxBodyBytes: 50_000, timeout: 200 })
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(head(['Transfer-Encoding: chunked', `x-svc-hmac-sha256: ${'0'.repeat(64)}`]))
  const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`
  const sending = setInterval(() => socket.write(chunk), 1)
  const answer = await new Promise<string>((resolve) =>
    socket.once('data', (bytes) => resolve(bytes.toString())),
  )
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
  expect(onError.mock.calls[0]?.[1]).toMatchObject({ outcome: 'body-too-large' })
  await new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
  clearInterval(sending)
})

it('receiver.node serves the next delivery on the same connection after one that was too large', async () => {
  const { origin, seen } = await serve({ maxBodyBytes: 50_000 })
  const { body, signature } = ISSUED_VECTOR
  const large = `${(300_000).toString(16)}\r\n${'x'.repeat(300_000)}\r\n0\r\n\r\n`
  const lines = [`x-svc-hmac-sha256: ${signature}`]
  const answer = await exchange(origin, [
    ['POST / HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked', ...lines, '', ''].join('\r\n'),
    large,
    head([`Content-Length: ${body.length}`, ...lines]),
    body,
  ])
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  expect(seen).toHaveLength(1)
})

it('receiver.node responds with 408 when the body does not arrive, and closes the connection', async () => {
  const { origin, onError } = await serve({ timeout: 40 })
  const { body, signature } = ISSUED_VECTOR
  const lines = [`Content-Length: ${body.length}`, `x-svc-hmac-sha256: ${signature}`]
  const answer = await exchange(origin, [head(lines), body.slice(0, 10)])
  expect(answer).toMatch(/^HTTP\/1.1 408 /)
  expect(onError.mock.calls[0]?.[1]).toMatchObject({ outcome: 'body-timeout' })
})

it('receiver.node calls no handler when the connection breaks during the body', async () => {
  const { origin, seen, onError } = await serve()
  const { body, signature } = ISSUED_VECTOR
  const lines = [`Content-Length: ${body.length}`, `x-svc-hmac-sha256: ${signature}`]
  await exchange(origin, [head(lines), body.slice(0, 50)], true)
  await vi.waitFor(() => expect(onError).toHaveBeenCalled())
  expect(onError.mock.calls[0]?.[1]).toMatchObject({ outcome: 'body-unreadable', status: 400 })
  expect(seen).toEqual([])
})

it('receiver.node serves the next delivery on the same connection after a body that it did not read', async () => {
  const { origin, seen } = await serve()
  const { body, signature } = ISSUED_VECTOR
  const request = (lines: readonly string[]): string =>
    ['POST / HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n')
  const answer = await exchange(origin, [
    request([`Content-Length: ${body.length}`]),
    body,
    request([`Content-Length: ${body.length}`, `x-svc-hmac-sha256: ${signature}`, 'Connection: close']),
    body,
  ])
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200'])
  expect(seen).toHaveLength(1)
})
