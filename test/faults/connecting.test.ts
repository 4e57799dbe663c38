import net, { createServer } from 'node:net'
import type { TlsOptions } from 'node:tls'
import type { ClientOptions, PathologyClient } from 'pathology-sdk'
import { Agent, type Dispatcher } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/common/clock.js'
import { expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { selfSigned } from './certificate.js'
import { good, RawServer, silence } from './raw-server.js'

/** A client whose tokens come from a separate server. */
async function clientFor(origin: string, options: ClientOptions = {}): Promise<PathologyClient> {
  const auth = await ScriptedServer.start()
  return clientOf(origin, { authUrl: auth.origin, orderRecoveryTimeout: 0, ...options })
}

function destroyedAfterwards<D extends Dispatcher>(dispatcher: D): D {
  onTestFinished(() => dispatcher.destroy())
  return dispatcher
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Only the service's host has no address; that of the token service has one. */
function withoutDns(code: string): Agent {
  return destroyedAfterwards(
    new Agent({
      connect: {
        lookup: (host, _options, callback) =>
          callback(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code }), [], 4),
      },
    }),
  )
}

const CALLS: readonly ((client: PathologyClient) => PromiseLike<unknown>)[] = [
  (client) => client.referrals.retrieve(UUID),
  (client) => client.referrals.create(order()),
]

describe('connecting fails', () => {
  it.each<[string, string, () => Promise<ClientOptions & { baseUrl: string }>]>([
    ...['ENOTFOUND', 'EAI_AGAIN'].map(
      (code): [string, string, () => Promise<ClientOptions & { baseUrl: string }>] => [
        code,
        'dns',
        async () => ({ baseUrl: 'https://api.clinic.invalid', dispatcher: withoutDns(code) }),
      ],
    ),
    ['ECONNREFUSED', 'refused', async () => ({ baseUrl: `http://127.0.0.1:${await closedPort()}` })],
  ])(
    'connecting that fails with %s has the reason %s: every request is retried, and nothing was sent',
    async (_, reason, options) => {
      const { baseUrl, ...rest } = await options()
      const client = await clientFor(baseUrl, rest)
      for (const call of CALLS) {
        const error = await rejection(call(client))
        expect(error).toMatchObject({ name: 'ConnectionError', reason, outcome: 'not-sent', attempts: 3 })
        expect(String(error)).toContain(baseUrl)
        expectNoCanary(error)
      }
    },
  )

  it("a TLS handshake that never ends is a connect-timeout, by undici's own timer", async () => {
    const mute = await RawServer.startMute()
    const dispatcher = destroyedAfterwards(new Agent({ connect: { timeout: 50 } }))
    const client = await clientFor(mute.secureOrigin, { dispatcher })
    const error = await rejection(client.referrals.create(order(), { maxRetries: 0 }))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'connect-timeout', outcome: 'not-sent' })
  })

  it('a call that is still connecting ends at its time limit, and the error says that nothing was sent', async () => {
    const mute = await RawServer.startMute()
    const dispatcher = destroyedAfterwards(new Agent())
    const client = await clientFor(mute.secureOrigin, { clock: systemClock, dispatcher })
    const error = await rejection(client.referrals.create(order(), { timeout: 60 }))
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'TIMEOUT', timeout: 60, outcome: 'not-sent' })
  })
})

/** A client with one connection, which a request of a price occupies until `release` is called. */
async function oneConnection() {
  const server = await ScriptedServer.start()
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  server.on('POST /v1/calculate', { json: { calculatePrice: {} }, after: released })
  server.on('GET /v1/vendors', { json: { vendors: [] } })
  const client = clientOf(server.origin, { maxSockets: 1, responseValidation: 'off' })
  const stalled = client.prices.calculate({ tests: ['fbc'] })
  await expect.poll(() => server.count('POST /v1/calculate')).toBe(1)
  return { server, client, release, stalled }
}

describe('the connection pool has no free connection', () => {
  it('a call that gets no free connection in its time limit was not sent, and says so', async () => {
    const raw = await RawServer.start(silence)
    const client = await clientFor(raw.origin, { clock: systemClock, maxSockets: 1 })
    const stalled = rejection(client.referrals.retrieve(UUID, { timeout: 400 }))
    await expect.poll(() => raw.requests.length).toBe(1)
    const error = await rejection(client.referrals.create(order(), { timeout: 60 }))
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent' })
    expect(String(error)).toMatch(
      /nothing was sent; the call was still waiting for a free connection \(maxSockets\); call again, or set a longer timeout$/,
    )
    expect(await stalled).toMatchObject({ name: 'TimeoutError', outcome: 'failed' })
    expect(String(await stalled)).not.toContain('waiting')
    expect(raw.requests).toHaveLength(1)
  })

  it('an aborted call leaves the queue for a connection, and a free connection goes to a waiting call', async () => {
    const { server, client, release } = await oneConnection()
    const hasty = Array.from({ length: 50 }, () =>
      rejection(client.referrals.retrieve(UUID, { timeout: 40 })),
    )
    const abort = new AbortController()
    const aborted = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
    const patient = client.vendors.list().toArray()
    abort.abort()
    expect(await aborted).toMatchObject({ name: 'AbortError' })
    for (const error of await Promise.all(hasty)) expect(error).toMatchObject({ outcome: 'not-sent' })
    release()
    await expect(patient).resolves.toEqual([])
    expect(server.count(`GET /v1/referrals/${UUID}`)).toBe(0)
  })
})

