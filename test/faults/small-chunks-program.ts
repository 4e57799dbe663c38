/**
 * Reads large bodies in very small chunks, in a process with little memory; see small-chunks.test.ts. Prints a line of JSON for
 * each reader.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { mock } from 'node:test'
import fastify from 'fastify'
import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { createWebhookReceiver, type WebhookReceiver } from 'pathology-sdk/webhooks'
import { systemClock } from '../../src/common/clock.js'

const MIB = 1024 * 1024

/** Length of a body that arrives in one-byte chunks: 256 KiB. */
const DELIVERY_BYTES = MIB / 4
const SECRET = 'whsec_small_chunks'
const UUID = '74dad65e-c150-46c7-8a8f-05724996ecba'

/** A body in chunks of `size` bytes, as HTTP frames them. */
function framed(body: Buffer, size: number): Buffer {
  const head = Buffer.from(`${size.toString(16)}\r\n`)
  const step = head.byteLength + size + 2
  const count = body.byteLength / size
  const frames = Buffer.alloc(count * step)
  for (let nth = 0; nth < count; nth += 1) {
    const at = nth * step
    head.copy(frames, at)
    body.copy(frames, at + head.byteLength, nth * size, (nth + 1) * size)
    frames.write('\r\n', at + head.byteLength + size, 'latin1')
  }
  return frames
}

/** Sends a body in one-byte chunks over a separate socket, and returns the status of the response. */
function send(port: number, requestLine: string, body: Buffer, header = 'x-none: 1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const lines = [requestLine, header, 'host: localhost', 'transfer-encoding: chunked', 'connection: close']
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    socket.write(framed(body, 1))
    socket.write('0\r\n\r\n')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(Number(text.slice(9, 12))))
  })
}

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** A signed event of exactly the permitted length. */
function delivery(): { readonly body: Buffer; readonly signature: string } {
  const head = `{"eventName":"result.updated","eventUuid":"${randomUUID()}","version":"1.0","data":{"text":"`
  const body = Buffer.from(`${head.padEnd(DELIVERY_BYTES - 3, 'x')}"}}`)
  return { body, signature: createHmac('sha256', SECRET).update(body).digest('hex') }
}

/** Delivers such an event; it reaches the handler. */
async function deliver(portOf: (receiver: WebhookReceiver) => Promise<number>): Promise<void> {
  const handler = mock.fn()
  const receiver = createWebhookReceiver({
    secret: SECRET,
    on: { '*': handler },
    maxBodyBytes: DELIVERY_BYTES,
    // The deadline never passes, however slow the machine is.
    clock: { ...systemClock, monotonic: () => 0, schedule: () => ({ cancel: () => undefined }) },
  })
  const { body, signature } = delivery()
  const port = await portOf(receiver)
  const status = await send(port, 'POST / HTTP/1.1', body, `x-svc-hmac-sha256: ${signature}`)
  if (status !== 200 || handler.mock.callCount() !== 1) throw new Error(`status ${status}`)
}

/** A client of a service that responds in chunks of four bytes. */
async function clientOf(
  bodies: ReadonlyMap<string, Buffer>,
  options: ClientOptions,
): Promise<PathologyClient> {
  const port = await listen(({ url = '', socket }, response) => {
    const body = bodies.get(url)
    if (body === undefined) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'token', token_type: 'Bearer', expires_in: 3_600 }))
      return
    }
    const type = url.startsWith('/v1/') ? 'application/json' : 'application/pdf'
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`)
    socket.write(framed(body, 4))
    socket.write('0\r\n\r\n')
  })
  const origin = `http://127.0.0.1:${port}`
  const referral = { uuid: UUID, referralAttachment: `${origin}/document.pdf` }
  bodies.get(`/v1/referrals/${UUID}`)?.write(JSON.stringify(referral))
  const urls = { baseUrl: origin, authUrl: origin, clientId: 'id', clientSecret: 'secret' }
  return new PathologyClient({ ...urls, responseValidation: 'off', timeout: 100_000, ...options })
}

/** A `fetch` whose responses arrive in chunks of eight bytes; Node's own joins chunks. */
async function smallPieces(input: string, init: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const whole = new Uint8Array(await response.arrayBuffer())
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= whole.byteLength) return controller.close()
      controller.enqueue(whole.subarray(at, at + 8))
      at += 8
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Reads a referral of 1 MiB, most of it white space. */
async function retrieve(options: ClientOptions): Promise<void> {
  const client = await clientOf(new Map([[`/v1/referrals/${UUID}`, Buffer.alloc(MIB, ' ')]]), options)
  const { uuid } = await client.referrals.retrieve(UUID)
  if (uuid !== UUID) throw new Error('another referral')
}

const READERS: Readonly<Record<string, () => Promise<void>>> = {
  'receiver.node': () =>
    deliver((receiver) => listen((request, response) => void receiver.node(request, response))),
  'receiver.fastify': () =>
    deliver(async (receiver) => {
      const app = fastify()
      await app.register(receiver.fastify)
      await app.listen({ port: 0, host: '127.0.0.1' })
      return (app.server.address() as AddressInfo).port
    }),
  'receiver.fetch': () =>
    deliver((receiver) =>
      listen(async (request, response) => {
        const headers = new Headers({ 'x-svc-hmac-sha256': String(request.headers['x-svc-hmac-sha256']) })
        const body = ReadableStream.from(request)
        const answer = await receiver.fetch(
          new Request('http://localhost/', { method: 'POST', headers, body, duplex: 'half' }),
        )
        response.writeHead(answer.status).end()
      }),
    ),
  'client, dispatcher': () => retrieve({}),
  'client, fetch': () => retrieve({ fetch: smallPieces }),
  'client, document': async () => {
    const bodies = new Map([
      [`/v1/referrals/${UUID}`, Buffer.alloc(1024, ' ')],
      ['/document.pdf', Buffer.alloc(MIB, '%PDF-1.7 ')],
    ])
    const client = await clientOf(bodies, { fetch: smallPieces })
    const { byteLength } = await client.referrals.document(UUID).bytes()
    if (byteLength !== MIB) throw new Error(`${byteLength} bytes`)
  },
  fake: async () => {
    const fake = await FakePathologyService.start({ port: 0 })
    const body = Buffer.alloc(DELIVERY_BYTES, ' ')
    const status = await send(Number(new URL(fake.baseUrl).port), 'POST /v1/referrals HTTP/1.1', body)
    if (status !== 401) throw new Error(`status ${status}`)
  },
}

for (const [reader, run] of Object.entries(READERS)) {
  await run()
  console.log(JSON.stringify({ reader }))
}
process.exit(0)
