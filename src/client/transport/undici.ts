import type { Dispatcher } from 'undici'
import { ignore } from '../../common/ignore.js'
import { CallEnded } from '../core/deadline.js'
import { loaded } from '../core/lazy-import.js'
import { Semaphore } from '../core/semaphore.js'
import { BodyCollector } from './body.js'
import { createApiAgent, createDocumentAgent } from './own-agent.js'
import {
  HeldBack,
  type ResponseHeaders,
  type StreamedResponse,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  transportFailure,
} from './transport.js'
import { openStream } from './undici-stream.js'

/** What a dispatcher transport is made of. */
export interface DispatcherTransportOptions {
  /** The caller's own dispatcher; it stays the caller's to close. */
  readonly given: Dispatcher | undefined
  readonly maxSockets: number
  /** Tells which hosts of documents may resolve to any address, private ones included. */
  readonly isAllowed: (hostname: string) => boolean
}

/** Sends through an undici dispatcher: the default wire. */
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

  send(exchange: TransportRequest): Promise<TransportResponse> {
    // What the caller has put before its dispatcher may change headers.
    const { given } = this.#options
    if (given !== undefined) return sendThrough(given, { ...exchange, headers: [...exchange.headers] })
    if (this.#own !== undefined) return this.#sendByOwn(this.#own, exchange)
    return this.#load().then((loaded) => this.#sendByOwn(loaded, exchange))
  }

  async open(exchange: TransportRequest): Promise<StreamedResponse> {
    return openStream(this.#options.given ?? (await this.#loadForDocuments()), exchange)
  }

  async load(): Promise<void> {
    if (this.#options.given === undefined) await Promise.all([this.#load(), this.#loadForDocuments()])
  }

  async close(): Promise<void> {
    // A connection that nobody waits for any more, or a token request, would keep a gentle close waiting for long.
    const own = [this.#loading, this.#loadingForDocuments]
    this.#closing ??= Promise.all(own.map((loading) => loading?.then((agent) => agent.destroy(), ignore)))
    await this.#closing
  }

  /** What waits for a connection waits here: undici would keep it, body and all, when its caller has long gone. */
  #sendByOwn(agent: Dispatcher, exchange: TransportRequest): Promise<TransportResponse> {
    const connections = this.#connectionsTo(exchange.origin)
    const waiting = connections.acquire(exchange.deadline)
    if (waiting === undefined) return sendThrough(agent, exchange, connections)
    return waiting.then(() => {
      if (exchange.isHeldBack?.() !== true) return sendThrough(agent, exchange, connections)
      connections.release()
      throw new HeldBack()
    }, notSent)
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

/** @param connections - To leave when undici has done with the exchange; its caller may have gone before. */
function sendThrough(
  dispatcher: Dispatcher,
  exchange: TransportRequest,
  connections?: Semaphore,
): Promise<TransportResponse> {
  return new Promise<TransportResponse>((resolve, reject) => {
    const handler = new ResponseHandler(exchange, resolve, reject, connections)
    const { origin, path, method, headers, body } = exchange
    try {
      dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, handler)
    } catch (error) {
      handler.onResponseError(undefined, error)
    }
  })
}

/** Reasons that, once the answer has begun, mean that it broke off. */
const CUT: ReadonlySet<string> = new Set(['reset', 'closed', 'other'])

const NO_HEADERS: ResponseHeaders = {}

/** Follows one exchange from the first byte sent to the last one received. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: TransportRequest
  readonly #resolve: (answer: TransportResponse) => void
  readonly #reject: (error: unknown) => void
  readonly #connections: Semaphore | undefined
  #controller: Dispatcher.DispatchController | undefined
  #ended: CallEnded | undefined
  #sent = false
  #finished = false
  #status = 0
  #headers: ResponseHeaders = NO_HEADERS
  #body: BodyCollector | undefined

  constructor(
    exchange: TransportRequest,
    resolve: (answer: TransportResponse) => void,
    reject: (error: unknown) => void,
    connections: Semaphore | undefined,
  ) {
    this.#exchange = exchange
    this.#resolve = resolve
    this.#reject = reject
    this.#connections = connections
    exchange.deadline.watch(this.#onEnd)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended === undefined) this.#sent = true
    else controller.abort(this.#ended)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    try {
      this.#body = new BodyCollector(status, headers, this.#exchange.maxBytes)
    } catch (error) {
      this.#refuse(controller, error)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    try {
      this.#body?.add(chunk)
    } catch (error) {
      this.#refuse(controller, error)
    }
  }

  onResponseEnd(): void {
    this.#finish()
    try {
      this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body?.text() ?? '' })
    } catch (error) {
      this.#reject(error)
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#finish()
    this.#reject(this.#failure(error))
  }

  #finish(): void {
    this.#exchange.deadline.unwatch(this.#onEnd)
    if (this.#finished) return
    this.#finished = true
    this.#connections?.release()
  }

  /** A request still queued or connecting ignores undici's abort, so the caller is let go here and now. */
  readonly #onEnd = (ended: CallEnded): void => {
    this.#ended = ended
    this.#reject(new TransportFailure({ sent: this.#sent, reason: 'other' }, ended))
    this.#controller?.abort(ended)
  }

  #refuse(controller: Dispatcher.DispatchController, error: unknown): void {
    this.#reject(error)
    controller.abort(error instanceof Error ? error : new Error('aborted'))
  }

  #failure(error: unknown): TransportFailure {
    // Whether a request left is told by its start alone: every code can come after it.
    const failure = transportFailure(error, this.#sent)
    const cut = this.#body !== undefined && CUT.has(failure.reason)
    return cut
      ? new TransportFailure({ sent: true, reason: 'truncated', status: this.#status }, error)
      : failure
  }
}
