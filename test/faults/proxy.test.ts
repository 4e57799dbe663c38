import { type ClientOptions, PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CANARIES, expectNoCanary } from '../support/canaries.js'
import { clientOf, rejection } from '../support/clients.js'
import { startConnectProxy } from '../support/connect-proxy.js'
import { UUID } from '../support/samples.js'
import { ScriptedServer } from '../support/scripted-server.js'
import { selfSigned } from './certificate.js'
import { good, RawServer } from './raw-server.js'

const NAMES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY']

/** Sets the proxy variables for this test; the others are removed. */
function setEnvironment(values: Readonly<Record<string, string>>): void {
  for (const name of NAMES) vi.stubEnv(name, values[name])
  onTestFinished(() => void vi.unstubAllEnvs())
}

const SERVICE: ClientOptions = {
  baseUrl: 'https://api.clinic.example',
  authUrl: 'https://auth.clinic.example',
  clientId: 'client-1',
  clientSecret: CANARIES.clientSecret,
}

const PASSWORD = 'canary-proxy-password'

describe('the option proxy', () => {
  it('the requests for tokens, to the API and for documents go through the proxy', async () => {
    const fake = await FakePathologyService.start()
    onTestFinished(() => fake.close())
    const proxy = await startConnectProxy()
    await using client = new PathologyClient({ ...fake.clientOptions(), proxy: proxy.url })
    const referrals = await client.referrals.list().toArray({ limit: 60 })
    const referral = referrals.find(({ status }) => status === 'ISSUED')
    const pdf = await client.referrals.document(referral?.uuid ?? '')
    await pdf.bytes()
    const documents = new URL(referral?.referralAttachment ?? '').host
    expect(new Set(proxy.targets)).toEqual(new Set([new URL(fake.baseUrl).host, documents]))
  })

  it('the user name and the password of a proxy are sent to the proxy only', async () => {
    const server = await ScriptedServer.start()
    server.on('GET /v1/vendors', { json: { vendors: [] } })
    const proxy = await startConnectProxy(`Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`)
    const client = clientOf(server.origin, { proxy: new URL(proxy.url.replace('//', `//me:${PASSWORD}@`)) })
    await client.vendors.list().toArray()
    expect(proxy.targets.length).toBeGreaterThan(0)
    expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toMatch(/proxy/i)
  })

  it.each<readonly [string, string | undefined, string]>([
    ['a proxy that requires another password', 'Basic other', 'proxy'],
    ['a proxy that does not listen', undefined, 'refused'],
  ])(
    'nothing is sent through %s, and the error names the proxy without credentials',
    async (_, authorization, reason) => {
      const server = await ScriptedServer.start()
      const url =
        authorization === undefined ? 'http://127.0.0.1:9' : (await startConnectProxy(authorization)).url
      const client = clientOf(server.origin, { proxy: url.replace('//', `//me:${PASSWORD}@`), maxRetries: 0 })
      const error = await rejection(client.referrals.retrieve(UUID))
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-sent', reason })
      expect(String(error)).toContain(`(through the proxy ${url})`)
      for (let each: unknown = error; each instanceof Error; each = each.cause) {
        expect(`${each.stack} ${JSON.stringify(each)}`).not.toContain(PASSWORD)
      }
      expectNoCanary(error)
      expect(server.requests).toHaveLength(0)
    },
  )

  it("the option proxy 'env' reads the variables, in lower case first, and NO_PROXY", async () => {
    const server = await ScriptedServer.start()
    server.on('GET /v1/vendors', { json: { vendors: [] } })
    const proxy = await startConnectProxy()
    const list = (): Promise<unknown> =>
      clientOf(server.origin, { proxy: 'env', maxRetries: 0 }).vendors.list().toArray()
    setEnvironment({ http_proxy: proxy.url, HTTP_PROXY: 'http://127.0.0.1:9' })
    await list()
    const used = proxy.targets.length
    expect(used).toBeGreaterThan(0)
    setEnvironment({ HTTP_PROXY: proxy.url, NO_PROXY: 'other.example, 127.0.0.1' })
    await list()
    setEnvironment({})
    await list()
    expect(proxy.targets).toHaveLength(used)
  })

  it('a certificate that is not trusted is rejected behind a proxy too, and nothing is sent', async () => {
    const secure = await RawServer.startTls(selfSigned('localhost'), good({}))
    const auth = await ScriptedServer.start()
    const { url } = await startConnectProxy()
    const client = clientOf(secure.secureOrigin, { authUrl: auth.origin, proxy: url })
    const error = await rejection(client.referrals.retrieve(UUID))
    expect(error).toMatchObject({ reason: 'tls', outcome: 'not-sent', attempts: 1 })
    expect(secure.requests).toHaveLength(0)
  })

  it('the names of document hosts are checked through a proxy too', async () => {
    const server = await ScriptedServer.start()
    server.on(`GET /v1/referrals/${UUID}`, {
      json: { uuid: UUID, status: 'ISSUED', referralAttachment: 'https://10.0.0.1/x.pdf' },
    })
    const proxy = await startConnectProxy()
    const client = clientOf(server.origin, { proxy: proxy.url })
    const pdf = await client.referrals.document(UUID)
    await expect(rejection(pdf.bytes())).resolves.toMatchObject({ reason: 'unsafe-url' })
    expect(proxy.targets.some((target) => target.startsWith('10.'))).toBe(false)
  })

  const RULE = 'must be an http or https URL such as http://proxy.example:3128'
  const NEXT = '; percent-encode special characters in the password'
  const refusal = (options: unknown): string => {
    try {
      new PathologyClient({ ...SERVICE, ...(options as ClientOptions) })
    } catch (error) {
      expect(error).toMatchObject({ name: 'ConfigurationError' })
      return (error as Error).message
    }
    throw new Error('the options were accepted')
  }

  it.each([
    '',
    'proxy.example',
    'socks5://proxy.example',
    'file:///x',
    7,
    null,
    {},
    'http://me:%zz@proxy.example',
  ])('the option proxy does not accept %j', (proxy) => {
    expect(refusal({ proxy })).toBe(`proxy ${RULE} or 'env'${NEXT}`)
  })

  it('an invalid proxy variable is rejected, and the error names it', () => {
    setEnvironment({ HTTPS_PROXY: `me:${PASSWORD}@proxy.example` })
    expect(refusal({ proxy: 'env' })).toBe(`HTTPS_PROXY ${RULE}${NEXT}`)
  })

  it('the option proxy cannot be combined with dispatcher and fetch', () => {
    const dispatcher = new Agent()
    for (const other of [{ dispatcher }, { fetch: globalThis.fetch }]) {
      expect(refusal({ proxy: 'http://proxy.example', ...other })).toMatch(
        /^proxy cannot be used with dispatcher or fetch/,
      )
    }
  })
})

