import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { isPrivateAddress } from '../../common/private-addresses.js'
import { TransportFailure } from './transport.js'

/** Creates the agent for the API and the token service. */
export async function createApiAgent(maxSockets: number): Promise<Dispatcher> {
  return createAgent(maxSockets)
}

/**
 * Creates the agent for documents. It connects only to public addresses, also when a host name resolves to a
 * private one.
 *
 * @param isAllowed - Returns `true` for host names that may resolve to any address.
 */
export async function createDocumentAgent(
  maxSockets: number,
  isAllowed: (hostname: string) => boolean,
): Promise<Dispatcher> {
  return createAgent(maxSockets, publicLookup(isAllowed))
}

async function createAgent(maxSockets: number, lookup?: LookupFunction): Promise<Dispatcher> {
  const OwnAgent = await loadAgent()
  return new OwnAgent({
    connections: maxSockets,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    // NODE_TLS_REJECT_UNAUTHORIZED=0 must not expose patients' data to anyone between client and service.
    connect: { timeout: 10_000, rejectUnauthorized: true, ...(lookup === undefined ? {} : { lookup }) },
    // The call's deadline replaces these timeouts: undici's timers are too coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
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

/** Resolves names as Node does, but fails if an address is private: such a name points into the own network. */
function publicLookup(isAllowed: (hostname: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isRefused = error === null && !isAllowed(hostname) && addresses.some(isPrivateAddress)
      callback(isRefused ? new TransportFailure({ sent: false, reason: 'unsafe-url' }) : error, found, family)
    })
  }
}
