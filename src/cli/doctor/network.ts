import { lookup } from 'node:dns/promises'
import { connect } from 'node:tls'
import { type Finding, failure, ok, skipped, warning } from './finding.js'

const CONNECT_MS = 10_000
const DAY_MS = 86_400_000
/** Remaining days of a certificate below which the check warns. */
const SHORT_DAYS = 14

/** Checks name resolution and TLS of one URL. Skips TLS if the name has no address. */
export async function checkNetwork(name: string, text: string, now: number): Promise<Finding[]> {
  const url = new URL(text)
  const dns = await checkDns(`DNS ${name}`, url.hostname)
  if (dns.status === 'failure') return [dns]
  if (url.protocol === 'http:') return [dns, skipped(`TLS ${name}`, 'the URL is http on this machine')]
  return [dns, await checkTls(`TLS ${name}`, url, now)]
}

async function checkDns(check: string, hostname: string): Promise<Finding> {
  try {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })
    const count = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`
    return ok(check, `${hostname} has ${count}`)
  } catch {
    return failure(
      check,
      `the name ${hostname} has no address`,
      'check the URL for spelling mistakes, and the DNS or VPN of this machine',
    )
  }
}

/** Result of a TLS handshake. */
interface Handshake {
  readonly protocol: string | null
  readonly isAuthorized: boolean
  /** Error code of Node for an untrusted certificate. */
  readonly reason: string
  readonly validUntil: number
}

async function checkTls(check: string, { hostname, port }: URL, now: number): Promise<Finding> {
  const result = await handshake(hostname.replace(/^\[|\]$/g, ''), Number(port || 443)).catch(errorCode)
  if (typeof result === 'string') {
    const fix = 'check the port, the firewall, and whether a proxy is required'
    return failure(check, `no TLS connection to ${hostname}: ${result}`, fix)
  }
  if (!result.isAuthorized) {
    return failure(
      check,
      `the certificate of ${hostname} is not trusted: ${result.reason}`,
      'behind a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS to the path of its CA certificate file; never turn off the verification of certificates',
    )
  }
  const days = Math.floor((result.validUntil - now) / DAY_MS)
  return days < SHORT_DAYS
    ? warning(
        check,
        `the certificate of ${hostname} expires in ${days} days`,
        'report it to the operator of the service',
      )
    : ok(check, `${result.protocol}, the certificate is valid for ${days} days`)
}

/** Makes the TLS handshake without a request. An untrusted certificate is a result, not an error. */
function handshake(host: string, port: number): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const isName = !/^[\d.]+$|:/.test(host)
    const socket = connect({ host, port, ...(isName && { servername: host }), rejectUnauthorized: false })
    socket.setTimeout(CONNECT_MS, () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
    )
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const validUntil = Date.parse(socket.getPeerCertificate().valid_to)
      const { authorized: isAuthorized } = socket
      const error: unknown = socket.authorizationError
      const reason = typeof error === 'string' ? error : errorCode(error)
      resolve({ protocol: socket.getProtocol(), isAuthorized, reason, validUntil })
      socket.destroy()
    })
  })
}

function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown reason'
}
