import dns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { expect, it, onTestFinished, vi } from 'vitest'
import { checkNetwork } from '../../../src/cli/doctor/network.js'
import { selfSigned } from '../../faults/certificate.js'

/** A TLS server that only IPv4 reaches. Returns its port. */
async function startServer(): Promise<number> {
  const server = createServer(selfSigned('localhost')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function resolveTo(...addresses: readonly dns.LookupAddress[]): void {
  const lookup = (_host: string, _options: object, callback: (...found: unknown[]) => void): void =>
    callback(null, addresses)
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as never)
}

const IPV4 = { address: '127.0.0.1', family: 4 }
const IPV6 = { address: '::1', family: 6 }

it.each([
  ['IPv6 first', [IPV6, IPV4], ['IPv6 API']],
  ['IPv4 first', [IPV4, IPV6], []],
  ['IPv4 only', [IPV4], []],
])('doctor warns if the first family of addresses does not work: %s', async (_, addresses, checks) => {
  const port = await startServer()
  resolveTo(...addresses)
  const context = { now: Date.now(), signal: new AbortController().signal }
  const findings = await checkNetwork('API', `https://localhost:${port}`, context)
  expect(findings.map(({ check }) => check)).toEqual(['DNS API', 'TLS API', ...checks])
  for (const finding of findings.slice(2))
    expect(finding).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('the IPv6 addresses of localhost cannot be reached from here'),
      fix: expect.stringContaining('--dns-result-order=ipv4first'),
    })
})
