import { createServer, type Socket } from 'node:net'
import { createMirror } from 'pathology-sdk/mirror'
import { signWebhook } from 'pathology-sdk/webhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf } from '../support/clients.js'

const SECRET = 'a-signing-secret'
const UUID = '00000000-0000-4000-8000-000000000001'

/** A server that accepts connections and never responds. */
async function silentServer(): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    sockets.add(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function deliverTo(port: number): Promise<number> {
  const mirror = createMirror({
    database: `postgres://nobody@127.0.0.1:${port}/none`,
    client: clientOf('http://127.0.0.1:9'),
    secret: SECRET,
  })
  const body = JSON.stringify({ version: '1.0', eventName: 'result.created', eventUuid: UUID, data: {} })
  const headers = { 'x-svc-hmac-sha256': await signWebhook(body, SECRET) }
  const { status } = await mirror.receiver.receive({ headers, body })
  return status
}

it('events get a 503 when the database refuses connections (§6)', async () => {
  expect(await deliverTo(9)).toBe(503)
})

it('events get a 503 when the database does not respond (§6)', async () => {
  expect(await deliverTo(await silentServer())).toBe(503)
})

it('events get a 503 when the database does not respond after a slow body, with advice about the database (§6)', async () => {
  const errors: string[] = []
  const mirror = createMirror({
    database: `postgres://nobody@127.0.0.1:${await silentServer()}/none`,
    client: clientOf('http://127.0.0.1:9'),
    secret: SECRET,
    logger: { warn: (line) => errors.push(line), error: (line) => errors.push(line) },
  })
  const body = JSON.stringify({ version: '1.0', eventName: 'result.created', eventUuid: UUID, data: {} })
  const headers = { 'x-svc-hmac-sha256': await signWebhook(body, SECRET) }
  const slow = new ReadableStream({
    async start(controller) {
      await new Promise((resolve) => setTimeout(resolve, 800))
      controller.enqueue(new TextEncoder().encode(body))
      controller.close()
    },
  })
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body: slow, duplex: 'half' })
  expect((await mirror.receiver.fetch(request)).status).toBe(503)
  expect(errors.join()).toMatch(/was not stored within 2500 ms.*Check the database/)
  expect(errors.join()).not.toMatch(/enqueue/)
})

describe('options of createMirror', () => {
  const client = clientOf
  it('the error of createMirror names missing and unknown options', () => {
    expect(() => createMirror({})).toThrow(/either client or organisations is required/)
    const own = { client: client('http://127.0.0.1:9') }
    expect(() => createMirror({ ...own, schema: 'A;' })).toThrow(/schema must be a plain name/)
    expect(() => createMirror({ ...own, on: {} })).toThrow(/at least one handler/)
    expect(() => createMirror({ ...own, database: 'mysql://user:word@db/clinic' })).toThrow(
      /database must be a pg Pool, a PGlite, a postgres:\/\/ URL, or a directory for PGlite$/,
    )
    expect(() => createMirror({ ...own }).receiver).toThrow(/has no secret/)
  })

  it.each([
    '"postgres://user:word@db/clinic"',
    ' postgres://user:word@db/clinic',
    'DATABASE_URL=postgres://user:word@db/clinic',
    'postgres:user:word@db/clinic',
  ])('createMirror does not use %j as the name of a directory', (database) => {
    const own = { client: client('http://127.0.0.1:9') }
    expect(() => createMirror({ ...own, database })).toThrow(/database must be .* a postgres:\/\/ URL/)
  })
})