/** A server, and the authority that a client needs to trust it. */
type Served = Promise<{ readonly raw: RawServer; readonly ca?: string }>

async function served(host: string, options: TlsOptions & { readonly expired?: boolean } = {}): Served {
  const own = selfSigned(host, options)
  return {
    raw: await RawServer.startTls({ ...own, ...options }, good(referral({ uuid: UUID }))),
    ca: own.cert,
  }
}

const clientOfServed = ({ raw, ca }: Awaited<Served>): Promise<PathologyClient> =>
  clientFor(raw.secureOrigin, {
    ...(ca !== undefined && { dispatcher: destroyedAfterwards(new Agent({ connect: { ca } })) }),
  })

const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const

it.each<[string, () => Served]>([
  ['a certificate that is self-signed', async () => ({ raw: (await served('localhost')).raw })],
  ['a certificate that has expired', () => served('localhost', { expired: true })],
  ['a certificate for another host', () => served('api.other.example')],
  ['TLS 1.1 only', () => served('localhost', OLD)],
  ['plain HTTP on its port for TLS', async () => ({ raw: await RawServer.startPlainAnswer() })],
])(
  'nothing is sent to a server with %s, and the error does not advise to disable the check',
  async (_, serve) => {
    const server = await serve()
    const client = await clientOfServed(server)
    for (const call of CALLS) {
      const error = await rejection(call(client))
      expect(error).toMatchObject({
        name: 'ConnectionError',
        reason: 'tls',
        outcome: 'not-sent',
        attempts: 1,
      })
      expect(String(error)).toMatch(/certificate/)
      expect(String(error)).not.toMatch(/rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|disable/i)
      expectNoCanary(error)
    }
    expect(server.raw.requests).toEqual([])
  },
)

it('a certificate of a private authority is accepted with a dispatcher that trusts it', async () => {
  const client = await clientOfServed(await served('localhost'))
  await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
})

it('a document is not sent for when its host refuses the connection', async () => {
  const service = await ScriptedServer.start()
  const url = `http://127.0.0.1:${await closedPort()}/x.pdf?sig=canary-signed-query`
  service.on(`GET /v1/referrals/${UUID}`, { json: referral({ referralAttachment: url }) })
  service.on('GET /v1/referrals', { json: page('referrals', []) })
  const error = await rejection(clientOf(service.origin).referrals.document(UUID).bytes())
  expect(error).toMatchObject({
    name: 'ConnectionError',
    reason: 'refused',
    outcome: 'not-sent',
    attempts: 3,
  })
  expectNoCanary(error)
})

describe('a host with addresses of both families', () => {
  it.each([
    ['the default timeout', {}, 2_500],
    ['a short timeout', { timeout: 2_000 }, 500],
    ['a long timeout', { timeout: 60_000 }, 2_500],
  ])('each address of a host is tried for a part of the time limit: %s', async (_, options, limit) => {
    const connected = vi.spyOn(net, 'connect')
    const service = await ScriptedServer.start()
    service.on('GET /files/*', { bytes: Buffer.from('%PDF-1.7 %%EOF') })
    const client = clientOf(service.origin, { clock: systemClock, ...options })
    const known = referral({ referralAttachment: `${service.origin}/files/1` })
    await client.referrals.document(known).bytes()
    await client.warmUp().catch(() => undefined)
    expect(connected.mock.calls.length).toBeGreaterThan(1)
    for (const [given] of connected.mock.calls)
      expect(given).toMatchObject({ autoSelectFamilyAttemptTimeout: limit })
  })
})

describe('a dispatcher of undici 6', () => {
  const invalid = (): never => {
    throw Object.assign(new Error('invalid onError method'), { code: 'UND_ERR_INVALID_ARG' })
  }
  const incompatible = (_: object, handler: object): never => (handler as { onConnect(): never }).onConnect()

  it.each<[string, (options: object, handler: object) => never]>([
    ['an Agent', invalid],
    ['a RetryAgent', incompatible],
  ])('%s of undici 6 is refused at the first call, with the version that is needed', async (_, dispatch) => {
    const given = vi.fn(dispatch)
    const client = clientOf('http://127.0.0.1:9', {
      dispatcher: { dispatch: given } as unknown as Dispatcher,
    })
    const error = await rejection(client.referrals.create(order()))
    expect(error).toMatchObject({ name: 'ConfigurationError' })
    expect(String(error)).toMatch(/dispatcher needs undici 7\.0 or later.*nothing was sent/)
    expect(given).toHaveBeenCalledOnce()
    const known = referral({ referralAttachment: 'http://127.0.0.1:9/files/1' })
    expect(await rejection(client.referrals.document(known).bytes())).toEqual(error)
  })
})
