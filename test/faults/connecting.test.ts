import net, { createServer } from 'node:net'
import { type ClientOptions, type PathologyClient, PathologyError } from 'pathology-sdk'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/common/clock.js'
import { expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { order, page, referral, UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { selfSigned } from './certificate.js'
import { bytes, good, RawServer, silence } from './raw-server.js'

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

const CALLS: Readonly<Record<string, (client: PathologyClient) => PromiseLike<unknown>>> = {
  GET: (client) => client.referrals.retrieve(UUID),
  create: (client) => client.referrals.create(order()),
  PATCH: (client) => client.referrals.update(UUID, { phone: '0362001234' }),
  DELETE: (client) => client.referrals.delete(UUID),
}
const calls = Object.entries(CALLS)

describe('connecting fails, so every request may be retried', () => {
  for (const [name, call] of calls) {
    it.each(['ENOTFOUND', 'EAI_AGAIN'])(`${name}: %s names the host, and nothing was sent`, async (code) => {
      const client = await clientFor('https://api.clinic.invalid', { dispatcher: withoutDns(code) })
      const error = await rejection(call(client))
      expect(error).toMatchObject({
        name: 'ConnectionError',
        code: 'CONNECTION_DNS',
        reason: 'dns',
        outcome: 'not-sent',
        attempts: 3,
      })
      expect(String(error)).toContain('https://api.clinic.invalid')
      expectNoCanary(error)
    })

    it(`${name}: connection refused`, async () => {
      const client = await clientFor(`http://127.0.0.1:${await closedPort()}`)
      const error = await rejection(call(client))
      expect(error).toMatchObject({
        name: 'ConnectionError',
        reason: 'refused',
        outcome: 'not-sent',
        attempts: 3,
      })
      expectNoCanary(error)
    })
  }

  it("a TLS handshake that never ends is a connect-timeout, by undici's own timer", async () => {
    const mute = await RawServer.startMute()
    const dispatcher = destroyedAfterwards(new Agent({ connect: { timeout: 50 } }))
    const client = await clientFor(mute.secureOrigin, { dispatcher })
    const error = await rejection(client.referrals.create(order(), { maxRetries: 0 }))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'connect-timeout', outcome: 'not-sent' })
  })

  it("the call's own time limit ends it at once, and the error says that nothing was sent", async () => {
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

  it('an aborted call leaves the queue, and a free connection goes to a waiting call', async () => {
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

describe('certificates and protocols that TLS rejects', () => {
  const expectTls = async (client: PathologyClient, raw: RawServer): Promise<void> => {
    for (const [, call] of calls) {
      const error = await rejection(call(client))
      expect(error).toMatchObject({
        name: 'ConnectionError',
        reason: 'tls',
        outcome: 'not-sent',
        attempts: 1,
      })
      const text = String(error)
      expect(text).toMatch(/certificate/)
      expect(text).not.toMatch(/rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|disable/i)
      expectNoCanary(error)
    }
    expect(raw.requests).toEqual([])
  }

  it('a self-signed certificate', async () => {
    const raw = await RawServer.startTls(selfSigned('localhost'), good(referral()))
    await expectTls(await clientFor(raw.secureOrigin), raw)
  })

  it('an expired certificate', async () => {
    const own = selfSigned('localhost', { expired: true })
    const raw = await RawServer.startTls(own, good(referral()))
    const dispatcher = destroyedAfterwards(new Agent({ connect: { ca: own.cert } }))
    await expectTls(await clientFor(raw.secureOrigin, { dispatcher }), raw)
  })

  it('a certificate for another host', async () => {
    const own = selfSigned('api.other.example')
    const raw = await RawServer.startTls(own, good(referral()))
    const dispatcher = destroyedAfterwards(new Agent({ connect: { ca: own.cert } }))
    await expectTls(await clientFor(raw.secureOrigin, { dispatcher }), raw)
  })

  it('a valid certificate of a private authority, with a dispatcher that trusts it: accepted', async () => {
    const own = selfSigned('localhost')
    const raw = await RawServer.startTls(own, good(referral({ uuid: UUID })))
    const dispatcher = destroyedAfterwards(new Agent({ connect: { ca: own.cert } }))
    const client = await clientFor(raw.secureOrigin, { dispatcher })
    await expect(client.referrals.retrieve(UUID)).resolves.toMatchObject({ uuid: UUID })
  })

  it('a server of TLS 1.1 only', async () => {
    const own = selfSigned('localhost')
    const options = { ...own, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
    const raw = await RawServer.startTls(options, good(referral()))
    const dispatcher = destroyedAfterwards(new Agent({ connect: { ca: own.cert } }))
    await expectTls(await clientFor(raw.secureOrigin, { dispatcher }), raw)
  })

  it('plain HTTP on the port where TLS is expected', async () => {
    const plain = await RawServer.startPlainAnswer()
    await expectTls(await clientFor(plain.secureOrigin), plain)
  })
})

describe('proxies', () => {
  const password = 'proxy-pass-77'

  it('a proxy that refuses the connection: nothing was sent', async () => {
    const dispatcher = destroyedAfterwards(
      new ProxyAgent(`http://user:${password}@127.0.0.1:${await closedPort()}`),
    )
    const client = await clientFor('https://api.clinic.invalid', { dispatcher })
    const error = await rejection(client.referrals.create(order()))
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'refused', outcome: 'not-sent' })
    expect(JSON.stringify(error)).not.toContain(password)
  })

  it('407: nothing was sent, and the password is not shown', async () => {
    const proxy = await RawServer.start(
      bytes('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n', 'end'),
    )
    const uri = proxy.origin.replace('http://', `http://user:${password}@`)
    const client = await clientFor('https://api.clinic.invalid', {
      dispatcher: destroyedAfterwards(new ProxyAgent(uri)),
    })
    const error = await rejection(client.referrals.create(order()))
    expect(error).toBeInstanceOf(PathologyError)
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'proxy', outcome: 'not-sent' })
    expectNoCanary(error)
    expect(String(error)).not.toContain(password)
  })
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
  ])('each address is tried for a part of the time limit: %s', async (_, options, limit) => {
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
  ])('%s is refused at the first call, with the version that is needed', async (_, dispatch) => {
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
