import { lookup } from 'node:dns/promises'
import { addAbortSignal } from 'node:stream'
import { connect } from 'node:tls'
import { waitWithin } from '../../common/time-limit.js'
import { type Finding, failure, ok, skipped, warning } from './finding.js'

const CONNECT_MS = 10_000
const DAY_MS = 86_400_000
/** Remaining days of a certificate below which the check warns. */
const SHORT_DAYS = 14

interface CheckContext {
  readonly now: number
  readonly signal: AbortSignal
}

/**
 * Checks name resolution and TLS of one URL. Skips TLS if the name cannot be resolved, or if the URL is http. An abort
 * ends the wait at once, also the wait for a name lookup, which Node.js cannot cancel.
 */
export function checkNetwork(name: string, text: string, context: CheckContext): Promise<Finding[]> {
  return waitWithin(checksOf(name, new URL(text), context), { signal: context.signal })
}

async function checksOf(name: string, url: URL, context: CheckContext): Promise<Finding[]> {
  const dns = await checkDns(`DNS ${name}`, url.hostname)
  if (dns.status === 'failure') return [dns]
  if (url.protocol === 'http:') return [dns, skipped(`TLS ${name}`, 'the URL is http on this machine')]
  return [dns, ...(await checkTls(name, url, context))]
}

async function checkDns(check: string, hostname: string): Promise<Finding> {
  try {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })
    const count = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`
    return ok(check, `${hostname} has ${count}`)
  } catch {
    return failure(
      check,
      `the name ${hostname} cannot be resolved to an address`,
      'check the URL for spelling mistakes, and the DNS or VPN of this machine',
    )
  }
}

interface Handshake {
  readonly protocol: string | null
  readonly isAuthorized: boolean
  /** Error code of Node for an untrusted certificate. */
  readonly reason: string
  readonly validUntil: number
  /** Families of the addresses that could not be reached: 4 or 6. */
  readonly failedFamilies: ReadonlySet<number>
}

async function checkTls(
  name: string,
  { hostname, port }: URL,
  { now, signal }: CheckContext,
): Promise<Finding[]> {
  const check = `TLS ${name}`
  const host = hostname.replace(/^\[|\]$/g, '')
  const result = await handshake(host, Number(port || 443), signal).catch(errorCode)
  if (typeof result === 'string') {
    const fix = 'check the port, the firewall, and whether a proxy is required'
    return [failure(check, `a TLS connection to ${hostname} is not possible: ${result}`, fix)]
  }
  const families = [...result.failedFamilies].map((family) =>
    warning(
      `IPv${family} ${name}`,
      `the IPv${family} addresses of ${hostname} cannot be reached from here, which delays each new connection`,
      `repair IPv${family} in this network, or start Node with --dns-result-order=${family === 6 ? 'ipv4first' : 'ipv6first'}`,
    ),
  )
  return [certificateFinding(check, hostname, result, now), ...families]
}

function certificateFinding(
  check: string,
  hostname: string,
  { isAuthorized, reason, protocol, validUntil }: Handshake,
  now: number,
): Finding {
  const fix =
    'check the host name and the clock of this machine. Behind a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS to the path of its CA certificate file. Never turn off the verification of certificates'
  if (!isAuthorized) return failure(check, `the certificate of ${hostname} is not trusted: ${reason}`, fix)
  const days = Math.floor((validUntil - now) / DAY_MS)
  if (days >= SHORT_DAYS) return ok(check, `${protocol}, the certificate is valid for ${days} days`)
  const message = `the certificate of ${hostname} expires in ${days} days`
  return warning(check, message, 'report it to the operator of the service')
}

/** Makes the TLS handshake without a request. An untrusted certificate is a result, not an error. */
function handshake(host: string, port: number, signal: AbortSignal): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const isName = !/^[\d.]+$|:/.test(host)
    const failedFamilies = new Set<number>()
    const socket = connect({
      ...{ host, port, ...(isName && { servername: host }) },
      rejectUnauthorized: false,
      // The types of `tls` lack this option of `net`, which it passes on.
      ...{ autoSelectFamilyAttemptTimeout: CONNECT_MS / 4 },
    })
    for (const event of ['connectionAttemptFailed', 'connectionAttemptTimeout'])
      socket.on(event, (_address: string, _port: number, family: number) => failedFamilies.add(family))
    socket.setTimeout(CONNECT_MS, () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
    )
    socket.once('error', reject)
    addAbortSignal(signal, socket)
    socket.once('secureConnect', () => {
      const validUntil = Date.parse(socket.getPeerCertificate().valid_to)
      const { authorized: isAuthorized } = socket
      const error: unknown = socket.authorizationError
      const reason = typeof error === 'string' ? error : errorCode(error)
      resolve({ protocol: socket.getProtocol(), isAuthorized, reason, validUntil, failedFamilies })
      socket.destroy()
    })
  })
}

function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown reason'
}
