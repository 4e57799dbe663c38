import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import { ignore } from '../../common/errors.js'
import { isPrivateAddress } from '../../common/private-addresses.js'
import { CallEnded } from '../core/deadline.js'
import { Semaphore } from '../core/semaphore.js'
import { loaded } from '../errors/sentences.js'
import {
  HeldBack,
  type StreamedResponse,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './transport.js'
import { openStream, sendThrough } from './undici-handlers.js'

/** Options of the undici transport. */
export interface DispatcherTransportOptions {
  /** Dispatcher of the user, who also closes it. */
  readonly given: Dispatcher | undefined
  readonly maxSockets: number
  /** Returns `true` for document hosts that may resolve to any address, including private ones. */
  readonly isAllowed: (hostname: string) => boolean
}

/** Transport over an undici dispatcher; the default. */
export class DispatcherTransport implements Transport {
  readonly #options: DispatcherTransportOptions
  readonly #connections = new Map<string, Semaphore>()
  #loading: Promise<Dispatcher> | undefined
  #own: Dispatcher | undefined
  #loadingForDocuments: Promise<Dispatcher> | undefined
  #closing: Promise<unknown> | undefined

  constructor(options: DispatcherTransportOptions) {
    this.#options = options
  }

  /** Queues requests here: undici would keep an abandoned request with its body. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    const { given } = this.#options
    // An interceptor of the user may change the headers.
    if (given !== undefined) return sendThrough(given, { ...request, headers: [...request.headers] })
    const agent = this.#own ?? (await this.#load())
    const connections = this.#connectionsTo(request.origin)
    const waiting = connections.acquire(request.deadline)
    if (waiting !== undefined) {
      await waiting.catch(notSent)
      if (request.isHeldBack?.() === true || request.isStale?.() === true) {
        connections.release()
        throw new HeldBack()
      }
    }
    return sendThrough(agent, request, connections)
  }

  async open(request: TransportRequest): Promise<StreamedResponse> {
    return openStream(this.#options.given ?? (await this.#loadForDocuments()), request)
  }

  async load(): Promise<void> {
    if (this.#options.given === undefined) await Promise.all([this.#load(), this.#loadForDocuments()])
  }

  async close(): Promise<void> {
    // A graceful close would wait for abandoned connections and for token requests.
    const own = [this.#loading, this.#loadingForDocuments]
    this.#closing ??= Promise.all(own.map((loading) => loading?.then((agent) => agent.destroy(), ignore)))
    await this.#closing
  }

  #connectionsTo(origin: string): Semaphore {
    const known = this.#connections.get(origin)
    if (known !== undefined) return known
    const connections = new Semaphore(this.#options.maxSockets, 'a free connection (maxSockets)')
    this.#connections.set(origin, connections)
    return connections
  }

  #load(): Promise<Dispatcher> {
    this.#loading ??= loaded(createApiAgent(this.#options.maxSockets)).then(
      (agent) => {
        this.#own = agent
        return agent
      },
      (error: unknown) => {
        this.#loading = undefined
        throw error
      },
    )
    return this.#loading
  }

  #loadForDocuments(): Promise<Dispatcher> {
    const { maxSockets, isAllowed } = this.#options
    this.#loadingForDocuments ??= loaded(createDocumentAgent(maxSockets, isAllowed)).catch(
      (error: unknown) => {
        this.#loadingForDocuments = undefined
        throw error
      },
    )
    return this.#loadingForDocuments
  }
}

function notSent(error: unknown): never {
  throw error instanceof CallEnded ? new TransportFailure({ sent: false, reason: 'other' }, error) : error
}

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
