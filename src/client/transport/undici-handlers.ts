import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { ConfigurationError, ignore } from '../../common/errors.js'
import type { CallEnded } from '../core/deadline.js'
import type { Semaphore } from '../core/semaphore.js'
import { BodyCollector } from './body.js'
import {
  HeldBack,
  type ResponseHeaders,
  type StreamedResponse,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  transportFailure,
} from './transport.js'

/**
 * Sends a request and reads the complete response. Uses only `dispatch` of a dispatcher.
 *
 * @param connections - Limit of the connections. The permit of the request is released when undici ends the request.
 * The returned promise may have rejected earlier.
 */
export function sendThrough(
  dispatcher: Dispatcher,
  request: TransportRequest,
  connections?: Semaphore,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let collector: BodyCollector | undefined
    dispatch(dispatcher, request, connections, {
      start: (status, headers) => {
        collector = new BodyCollector(status, headers, request)
      },
      add: (chunk) => {
        collector?.add(chunk)
        return true
      },
      end: (status, headers) => {
        const body = collector?.text() ?? ''
        if (typeof body === 'string') resolve({ status, headers, body })
        else body.then((text) => resolve({ status, headers, body: text })).catch(reject)
      },
      fail: reject,
    })
  })
}

/** Sends a request. The caller reads the body of the response in chunks. Uses only `dispatch` of a dispatcher. */
export function openStream(dispatcher: Dispatcher, request: TransportRequest): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    let body: Readable | undefined
    let exchange: Exchange | undefined
    exchange = dispatch(dispatcher, request, undefined, {
      start: (status, headers) => {
        const stream = new Readable({
          read: () => exchange?.resume(),
          destroy: (error, done) => {
            exchange?.abort(error ?? new Error('discarded'))
            done(error)
          },
        })
        // The reader gets the error, if there still is one.
        stream.on('error', ignore)
        body = stream
        resolve({ status, headers, body: stream, discard: () => stream.destroy() })
      },
      add: (chunk) => body?.push(chunk) ?? true,
      end: () => body?.push(null),
      fail: (error) => {
        reject(error)
        body?.destroy(error)
      },
    })
  })
}

/** Takes the parts of one response. An error that it throws ends the request. */
interface Receiver {
  start(status: number, headers: ResponseHeaders): void
  /** Returns `false` when the sender must pause. */
  add(chunk: Uint8Array): boolean
  end(status: number, headers: ResponseHeaders): void
  /** Takes the only error of the request, before or after the start of the response. */
  fail(error: Error): void
}

function dispatch(
  dispatcher: Dispatcher,
  request: TransportRequest,
  connections: Semaphore | undefined,
  receiver: Receiver,
): Exchange {
  const exchange = new Exchange(request, receiver, connections)
  const { origin, path, method, headers, body = null } = request
  try {
    dispatcher.dispatch({ origin, path, method, headers, body }, exchange)
  } catch (error) {
    exchange.onResponseError(undefined, error)
  }
  return exchange
}

/** Handles one request from its first byte sent to its last byte received. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest
  readonly #receiver: Receiver
  /** Released once, when undici ends the request. */
  #connections: Semaphore | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isSent = false
  #isOver = false
  #status: number | undefined
  #headers: ResponseHeaders = {}

  constructor(request: TransportRequest, receiver: Receiver, connections: Semaphore | undefined) {
    this.#request = request
    this.#receiver = receiver
    this.#connections = connections
    request.deadline.watch(this.#onEnd)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('the request has ended'))
    else if (this.#isSent && this.#request.isSentOnce === true) {
      // A retry interceptor of the user started the request again. A once-only write must not be sent twice.
      const cause = new Error('the dispatcher started the request again')
      this.abort(new TransportFailure({ sent: true, reason: 'other' }, cause))
    } else if (this.#request.isStale?.() === true) this.abort(new HeldBack())
    else this.#isSent = true
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    this.#attempt(() => this.#receiver.start(status, headers))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#attempt(() => this.#receiver.add(chunk) || controller.pause())
  }

  onResponseEnd(): void {
    // Released first, so that another request can use the connection while the body is decoded.
    this.#finish()
    this.#attempt(() => this.#receiver.end(this.#status ?? 0, this.#headers))
    this.#isOver = true
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#finish()
    this.#fail(this.#failure(error))
  }

  /** Continues to receive the body. */
  resume(): void {
    this.#controller?.resume()
  }

  /** Ends the request with an error. */
  abort(error: Error): void {
    if (this.#isOver) return
    this.#fail(error)
    this.#controller?.abort(error)
  }

  /** Rejects at once: undici ignores the abort of a request that is queued or connecting. */
  readonly #onEnd = (ended: CallEnded): void => {
    this.abort(new TransportFailure({ sent: this.#isSent, reason: 'other', status: this.#status }, ended))
  }

  #attempt(step: () => unknown): void {
    if (this.#isOver) return
    try {
      step()
    } catch (error) {
      this.abort(error instanceof TransportFailure ? error : transportFailure(error, true))
    }
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.deadline.unwatch(this.#onEnd)
    this.#receiver.fail(error)
  }

  /** Records that undici has ended the request. */
  #finish(): void {
    this.#connections?.release()
    this.#connections = undefined
    this.#request.deadline.unwatch(this.#onEnd)
  }

  #failure(error: unknown): Error {
    if (this.#controller === undefined && OLD_DISPATCHER.test(String(error)))
      return new ConfigurationError(NEEDS_UNDICI_7)
    if (error instanceof TransportFailure) return error
    // The error code does not show whether the request was sent: every code is possible after the start.
    const failure = transportFailure(error, this.#isSent)
    const isInvalid = failure.reason === 'protocol' && !CUT.test(String(error))
    return this.#status === undefined || isInvalid
      ? failure
      : new TransportFailure({ sent: true, reason: 'truncated', status: this.#status }, error)
  }
}

/** undici's errors of a body that is shorter than declared. Its other errors of a body are about invalid HTTP. */
const CUT = /Invalid EOF state|does not match content-length/

/** An error about our handler, thrown by `dispatch` of undici 6 and earlier, and of Node's own undici before Node 24. */
const OLD_DISPATCHER = /\bon[A-Z][a-z]+ (method|is not a function)/

const NEEDS_UNDICI_7 =
  'the option dispatcher needs undici 7.0 or later, and this dispatcher comes from undici 6 or earlier; nothing was ' +
  'sent. Install undici 7, and create the dispatcher with it'
