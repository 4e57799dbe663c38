import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici'
import { isPrivateAddress } from '../../common/private-addresses.js'
import type { ResolvedProxy } from './proxy.js'
import { TransportFailure } from './transport.js'

/** Creates the agent for the API and the token service. */
export async function createApiAgent(
  maxSockets: number,
  proxy: ResolvedProxy | undefined,
): Promise<Dispatcher> {
  return createAgent(maxSockets, proxy)
}

/**
 * Creates the agent for documents. It does not connect to a host name that resolves to a private address. With a proxy,
 * only the names are checked, because the proxy resolves them.
 *
 * @param isAllowed - Returns `true` for host names that may resolve to any address.
 */
export async function createDocumentAgent(
  maxSockets: number,
  proxy: ResolvedProxy | undefined,
  isAllowed: (hostname: string) => boolean,
): Promise<Dispatcher> {
  return createAgent(maxSockets, proxy, publicLookup(isAllowed))
}

async function createAgent(
  maxSockets: number,
  proxy: ResolvedProxy | undefined,
  lookup?: LookupFunction,
): Promise<Dispatcher> {
  const options = agentOptions(maxSockets, lookup)
  if (proxy === undefined) return new (await loadAgent())(options)
  const OwnProxyAgent = await loadProxyAgent()
  const { httpProxy, httpsProxy, noProxy } = proxy
  const tls = { requestTls: TLS, proxyTls: TLS }
  return new OwnProxyAgent({ ...options, ...tls, httpProxy, httpsProxy, noProxy })
}

// Certificates are checked even with NODE_TLS_REJECT_UNAUTHORIZED=0, to protect patients' data.
const TLS = { timeout: 10_000, rejectUnauthorized: true } as const

function agentOptions(maxSockets: number, lookup: LookupFunction | undefined): Agent.Options {
  return {
    connections: maxSockets,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    connect: { ...TLS, ...(lookup === undefined ? {} : { lookup }) },
    // The call's deadline replaces these timeouts: undici's timers are too coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
}

/**
 * Loads only undici's agent: the complete package takes twice as long, and Bun's replacement for it has no
 * dispatchers. A release of undici 7 may move the file, so the package is the fallback.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    return (await import('undici/lib/dispatcher/agent.js')).default
  } catch {
    return (await import('undici/index.js')).Agent
  }
}

/** Loads undici's agent for proxies, which few clients need. */
async function loadProxyAgent(): Promise<typeof EnvHttpProxyAgent> {
  try {
    return (await import('undici/lib/dispatcher/env-http-proxy-agent.js')).default
  } catch {
    return (await import('undici/index.js')).EnvHttpProxyAgent
  }
}

/** Resolves names as Node does, and fails if an address is private: it would be a server in the user's network. */
function publicLookup(isAllowed: (hostname: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isRefused = error === null && !isAllowed(hostname) && addresses.some(isPrivateAddress)
      callback(isRefused ? new TransportFailure({ sent: false, reason: 'unsafe-url' }) : error, found, family)
    })
  }
}
