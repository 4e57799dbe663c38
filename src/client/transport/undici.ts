import type { Dispatcher } from 'undici'
import { ignore } from '../../common/errors.js'
import { CallEnded } from '../core/deadline.js'
import { Semaphore } from '../core/semaphore.js'
import { loaded } from '../errors/sentences.js'
import { createApiAgent, createDocumentAgent } from './agents.js'
import { proxyFor, type ResolvedProxy } from './proxy.js'
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
  readonly proxy: ResolvedProxy | undefined
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

  /** Sends a request. Waiting requests are queued here, because undici would keep an aborted request with its body. */
  send(request: TransportRequest): Promise<TransportResponse> {
    const { given, proxy } = this.#options
    // An interceptor of the user may change the headers.
    if (given !== undefined) return sendThrough(given, { ...request, headers: [...request.headers] })
    const agent = this.#own
    if (agent === undefined) return this.#load().then(() => this.send(request))
    const connections = this.#connections.get(request.origin) ?? this.#addConnections(request.origin)
    const waiting = connections.acquire(request.deadline)
    const response =
      waiting === undefined
        ? sendThrough(agent, request, connections)
        : sendAfter(waiting, agent, request, connections)
    return proxy === undefined ? response : withProxyName(response, proxy, request.origin)
  }

  async open(request: TransportRequest): Promise<StreamedResponse> {
    const agent = this.#options.given ?? (await this.#loadForDocuments())
    const response = openStream(agent, request)
    const { proxy } = this.#options
    return proxy === undefined ? response : withProxyName(response, proxy, request.origin)
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

  #addConnections(origin: string): Semaphore {
    const connections = new Semaphore(this.#options.maxSockets, 'a free connection (maxSockets)')
    this.#connections.set(origin, connections)
    return connections
  }

  #load(): Promise<Dispatcher> {
    this.#loading ??= loaded(createApiAgent(this.#options.maxSockets, this.#options.proxy)).then(
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
    const { maxSockets, proxy, isAllowed } = this.#options
    this.#loadingForDocuments ??= loaded(createDocumentAgent(maxSockets, proxy, isAllowed)).catch(
      (error: unknown) => {
        this.#loadingForDocuments = undefined
        throw error
      },
    )
    return this.#loadingForDocuments
  }
}

/** Sends a request that waits for a connection, unless it must not be sent any more. */
async function sendAfter(
  waiting: Promise<void>,
  agent: Dispatcher,
  request: TransportRequest,
  connections: Semaphore,
): Promise<TransportResponse> {
  await waiting.catch(notSent)
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

function notSent(error: unknown): never {
  throw error instanceof CallEnded ? new TransportFailure({ sent: false, reason: 'other' }, error) : error
}
