import { once } from 'node:events'
import {
  createSecureServer,
  constants as h2,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Order, Referral } from 'pathology-sdk'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { selfSigned } from './certificate.js'

/** Action of the server instead of a response to an order. */
type Fault = (stream: ServerHttp2Stream, place: () => void) => void

/** A service with HTTP/2 that stores its orders and breaks the first requests. */
class Http2Service {
  readonly orders: Referral[] = []
  readonly requests: string[] = []
  readonly #faults: Fault[]
  origin = ''

  private constructor(faults: readonly Fault[]) {
    this.#faults = [...faults]
  }

  static async start(faults: readonly Fault[]): Promise<Http2Service> {
    const service = new Http2Service(faults)
    const server = createSecureServer(selfSigned('127.0.0.1'))
    const sessions = new Set<ServerHttp2Session>()
    server.on('session', (session) => sessions.add(session.on('error', () => undefined)))
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined)
      void service.#serve(stream, `${headers[':method']} ${headers[':path']?.split('?')[0]}`)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    service.origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(() => {
      for (const session of sessions) session.destroy()
      server.close()
    })
    return service
  }

  async #serve(stream: ServerHttp2Stream, route: string): Promise<void> {
    this.requests.push(route)
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const fault = this.#faults.shift()
    if (fault !== undefined) return fault(stream, () => this.#place(chunks))
    stream.respond({ ':status': 200, 'content-type': 'application/json' })
    stream.end(JSON.stringify(this.#answer(route, chunks)))
  }

  #answer(route: string, body: readonly Buffer[]): unknown {
    if (route === 'POST /v1/referrals') return this.#place(body)
    return route === 'GET /v1/referrals' ? page('referrals', this.orders) : referral({ uuid: UUID })
  }

  #place(body: readonly Buffer[]): Referral {
    const { metadata = {} }: Order = JSON.parse(Buffer.concat(body).toString('utf8'))
    const placed = referral({ metadata, createdAt: new Date().toISOString() })
    this.orders.push(placed)
    return placed
  }
}

async function setUp(...faults: Fault[]) {
  const service = await Http2Service.start(faults)
  const auth = await ScriptedServer.start()
  const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } })
  onTestFinished(() => dispatcher.destroy())
  const client = clientOf(service.origin, {
    authUrl: auth.origin,
    dispatcher,
    clock: undefined,
    orderRecoveryTimeout: 500,
  })
  const placements = () => service.requests.filter((route) => route === 'POST /v1/referrals')
  return { service, client, placements }
}

const refuse: Fault = (stream) => stream.close(h2.NGHTTP2_REFUSED_STREAM)
/** Like a proxy that is reloaded: the streams up to the last id are still carried out. */
const goAwayAfterPlacing: Fault = (stream, place) => {
  place()
  goAway(stream, stream.id ?? 0)
}
const goAwayWithoutPlacing: Fault = (stream) => goAway(stream, 0)

function goAway(stream: ServerHttp2Stream, lastStreamId: number): void {
  stream.session?.goaway(h2.NGHTTP2_NO_ERROR, lastStreamId)
}

describe("HTTP/2 through the user's dispatcher", () => {
  it('an order whose HTTP/2 stream was refused was not sent: it is sent again', async () => {
    const { client, placements, service } = await setUp(refuse, refuse)
    await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: false })
    expect(placements()).toHaveLength(3)
    expect(service.orders).toHaveLength(1)
  })

  it('an order whose HTTP/2 stream is refused every time was not sent, and its error says so', async () => {
    const { client, service } = await setUp(refuse, refuse, refuse)
    const error = await rejection(client.referrals.create(order()))
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent', attempts: 3 })
    expect(service.orders).toEqual([])
  })

  it.each([h2.NGHTTP2_CANCEL, h2.NGHTTP2_INTERNAL_ERROR, h2.NGHTTP2_ENHANCE_YOUR_CALM])(
    'an order whose HTTP/2 stream was closed with code %i may have been placed: it is looked up, not sent again',
    async (code) => {
      const { client, placements } = await setUp((stream, place) => {
        place()
        stream.close(code)
      })
      await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: true })
      expect(placements()).toHaveLength(1)
    },
  )

  it('an order that was placed before a GOAWAY is looked up and found', async () => {
    const { client, placements } = await setUp(goAwayAfterPlacing)
    await expect(client.referrals.create(order())).resolves.toMatchObject({ recovered: true })
    expect(placements()).toHaveLength(1)
  })

  it('an order that was not processed before a GOAWAY has an unknown outcome, because the error is the same', async () => {
    const { client, placements, service } = await setUp(goAwayWithoutPlacing)
    const error = await rejection(client.referrals.create(order(), { timeout: 5_000 }))
    expect(error).toMatchObject({ name: 'OrderOutcomeUnknownError', outcome: 'unknown' })
    expect(placements()).toHaveLength(1)
    expect(service.orders).toEqual([])
  })

  it('reads that get a GOAWAY are retried', async () => {
    const { client } = await setUp(goAwayWithoutPlacing, goAwayWithoutPlacing)
    await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
  })
})