const warnings = (options: ClientOptions): string[] => {
  const texts: string[] = []
  new PathologyClient({ ...SERVICE, logger: { warn: (text) => texts.push(text) }, ...options })
  return texts
}

it('the hint about a proxy that is not used is logged once when HTTPS_PROXY is set and no connection option is', () => {
  setEnvironment({ HTTPS_PROXY: `http://me:${PASSWORD}@proxy.example:3128` })
  expect(warnings({})).toEqual([expect.stringMatching(/HTTPS_PROXY is set.*proxy to 'env'/)])
  expect(warnings({}).join()).not.toContain(PASSWORD)
  expect(warnings({ proxy: 'env' })).toEqual([])
  expect(warnings({ dispatcher: new Agent() })).toEqual([])
  expect(warnings({ fetch: globalThis.fetch })).toEqual([])
  expect(warnings({ baseUrl: 'http://127.0.0.1:1' })).toEqual([])
})

it.each(['*', 'clinic.example', '.clinic.example', 'api.clinic.example:443'])(
  'the hint about a proxy that is not used is not logged with NO_PROXY=%s',
  (value) => {
    setEnvironment({ HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: value })
    expect(warnings({})).toEqual([])
  },
)

it('the hint about a proxy that is not used is a process warning without a logger', async () => {
  setEnvironment({ https_proxy: 'http://proxy.example:3128' })
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => emit.mockRestore())
  new PathologyClient(SERVICE)
  expect(emit).toHaveBeenCalledOnce()
})
