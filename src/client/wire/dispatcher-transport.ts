import type { Agent, Dispatcher } from 'undici'
import type { CallEnded } from '../call/deadline.js'
import { BodyCollector } from './body.js'
import { openStream } from './dispatcher-stream.js'
import {
  type Exchange,
  type Transport,
  type WireAnswer,
  WireFailure,
  type WireHeaders,
  type WireStream,
  wireFailure,
} from './transport.js'

/** Sends through an undici dispatcher: the default wire. */
export class DispatcherTransport implements Transport {
  readonly #given: Dispatcher | undefined
  readonly #maxSockets: number
  #loading: Promise<Dispatcher> | undefined
  #own: Dispatcher | undefined
  #closing: Promise<void> | undefined

  /** @param given - The caller's own dispatcher; it stays the caller's to close. */
  constructor(given: Dispatcher | undefined, maxSockets: number) {
    this.#given = given
    this.#maxSockets = maxSockets
  }

  send(exchange: Exchange): Promise<WireAnswer> {
    const dispatcher = this.#given ?? this.#own
    if (dispatcher !== undefined) return sendThrough(dispatcher, exchange)
    return this.#load().then((loaded) => sendThrough(loaded, exchange))
  }

  async open(exchange: Exchange): Promise<WireStream> {
    if (this.#given !== undefined) return openStream(this.#given, exchange)
    // What gives undici's dispatchers their streams is in its main module.
    await import('undici/index.js')
    return openStream(this.#own ?? (await this.#load()), exchange)
  }

  async close(idle: Promise<void>): Promise<void> {
    this.#closing ??= this.#loading?.then((agent) =>
      // A connection that nobody waits for any more, or a token request, would keep it open for long.
      Promise.race([agent.close(), idle.then(() => agent.destroy())]),
    )
    await this.#closing
  }

  #load(): Promise<Dispatcher> {
    this.#loading ??= createAgent(this.#maxSockets).then((agent) => {
      this.#own = agent
      return agent
    })
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

function sendThrough(dispatcher: Dispatcher, exchange: Exchange): Promise<WireAnswer> {
  return new Promise<WireAnswer>((resolve, reject) => {
    const handler = new AnswerHandler(exchange, resolve, reject)
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
  readonly #stopListening: () => void
  #controller: Dispatcher.DispatchController | undefined
  #ended: CallEnded | undefined
  #sent = false
  #status = 0
  #headers: WireHeaders = NO_HEADERS
  #body: BodyCollector | undefined

  constructor(exchange: Exchange, resolve: (answer: WireAnswer) => void, reject: (error: unknown) => void) {
    this.#exchange = exchange
    this.#resolve = resolve
    this.#reject = reject
    this.#stopListening = exchange.deadline.onEnd((ended) => this.#end(ended))
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
    this.#stopListening()
    try {
      this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body?.text() ?? '' })
    } catch (error) {
      this.#reject(error)
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#stopListening()
    this.#reject(this.#failure(error))
  }

  /** A request still queued or connecting ignores undici's abort, so the caller is let go here and now. */
  #end(ended: CallEnded): void {
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
