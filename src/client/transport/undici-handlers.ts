import type { Dispatcher } from 'undici'
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
    dispatch(dispatcher, request, new ResponseHandler(request, resolve, reject, connections))
  })
}

/** Sends a request. The caller reads the body of the response in chunks. Uses only `dispatch` of a dispatcher. */
export function openStream(dispatcher: Dispatcher, request: TransportRequest): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    dispatch(dispatcher, request, new StreamHandler(request, resolve, reject))
  })
}

function dispatch(
  dispatcher: Dispatcher,
  { origin, path, method, headers, body }: TransportRequest,
  handler: ResponseHandler | StreamHandler,
): void {
  try {
    dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, handler)
  } catch (error) {
    handler.onResponseError(undefined, error)
  }
}

/** Reasons that become `truncated` after the response has started. */
const CUT: ReadonlySet<string> = new Set(['reset', 'closed', 'other'])

/** Handles one request from its first byte sent to its last byte received. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest
  readonly #resolve: (response: TransportResponse) => void
  readonly #reject: (error: unknown) => void
  /** Released once, when undici ends the request. */
  #connections: Semaphore | undefined
  #controller: Dispatcher.DispatchController | undefined
  #sent = false
  #status = 0
  #headers: ResponseHeaders | undefined
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
    const { ended } = this.#request.deadline
    if (ended !== undefined) controller.abort(ended)
    else if (this.#sent && this.#request.isSentOnce === true) {
      // A retry interceptor of the user started the request again. A once-only write must not be sent twice.
      const cause = new Error('the dispatcher started the request again')
      this.#abortWith(controller, new TransportFailure({ sent: true, reason: 'other' }, cause))
    } else if (this.#request.isStale?.() === true) this.#abortWith(controller, new HeldBack())
    else this.#sent = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    this.#body = new BodyCollector(status, headers, this.#request, (failure) =>
      this.#abortWith(controller, failure),
    )
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.add(chunk)
  }

  onResponseEnd(): void {
    // Released first, so that another request can use the connection while the body is decoded.
    this.#connections?.release()
    this.#connections = undefined
    try {
      const body = this.#body?.text() ?? ''
      if (typeof body === 'string') this.#complete(body)
      else body.then((text) => this.#complete(text)).catch((error: unknown) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#connections?.release()
    this.#connections = undefined
    this.#fail(this.#failure(error))
  }

  #complete(body: string): void {
    this.#request.deadline.unwatch(this.#onEnd)
    this.#resolve({ status: this.#status, headers: this.#headers ?? {}, body })
  }

  #fail(error: unknown): void {
    this.#request.deadline.unwatch(this.#onEnd)
    this.#body?.discard()
    this.#reject(error)
  }

  /** Rejects at once: undici ignores the abort of a request that is queued or connecting. */
  readonly #onEnd = (ended: CallEnded): void => {
    this.#fail(new TransportFailure({ sent: this.#sent, reason: 'other' }, ended))
    this.#controller?.abort(ended)
  }

  #abortWith(controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
    controller.abort(error)
  }

  #failure(error: unknown): TransportFailure {
    // The error code does not show whether the request was sent: every code is possible after the start.
    const failure = transportFailure(error, this.#sent)
    const cut = this.#body !== undefined && CUT.has(failure.reason)
    return cut
      ? new TransportFailure({ sent: true, reason: 'truncated', status: this.#status }, error)
      : failure
  }
}

/** Number of unread chunks at which the sender is paused. */
const MAX_UNREAD_CHUNKS = 16

/**
 * Handles one request and stores its unread chunks. Does not use Node's `Readable`, which would read a signal from a
 * polluted `Object.prototype`.
 */
class StreamHandler implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest
  readonly #resolve: (response: StreamedResponse) => void
  readonly #reject: (failure: TransportFailure) => void
  readonly #chunks: Uint8Array[] = []
  #controller: Dispatcher.DispatchController | undefined
  #isSent = false
  #status: number | undefined
  #isOver = false
  #failure: TransportFailure | undefined
  #wake: (() => void) | undefined

  constructor(
    request: TransportRequest,
    resolve: (response: StreamedResponse) => void,
    reject: (failure: TransportFailure) => void,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    request.deadline.watch(this.#onEnd)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(this.#failure ?? new Error('aborted'))
    else this.#isSent = true
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#resolve({ status, headers, body: this.#read(), discard: () => this.#discard() })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#chunks.push(chunk)
    if (this.#chunks.length >= MAX_UNREAD_CHUNKS) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    const own = error instanceof TransportFailure ? error : transportFailure(error, this.#isSent)
    const status = this.#status
    this.#end(
      status === undefined ? own : new TransportFailure({ sent: true, reason: 'truncated', status }, error),
    )
  }

  /** Rejects at once: undici ignores the abort of a request that is queued or connecting. */
  readonly #onEnd = (ended: CallEnded): void => {
    this.#chunks.length = 0
    this.#end(new TransportFailure({ sent: this.#isSent, reason: 'other', status: this.#status }, ended))
    this.#controller?.abort(ended)
  }

  #end(failure?: TransportFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = failure
    this.#request.deadline.unwatch(this.#onEnd)
    // After the response headers, the promise is resolved and the reader gets the failure.
    if (failure !== undefined) this.#reject(failure)
    this.#wake?.()
  }

  #discard(): void {
    if (this.#isOver) return
    this.#chunks.length = 0
    this.#end()
    this.#controller?.abort(new Error('discarded'))
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift()
        if (chunk !== undefined) {
          if (this.#chunks.length === 0) this.#controller?.resume()
          yield chunk
        } else if (this.#failure !== undefined) throw this.#failure
        else if (this.#isOver) return
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#discard()
    }
  }
}
