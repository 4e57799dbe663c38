import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import { ByteBuffer } from '../../common/byte-buffer.js'
import { ConfigurationError, ignore } from '../../common/errors.js'
import { Lazy } from '../../common/lazy-import.js'
import { isPrivateAddress } from '../../common/private-addresses.js'
import { CallEnded } from '../core/deadline.js'
import { proxyFor, type ResolvedProxy } from './addresses.js'
import { textOf } from './body.js'
import {
  HeldBack,
  type ResponseHeaders,
  type StreamedResponse,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  tooLarge,
  transportFailure,
} from './transport.js'

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
  readonly #connections = new Map<string, Connections>()
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
    const { given, proxy, maxSockets } = this.#options
    if (given !== undefined) return new CompleteExchange(request).start(given)
    const agent = this.#agent.value
    if (agent === undefined) return this.#agent.load().then(() => this.send(request))
    let connections = this.#connections.get(request.origin)
    if (connections === undefined) {
      connections = { free: maxSockets, waiting: [] }
      this.#connections.set(request.origin, connections)
    }
    const exchange = new CompleteExchange(request, connections)
    if (connections.free > 0) void exchange.start(agent)
    else connectionFor(request, connections).then(() => void exchange.start(agent, true), exchange.reject)
    const { response } = exchange
    return proxy === undefined ? response : withProxyName(response, proxy, request.origin)
  }

  async open(request: TransportRequest): Promise<StreamedResponse> {
    const agent = this.#options.given ?? (await this.#documentAgent.load())
    const response = new StreamExchange(request).start(agent)
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

/** Connections to one host. Requests without one wait in order of arrival. */
interface Connections {
  free: number
  /** Pass a connection to each waiting request. */
  readonly waiting: (() => void)[]
}

/** Waits for a connection until the deadline, or until the caller aborts the call. */
function connectionFor({ deadline }: TransportRequest, { waiting }: Connections): Promise<void> {
  return new Promise((resolve, reject) => {
    const grant = (): void => {
      stop()
      resolve()
    }
    waiting.push(grant)
    const stop = deadline.onEnd(({ end }) => {
      waiting.splice(waiting.indexOf(grant), 1)
      const ended = new CallEnded(end, 'a free connection (maxSockets)')
      reject(new TransportFailure({ sent: false, reason: 'other' }, ended))
    })
  })
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

/** One request, from its first byte sent to its last byte received. Uses only `dispatch` of a dispatcher. */
abstract class Exchange<T> implements Dispatcher.DispatchHandler {
  protected readonly request: TransportRequest
  protected resolve: (result: T) => void = ignore
  reject: (error: unknown) => void = ignore
  /** The response, or the failure. It may be known before undici ends the request. */
  readonly response = new Promise<T>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })
  protected controller: Dispatcher.DispatchController | undefined
  protected status: number | undefined
  /** Connections to the host, of which one is given back once, when undici ends the request. */
  #connections: Connections | undefined
  #isSent = false
  #isOver = false

  constructor(request: TransportRequest, connections?: Connections) {
    this.request = request
    this.#connections = connections
  }

  /**
   * Sends the request, and returns its response.
   *
   * @param hasWaited - `true` for a request that waited for a connection, and now has it.
   */
  start(dispatcher: Dispatcher, hasWaited = false): Promise<T> {
    const { origin, path, method, headers, body = null, deadline, isHeldBack } = this.request
    if (!hasWaited && this.#connections !== undefined) this.#connections.free -= 1
    try {
      if (deadline.ended !== undefined) throw deadline.ended
      if (hasWaited && isHeldBack?.() === true) throw new HeldBack()
      deadline.listeners.add(this.#onEnd)
      dispatcher.dispatch({ origin, path, method, headers, body }, this)
    } catch (error) {
      this.onResponseError(undefined, error)
    }
    return this.response
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.#isOver) controller.abort(new Error('the request has ended'))
    else if (this.#isSent && this.request.isSentOnce === true) {
      // A retry interceptor of the user started the request again. A once-only write must not be sent twice.
      const cause = new Error('the dispatcher started the request again')
      this.abort(new TransportFailure({ sent: true, reason: 'other' }, cause))
    } else if (this.request.isStale?.() === true) this.abort(new HeldBack())
    else this.#isSent = true
  }

  abstract onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void

  abstract onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void

  abstract onResponseEnd(): void

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.finish()
    this.fail(this.#failure(error))
  }

  /** Ends the request with an error. */
  abort(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.request.deadline.listeners.delete(this.#onEnd)
    this.fail(error)
    try {
      this.controller?.abort(error)
    } catch {
      // An error of the user's dispatcher must not keep the other calls with the same signal running.
    }
  }

  /** Passes an error to the reader of the response. */
  protected fail(error: Error): void {
    this.reject(error)
  }

  /** Records that undici has ended the request. */
  protected finish(): void {
    this.#isOver = true
    this.request.deadline.listeners.delete(this.#onEnd)
    const connections = this.#connections
    if (connections === undefined) return
    this.#connections = undefined
    const next = connections.waiting.shift()
    if (next === undefined) connections.free += 1
    else next()
  }

  /** Rejects at once: undici ignores the abort of a request that is queued or connecting. */
  readonly #onEnd = (ended: CallEnded): void => {
    this.abort(new TransportFailure({ sent: this.#isSent, reason: 'other', status: this.status }, ended))
  }

  #failure(error: unknown): Error {
    if (this.controller === undefined && OLD_DISPATCHER.test(String(error)))
      return new ConfigurationError(NEEDS_UNDICI_7)
    if (error instanceof TransportFailure || error instanceof HeldBack) return error
    // The error code does not show whether the request was sent: every code is possible after the start.
    const failure = transportFailure(error, this.#isSent)
    const isInvalid = failure.reason === 'protocol' && !CUT.test(String(error))
    return this.status === undefined || isInvalid
      ? failure
      : new TransportFailure({ sent: true, reason: 'truncated', status: this.status }, error)
  }
}

/** An exchange whose response is read completely. */
class CompleteExchange extends Exchange<TransportResponse> {
  #head: Omit<TransportResponse, 'body'> = { status: 0, headers: {} }
  #body: ByteBuffer | undefined

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) return
    this.status = status
    this.#head = { status, headers }
    const { method, maxBytes } = this.request
    // The headers of a response to HEAD describe a body that is not sent.
    const declared = method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0)
    this.#body = new ByteBuffer(maxBytes, declared)
    if (declared > maxBytes) this.abort(tooLarge(status))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#body?.add(chunk) === false) this.abort(tooLarge(this.status))
  }

  onResponseEnd(): void {
    const { status, headers } = this.#head
    try {
      const body = this.#body === undefined ? '' : textOf(this.#body.bytes, this.#head, this.request.maxBytes)
      if (typeof body === 'string') this.resolve({ status, headers, body })
      else body.then((text) => this.resolve({ status, headers, body: text })).catch(this.reject)
    } catch (error) {
      this.reject(error)
    }
    // Last, because a 429 must be known before the next request gets the connection.
    this.finish()
  }
}

/** An exchange whose response the caller reads in chunks. */
class StreamExchange extends Exchange<StreamedResponse> {
  #body: Readable | undefined

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) return
    this.status = status
    const body = new Readable({
      read: () => this.controller?.resume(),
      destroy: (error, done) => {
        this.abort(error ?? new Error('discarded'))
        done(error)
      },
    })
    // The reader gets the error, if there still is one.
    body.on('error', ignore)
    this.#body = body
    this.resolve({ status, headers, body, discard: () => body.destroy() })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#body?.push(chunk) === false) controller.pause()
  }

  onResponseEnd(): void {
    this.finish()
    this.#body?.push(null)
  }

  protected override fail(error: Error): void {
    super.fail(error)
    this.#body?.destroy(error)
  }
}

/** undici's errors of a body that is shorter than declared. Its other errors of a body are about invalid HTTP. */
const CUT = /Invalid EOF state|does not match content-length/

/** An error about our handler, thrown by `dispatch` of undici 6 and earlier, and of Node's own undici before Node 24. */
const OLD_DISPATCHER = /\bon[A-Z][a-z]+ (method|is not a function)/

const NEEDS_UNDICI_7 =
  'the option dispatcher needs undici 7.0 or later, and this dispatcher comes from undici 6 or earlier; nothing was ' +
  'sent. Install undici 7, and create the dispatcher with it'
