import dns from 'node:dns'
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net'
import type { ClientOptions, FetchLike } from 'pathology-sdk'
import { Agent } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { selfSigned } from '../../faults/certificate.js'
import { bytes, RawServer } from '../../faults/raw-server.js'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { setUp } from './document-world.js'

const API = 'https://api.clinic.example'
const UNSAFE = { name: 'InvalidResponseError', reason: 'unsafe-url', outcome: 'not-sent' }

/** A client whose service returns `url` for the document. Every other opened URL is recorded. */
function clientFor(url: string, options: ClientOptions = {}) {
  const opened: string[] = []
  const fetch: FetchLike = async (input) => {
    const token = { access_token: 't', token_type: 'Bearer', expires_in: 3_600 }
    if (input.endsWith('/oauth/token')) return Response.json(token)
    if (input.startsWith(API)) return Response.json(referral({ uuid: UUID, referralAttachment: url }))
    opened.push(input)
    return new Response('%PDF-1.7 %%EOF')
  }
  return { opened, client: clientOf(API, { fetch, ...options }) }
}

describe('documents: addresses that must not be opened', () => {
  it.each([
    'http://files.clinic.example/x.pdf',
    'https://localhost/x.pdf',
    'https://localhost./x.pdf',
    'https://db.localhost/x.pdf',
    'https://intranet/x.pdf',
    'https://intranet./x.pdf',
    'https://store.internal/x.pdf',
    'https://metadata.google.internal./x.pdf',
    'https://printer.local/x.pdf',
    'https://router.home.arpa/x.pdf',
    'https://127.0.0.1/x.pdf',
    'https://127.1/x.pdf',
    'https://2130706433/x.pdf',
    'https://0x7f.0.0.1/x.pdf',
    'https://0177.0.0.1/x.pdf',
    'https://10.1.2.3/x.pdf',
    'https://10.1.2.3./x.pdf',
    'https://172.16.0.1/x.pdf',
    'https://192.168.1.1/x.pdf',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x.pdf',
    'https://0.0.0.0/x.pdf',
    'https://192.0.0.8/x.pdf',
    'https://192.0.2.1/x.pdf',
    'https://198.18.0.1/x.pdf',
    'https://198.19.255.255/x.pdf',
    'https://198.51.100.1/x.pdf',
    'https://203.0.113.1/x.pdf',
    'https://224.0.0.1/x.pdf',
    'https://240.0.0.1/x.pdf',
    'https://255.255.255.255/x.pdf',
    'https://[::1]/x.pdf',
    'https://[::]/x.pdf',
    'https://[::10.0.0.1]/x.pdf',
    'https://[::ffff:10.0.0.1]/x.pdf',
    'https://[::ffff:0:10.0.0.1]/x.pdf',
    'https://[64:ff9b::10.0.0.1]/x.pdf',
    'https://[64:ff9b:1::a00:1]/x.pdf',
    'https://[100::1]/x.pdf',
    'https://[2001::1]/x.pdf',
    'https://[2001:db8::1]/x.pdf',
    'https://[2002:a00:1::]/x.pdf',
    'https://[fd00::1]/x.pdf',
    'https://[fe80::1]/x.pdf',
    'https://[fec0::1]/x.pdf',
    'https://[ff02::1]/x.pdf',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ftp://files.clinic.example/x.pdf',
    '/files/x.pdf',
    'not a URL',
  ])('%s', async (url) => {
    const { opened, client } = clientFor(url)
    expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject(UNSAFE)
    expect(opened).toEqual([])
  })

  it.each([
    'https://files.clinic.example/x.pdf',
    'https://10.cdn.example.com/x.pdf',
    'https://127.example.com/x.pdf',
    'https://fd-example.com/x.pdf',
    'https://fe80.example.com/x.pdf',
    'https://local.example.com./x.pdf',
    'https://9.9.9.9/x.pdf',
    'https://172.32.0.1/x.pdf',
    'https://[2606:4700::1111]/x.pdf',
  ])('%s is public, and is opened', async (url) => {
    const { opened, client } = clientFor(url)
    await client.referrals.document(UUID).bytes()
    expect(opened).toEqual([url])
  })

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
})

describe('documents: documentHosts', () => {
  it.each([
    ['https://store.internal/x.pdf', 'store.internal'],
    ['https://store.internal:8443/x.pdf', 'STORE.internal'],
    ['https://10.1.2.3/x.pdf', '10.1.2.3'],
    ['https://[fd00::1]/x.pdf', '[fd00:0::1]'],
  ])('opens %s for %s', async (url, host) => {
    const { opened, client } = clientFor(url, { documentHosts: ['other.internal', host] })
    await client.referrals.document(UUID).bytes()
    expect(opened).toEqual([url])
  })

  it.each([
    ['http://store.internal/x.pdf', 'plain http'],
    ['https://a.store.internal/x.pdf', 'a name below it'],
    ['https://store.internal.localhost/x.pdf', 'a name above it'],
  ])('does not open %s: %s', async (url) => {
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
  ])('%j is a ConfigurationError', (documentHosts) => {
    const options = { documentHosts } as unknown as ClientOptions
    expect(() => clientOf(API, options)).toThrow(/^documentHosts must be an array of whole host names/)
  })
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

describe('documents: names that resolve to private addresses', () => {
  it.each([
    ['loopback', at('127.0.0.1')],
    ['private', at('10.0.0.1')],
    ['metadata', at('169.254.169.254')],
    ['IPv6 loopback', at('::1')],
    ['unique local', at('fd00::1')],
    ['a zone', at('fe80::1%eth0')],
    ['NAT64', at('64:ff9b::7f00:1')],
    ['mapped', at('::ffff:127.0.0.1')],
    ['a public address and a private one', at('9.9.9.9', '127.0.0.1')],
    ['a private address and a public one', at('127.0.0.1', '2606:4700::1111')],
  ])('%s: rejected without a connection and without a retry', async (_, found) => {
    const { host, client } = await resolving(found)
    const error = await rejection(client.referrals.document(UUID).bytes())
    expect(error).toMatchObject({ ...UNSAFE, attempts: 1 })
    expect(String(error)).toMatch(
      /resolves to a private address; to permit it, add the host to the client's option documentHosts/,
    )
    expectNoCanary(error)
    expect(host.sockets.size).toBe(0)
  })

  it('a lookup that returns a single address: rejected too', async () => {
    const before = getDefaultAutoSelectFamily()
    setDefaultAutoSelectFamily(false)
    onTestFinished(() => setDefaultAutoSelectFamily(before))
    const { host, client } = await resolving(at('127.0.0.1'))
    expect(await rejection(client.referrals.document(UUID).bytes())).toMatchObject(UNSAFE)
    expect(host.sockets.size).toBe(0)
  })

  it('documentHosts allows the host: the client connects, and checks the certificate', async () => {
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
})
