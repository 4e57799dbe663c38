import dns from 'node:dns'
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net'
import type { ClientOptions } from 'pathology-sdk'
import { Agent } from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import { selfSigned } from '../../faults/certificate.js'
import { bytes, RawServer } from '../../faults/raw-server.js'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, fetchOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { setUp } from './document-world.js'

const API = 'https://api.clinic.example'
const UNSAFE = { name: 'InvalidResponseError', reason: 'unsafe-url', outcome: 'not-sent' }

/** A client whose service returns `url` for the document. Every other opened URL is recorded. */
function clientFor(url: string, options: ClientOptions = {}) {
  const opened: string[] = []
  const fetch = fetchOf(({ href }) => {
    if (href.startsWith(API)) return referral({ uuid: UUID, referralAttachment: url })
    opened.push(href)
    return new Response('%PDF-1.7 %%EOF')
  })
  return { opened, client: clientOf(API, { fetch, ...options }) }
}

// All private networks and names are in `properties/private-addresses.test.ts`.
it.each([
  ...['http://files.clinic.example/x.pdf', 'ftp://files.clinic.example/x.pdf', 'file:///etc/passwd'],
  ...[
    'javascript:alert(1)',
    '/files/x.pdf',
    'not a URL',
    'https://localhost/x.pdf',
    'https://intranet./x.pdf',
  ],
  ...['https://store.internal/x.pdf', 'https://10.1.2.3/x.pdf', 'https://0x7f.0.0.1/x.pdf'],
  ...['https://169.254.169.254/latest/meta-data', 'https://[::1]/x.pdf', 'https://[::ffff:10.0.0.1]/x.pdf'],
])('the address %s is not opened', async (url) => {
  const { opened, client } = clientFor(url)
  expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject(UNSAFE)
  expect(opened).toEqual([])
})

it.each(['https://files.clinic.example/x.pdf', 'https://9.9.9.9/x.pdf', 'https://[2606:4700::1111]/x.pdf'])(
  'the public address %s is opened',
  async (url) => {
    const { opened, client } = clientFor(url)
    await client.referrals.document(UUID).bytes()
    expect(opened).toEqual([url])
  },
)

it.each([
  'http://files.clinic.example/x.pdf',
  'http://10.1.2.3/x.pdf',
  'https://192.168.1.1/x.pdf',
  'http://169.254.169.254/latest/meta-data',
  'https://[fd00::1]/x.pdf',
  'http://store.localhost/x.pdf',
  'file:///etc/passwd',
])('a service on this machine allows documents of this machine, and not %s', async (url) => {
  const { service, client } = await setUp()
  service.on(`GET /v1/referrals/${UUID}`, { json: referral({ referralAttachment: url }) })
  expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject(UNSAFE)
})

it.each([
  ['https://store.internal/x.pdf', 'store.internal'],
  ['https://store.internal:8443/x.pdf', 'STORE.internal'],
  ['https://10.1.2.3/x.pdf', '10.1.2.3'],
  ['https://[fd00::1]/x.pdf', '[fd00:0::1]'],
])('documentHosts: %s is opened for %s', async (url, host) => {
  const { opened, client } = clientFor(url, { documentHosts: ['other.internal', host] })
  await client.referrals.document(UUID).bytes()
  expect(opened).toEqual([url])
})

it.each([
  ['http://store.internal/x.pdf', 'plain http'],
  ['https://a.store.internal/x.pdf', 'a name below it'],
  ['https://store.internal.localhost/x.pdf', 'a name above it'],
])('documentHosts: %s is not opened, because it is %s', async (url) => {
  const { client } = clientFor(url, { documentHosts: ['store.internal'] })
  expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject(UNSAFE)
})

it.each([
  'store.internal',
  [''],
  ['https://store.internal'],
  ['store.internal:8443'],
  ['store.internal/'],
  ['user@store.internal'],
  [' store.internal'],
  ['fd00::1'],
  ['store internal'],
  ['*.internal'],
  ['*'],
  ['.internal'],
  ['store..internal'],
  [7],
  null,
])('documentHosts: %j is a ConfigurationError', (documentHosts) => {
  const options = { documentHosts } as unknown as ClientOptions
  expect(() => clientOf(API, options)).toThrow(/^documentHosts must be an array of whole host names/)
})

type Found = readonly { readonly address: string; readonly family: number }[]

const at = (...addresses: string[]): Found =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** A service on this machine, and a document on a host with these addresses. Other names resolve as usual. */
async function resolving(found: Found, options: ClientOptions = {}) {
  const own = selfSigned('files.clinic.example')
  const pdf = 'HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n%PDF-1.7 %%EOF'
  const host = await RawServer.startTls(own, bytes(pdf, 'keep'))
  const { port } = new URL(host.origin)
  const real = dns.lookup
  vi.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    asked: dns.LookupOptions,
    then: LookupCallback,
  ) => {
    if (name !== 'files.clinic.example') return real(name, asked, then as never)
    const [first] = found
    if (first === undefined)
      then(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), '')
    else if (asked.all === true) then(null, [...found])
    else then(null, first.address, first.family)
  }) as never)
  const { service, client } = await setUp([], options)
  const url = `https://files.clinic.example:${port}/x.pdf?sig=canary-signed-query`
  service.on(`GET /v1/referrals/${UUID}`, { json: referral({ referralAttachment: url }) })
  return { own, host, client }
}

type LookupCallback = (error: Error | null, found: string | Found, family?: number) => void

it.each([
  ['loopback', at('127.0.0.1')],
  ['a zone', at('fe80::1%eth0')],
  ['a public address and a private one', at('9.9.9.9', '127.0.0.1')],
  ['a private address and a public one', at('127.0.0.1', '2606:4700::1111')],
])('a name that resolves to %s is rejected without a connection and without a retry', async (_, found) => {
  const { host, client } = await resolving(found)
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ ...UNSAFE, attempts: 1 })
  expect(String(error)).toMatch(
    /resolves to a private address; to permit it, add the host to the client's option documentHosts/,
  )
  expectNoCanary(error)
  expect(host.sockets.size).toBe(0)
})

it('a private address is rejected too when a lookup returns a single one', async () => {
  const before = getDefaultAutoSelectFamily()
  setDefaultAutoSelectFamily(false)
  onTestFinished(() => setDefaultAutoSelectFamily(before))
  const { host, client } = await resolving(at('127.0.0.1'))
  expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject(UNSAFE)
  expect(host.sockets.size).toBe(0)
})

it('documentHosts: the client connects to a private address, and checks the certificate', async () => {
  const { client } = await resolving(at('127.0.0.1'), { documentHosts: ['files.clinic.example'] })
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'tls' })
})

it('a name that does not resolve is reported as such', async () => {
  const { client } = await resolving(at())
  const error = await rejection(client.referrals.document(UUID).bytes())
  expect(error).toMatchObject({ name: 'ConnectionError', reason: 'dns', outcome: 'not-sent' })
})

it("with the user's own dispatcher only the name is checked, and not the address", async () => {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  onTestFinished(() => dispatcher.destroy())
  const { host, client } = await resolving(at('127.0.0.1'), { dispatcher })
  await expect(client.referrals.document(UUID).bytes()).resolves.toHaveLength(14)
  expect(host.requests).toHaveLength(1)
})
