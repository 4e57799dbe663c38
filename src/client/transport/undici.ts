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

  send(request: TransportRequest): Promise<TransportResponse> {
    // An interceptor of the user may change the headers.
    const { given } = this.#options
    if (given !== undefined) return sendThrough(given, { ...request, headers: [...request.headers] })
    if (this.#own !== undefined) return this.#sendByOwn(this.#own, request)
    return this.#load().then((loaded) => this.#sendByOwn(loaded, request))
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

  /** Queues requests here: undici would keep an abandoned request with its body. */
  #sendByOwn(agent: Dispatcher, request: TransportRequest): Promise<TransportResponse> {
    const connections = this.#connectionsTo(request.origin)
    const waiting = connections.acquire(request.deadline)
    if (waiting === undefined) return sendThrough(agent, request, connections)
    return waiting.then(() => {
      if (request.isHeldBack?.() !== true) return sendThrough(agent, request, connections)
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

/** @param connections - Released when undici ends the request, which may be after its caller has left. */
function sendThrough(
  dispatcher: Dispatcher,
  request: TransportRequest,
  connections?: Semaphore,
): Promise<TransportResponse> {
  return new Promise<TransportResponse>((resolve, reject) => {
    const handler = new ResponseHandler(request, resolve, reject, connections)
    const { origin, path, method, headers, body } = request
    try {
      dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, handler)
    } catch (error) {
      handler.onResponseError(undefined, error)
    }
  })
}

/** Reasons that mean a truncated response, once it has started. */
const CUT: ReadonlySet<string> = new Set(['reset', 'closed', 'other'])

const NO_HEADERS: ResponseHeaders = {}

/** Handles one request from its first byte sent to its last byte received. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest
  readonly #resolve: (response: TransportResponse) => void
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
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
    connections: Semaphore | undefined,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    this.#connections = connections
    request.deadline.watch(this.#onEnd)
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
      this.#body = new BodyCollector(status, headers, this.#request.maxBytes)
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
    this.#request.deadline.unwatch(this.#onEnd)
    if (this.#finished) return
    this.#finished = true
    this.#connections?.release()
  }

  /** Rejects at once: undici ignores the abort of a request that is queued or connecting. */
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
    // Only the start of the request shows that it was sent: each error code is possible after it.
    const failure = transportFailure(error, this.#sent)
    const cut = this.#body !== undefined && CUT.has(failure.reason)
    return cut
      ? new TransportFailure({ sent: true, reason: 'truncated', status: this.#status }, error)
      : failure
  }
}
