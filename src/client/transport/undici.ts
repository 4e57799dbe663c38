import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { ignore } from '../../common/errors.js'
import { Lazy } from '../../common/lazy-import.js'
import { isPrivateAddress } from '../../common/private-addresses.js'
import { Semaphore } from '../core/semaphore.js'
import { proxyFor, type ResolvedProxy } from './addresses.js'
import {
  HeldBack,
  type StreamedResponse,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './transport.js'
import { openStream, sendThrough } from './undici-handlers.js'

export interface DispatcherTransportOptions {
  /** Dispatcher of the user, who also closes it. */
  readonly given: Dispatcher | undefined
  readonly maxSockets: number
  readonly proxy: ResolvedProxy | undefined
  /** Time limit of the calls, in milliseconds, if the user has set one. */
  readonly timeoutMs: number | undefined
  /** Returns `true` for document hosts that may resolve to any address, including private ones. */
  readonly isAllowed: (hostname: string) => boolean
}

/** Transport over an undici dispatcher; the default. */
export class DispatcherTransport implements Transport {
  readonly #options: DispatcherTransportOptions
  readonly #connections = new Map<string, Semaphore>()
  readonly #agent: Lazy<Dispatcher>
  /**
   * Agent for documents. Rejects a host name that resolves to a private address, unless `isAllowed` permits the host.
   * Does not check the addresses of hosts behind a proxy, because the proxy resolves their names.
   */
  readonly #documentAgent: Lazy<Dispatcher>

  constructor(options: DispatcherTransportOptions) {
    this.#options = options
    this.#agent = new Lazy(() => createAgent(options))
    this.#documentAgent = new Lazy(() => createAgent(options, publicLookup(options.isAllowed)))
  }

  /**
   * Sends a request. Without a dispatcher of the user, waiting requests are queued here, because undici's own queue
   * would keep an aborted request with its body.
   */
  send(request: TransportRequest): Promise<TransportResponse> {
    const { given, proxy } = this.#options
    if (given !== undefined) return sendThrough(given, request)
    const agent = this.#agent.value
    if (agent === undefined) return this.#agent.load().then(() => this.send(request))
    let connections = this.#connections.get(request.origin)
    if (connections === undefined) {
      connections = new Semaphore(this.#options.maxSockets, 'a free connection (maxSockets)')
      this.#connections.set(request.origin, connections)
    }
    const waiting = connections.acquire(request.deadline)
    const response =
      waiting === undefined
        ? sendThrough(agent, request, connections)
        : sendAfter(waiting, agent, request, connections)
    return proxy === undefined ? response : withProxyName(response, proxy, request.origin)
  }

  async open(request: TransportRequest): Promise<StreamedResponse> {
    const agent = this.#options.given ?? (await this.#documentAgent.load())
    const response = openStream(agent, request)
    const { proxy } = this.#options
    return proxy === undefined ? response : withProxyName(response, proxy, request.origin)
  }

  async load(): Promise<void> {
    if (this.#options.given === undefined) await Promise.all([this.#agent.load(), this.#documentAgent.load()])
  }

  async close(): Promise<void> {
    // A graceful close would wait for abandoned connections and for token requests.
    const own = [this.#agent, this.#documentAgent]
    await Promise.all(own.map(({ loading }) => loading?.then((agent) => agent.destroy(), ignore)))
  }
}

/** Sends a request after its wait for a connection. Throws `HeldBack` if the request must not be sent now. */
async function sendAfter(
  waiting: Promise<void>,
  agent: Dispatcher,
  request: TransportRequest,
  connections: Semaphore,
): Promise<TransportResponse> {
  await waiting.catch((ended: unknown) => {
    throw new TransportFailure({ sent: false, reason: 'other' }, ended)
  })
  if (request.isHeldBack?.() === true || request.isStale?.() === true) {
    connections.release()
    throw new HeldBack()
  }
  return sendThrough(agent, request, connections)
}

/** Adds the proxy to the failure of a request through it. */
function withProxyName<T>(response: Promise<T>, proxy: ResolvedProxy, origin: string): Promise<T> {
  return response.catch((error: unknown) => {
    if (!(error instanceof TransportFailure)) throw error
    throw new TransportFailure({ ...error, proxy: proxyFor(proxy, new URL(origin)) }, error.cause)
  })
}

/** Creates an agent, for a proxy if there is one. */
async function createAgent(
  { maxSockets, proxy, timeoutMs = Number.POSITIVE_INFINITY }: DispatcherTransportOptions,
  lookup?: LookupFunction,
): Promise<Dispatcher> {
  const tls = {
    timeout: CONNECT_MS,
    autoSelectFamilyAttemptTimeout: Math.max(1, Math.floor(Math.min(timeoutMs, CONNECT_MS) / ADDRESSES)),
    // Certificates are checked even with NODE_TLS_REJECT_UNAUTHORIZED=0, to protect patients' data.
    rejectUnauthorized: true,
  }
  const options: Agent.Options = {
    connections: maxSockets,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    connect: { ...tls, ...(lookup === undefined ? {} : { lookup }) },
    // The call's deadline replaces these timeouts: undici's timers are too coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  if (proxy === undefined) return new (await loadAgent())(options)
  // Not loaded file by file: only undici's index adds the method `connect`, with which the agent opens a tunnel.
  const { EnvHttpProxyAgent } = await import('undici/index.js')
  return new EnvHttpProxyAgent({ ...options, requestTls: tls, proxyTls: tls, ...proxy })
}

/** Time limit of a connection, in milliseconds. */
const CONNECT_MS = 10_000

/**
 * Number of addresses that are tried within the time limit. Node tries the IPv6 and the IPv4 addresses of a host in
 * turn, by default for 250 ms each: then a host that is further away cannot be reached when IPv6 does not work.
 */
const ADDRESSES = 4

/**
 * Loads only undici's agent: the complete package takes three times as long, and Bun's own replacement for undici has
 * no dispatchers. A release of undici 7 may move the file, so the package is the fallback.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    return (await import('undici/lib/dispatcher/agent.js')).default
  } catch {
    return (await import('undici/index.js')).Agent
  }
}

/**
 * Resolves names as Node does. Fails if an address is private: such an address would be a server in the user's network.
 * A name that `isAllowed` permits may have private addresses.
 */
function publicLookup(isAllowed: (hostname: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isRefused = error === null && !isAllowed(hostname) && addresses.some(isPrivateAddress)
      callback(isRefused ? new TransportFailure({ sent: false, reason: 'unsafe-url' }) : error, found, family)
    })
  }
}
