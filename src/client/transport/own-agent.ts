import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { isPrivateAddress } from '../../common/private-addresses.js'
import { TransportFailure } from './transport.js'

/** Makes the agent for the API and the token service. */
export async function createApiAgent(maxSockets: number): Promise<Dispatcher> {
  return createAgent(maxSockets)
}

/**
 * Makes the agent for documents. It connects to public addresses only, however a host name resolves.
 *
 * @param isAllowed - Tells which host names may resolve to any address.
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
    // NODE_TLS_REJECT_UNAUTHORIZED=0 must not open patients' data to everyone on the way.
    connect: { timeout: 10_000, rejectUnauthorized: true, ...(lookup === undefined ? {} : { lookup }) },
    // The call's own deadline covers these: undici's own clock is too coarse for it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/**
 * The one file of undici that is needed: the whole takes twice as long to load, and what Bun has by the name of undici
 * has no dispatchers. Releases of undici 7 may move the file, so the whole is there to fall back on.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    return (await import('undici/lib/dispatcher/agent.js')).default
  } catch {
    return (await import('undici/index.js')).Agent
  }
}

/** Resolves names as Node does, and fails where one of the addresses is private: the name was made to point inside. */
function publicLookup(isAllowed: (hostname: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isRefused = error === null && !isAllowed(hostname) && addresses.some(isPrivateAddress)
      callback(isRefused ? new TransportFailure({ sent: false, reason: 'unsafe-url' }) : error, found, family)
    })
  }
}
