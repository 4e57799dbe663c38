import type { Agent, Dispatcher } from 'undici'
import { ignore } from '../../common/ignore.js'
import { CallEnded } from '../core/deadline.js'
import { loaded } from '../core/lazy-import.js'
import { Turnstile } from '../core/semaphore.js'
import { BodyCollector } from './body.js'
import {
  type Exchange,
  type Transport,
  type WireAnswer,
  WireFailure,
  type WireHeaders,
  type WireStream,
  wireFailure,
} from './transport.js'
import { openStream } from './undici-stream.js'

/** Sends through an undici dispatcher: the default wire. */
export class DispatcherTransport implements Transport {
  readonly #given: Dispatcher | undefined
  readonly #maxSockets: number
  readonly #connections = new Map<string, Turnstile>()
  #loading: Promise<Dispatcher> | undefined
  #own: Dispatcher | undefined
  #closing: Promise<void> | undefined

  /** @param given - The caller's own dispatcher; it stays the caller's to close. */
  constructor(given: Dispatcher | undefined, maxSockets: number) {
    this.#given = given
    this.#maxSockets = maxSockets
  }

  send(exchange: Exchange): Promise<WireAnswer> {
    // What the caller has put before its dispatcher may change headers.
    if (this.#given !== undefined)
      return sendThrough(this.#given, { ...exchange, headers: [...exchange.headers] })
    if (this.#own !== undefined) return this.#sendByOwn(this.#own, exchange)
    return this.#load().then((loaded) => this.#sendByOwn(loaded, exchange))
  }

  async open(exchange: Exchange): Promise<WireStream> {
    return openStream(await this.load(), exchange)
  }

  async load(): Promise<Dispatcher> {
    if (this.#given !== undefined) return this.#given
    const agent = await this.#load()
    await loaded(addStreams(agent))
    return agent
  }

  async close(): Promise<void> {
    // A connection that nobody waits for any more, or a token request, would keep a gentle close waiting for long.
    this.#closing ??= this.#loading?.then((agent) => agent.destroy(), ignore)
    await this.#closing
  }

  /** What waits for a connection waits here: undici would keep it, body and all, when its caller has long gone. */
  #sendByOwn(agent: Dispatcher, exchange: Exchange): Promise<WireAnswer> {
    const connections = this.#connectionsTo(exchange.origin)
    const waiting = connections.enter(exchange.deadline)
    if (waiting === undefined) return sendThrough(agent, exchange, connections)
    return waiting.then(() => sendThrough(agent, exchange, connections), notSent)
  }

  #connectionsTo(origin: string): Turnstile {
    const known = this.#connections.get(origin)
    if (known !== undefined) return known
    const connections = new Turnstile(this.#maxSockets, 'a free connection (maxSockets)')
    this.#connections.set(origin, connections)
    return connections
  }

  #load(): Promise<Dispatcher> {
    this.#loading ??= loaded(createAgent(this.#maxSockets)).then(
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

/**
 * What gives undici's dispatchers their streams is in its main module, which is slow to load and puts its own dispatcher
 * under the process's `fetch`: again the one file will do.
 */
async function addStreams(agent: Dispatcher): Promise<void> {
  try {
    const { default: request } = await import('undici/lib/api/api-request.js')
    Object.assign(agent, { request })
  } catch {
    await import('undici/index.js')
  }
}

async function createAgent(maxSockets: number): Promise<Dispatcher> {
  const OwnAgent = await loadAgent()
  return new OwnAgent({
    connections: maxSockets,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    connect: { timeout: 10_000 },
    // The call's own deadline covers these: undici's own clock is too coarse for it.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function notSent(error: unknown): never {
  throw error instanceof CallEnded ? new WireFailure({ sent: false, reason: 'other' }, error) : error
}

/** @param connections - To leave when undici has done with the exchange; its caller may have gone before. */
function sendThrough(
  dispatcher: Dispatcher,
  exchange: Exchange,
  connections?: Turnstile,
): Promise<WireAnswer> {
  return new Promise<WireAnswer>((resolve, reject) => {
    const handler = new AnswerHandler(exchange, resolve, reject, connections)
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

const NO_HEADERS: WireHeaders = {}

/** Follows one exchange from the first byte sent to the last one received. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange
  readonly #resolve: (answer: WireAnswer) => void
  readonly #reject: (error: unknown) => void
  readonly #connections: Turnstile | undefined
  #controller: Dispatcher.DispatchController | undefined
  #ended: CallEnded | undefined
  #sent = false
  #finished = false
  #status = 0
  #headers: WireHeaders = NO_HEADERS
  #body: BodyCollector | undefined

  constructor(
    exchange: Exchange,
    resolve: (answer: WireAnswer) => void,
    reject: (error: unknown) => void,
    connections: Turnstile | undefined,
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

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
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
    this.#connections?.leave()
  }

  /** A request still queued or connecting ignores undici's abort, so the caller is let go here and now. */
  readonly #onEnd = (ended: CallEnded): void => {
    this.#ended = ended
    this.#reject(new WireFailure({ sent: this.#sent, reason: 'other' }, ended))
    this.#controller?.abort(ended)
  }

  #refuse(controller: Dispatcher.DispatchController, error: unknown): void {
    this.#reject(error)
    controller.abort(error instanceof Error ? error : new Error('aborted'))
  }

  #failure(error: unknown): WireFailure {
    // Whether a request left is told by its start alone: every code can come after it.
    const failure = wireFailure(error, this.#sent)
    const cut = this.#body !== undefined && CUT.has(failure.reason)
    return cut ? new WireFailure({ sent: true, reason: 'truncated', status: this.#status }, error) : failure
  }
}
