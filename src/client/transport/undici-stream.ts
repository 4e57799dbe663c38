import type { Dispatcher } from 'undici'
import type { CallEnded } from '../core/deadline.js'
import {
  type ResponseHeaders,
  type StreamedResponse,
  TransportFailure,
  type TransportRequest,
  transportFailure,
} from './transport.js'

/** Number of unread chunks at which the sender is paused. */
const MOST_WAITING = 16

/** Sends a request whose body the caller reads in chunks. Uses only `dispatch` of a dispatcher. */
export function openStream(dispatcher: Dispatcher, request: TransportRequest): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    const handler = new StreamHandler(request, resolve, reject)
    const { origin, path, method, headers } = request
    try {
      dispatcher.dispatch({ origin, path, method, headers: [...headers] }, handler)
    } catch (error) {
      handler.onResponseError(undefined, error)
    }
  })
}

/** Handles one request and stores its unread chunks. */
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
    if (this.#chunks.length >= MOST_WAITING) controller.pause()
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
        else await this.#more()
      }
    } finally {
      this.#discard()
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
