import { type Dispatcher, errors } from 'undici/index.js'
import type { FakeResponse, FakeServer } from '../server/http.js'
import { type RealTimer, startTimer } from '../server/runtime.js'
import { compressed } from './compression.js'
import { requestBody, requestHeaders, requestUrl } from './dispatcher-input.js'
import { closedError, foreignUrlMessage, partOf } from './in-process.js'
import {
  bodyChunks,
  type EndSignals,
  headersOutcome,
  sideClosedError,
  waitForEnd,
} from './response-stream.js'

/** undici's default time limit for the headers and for each chunk of the body. */
const DEFAULT_TIMEOUT_MS = 300_000

/** One request through the dispatcher. It calls the handler as undici does. */
export class DispatchedRequest implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] | null = null
  rawTrailers: Buffer[] | null = null
  readonly #server: FakeServer
  readonly #options: Dispatcher.DispatchOptions
  readonly #handler: Dispatcher.DispatchHandler
  readonly #ended = new AbortController()
  #reason: Error | null = null
  #aborted = false
  #wake: (() => void) | undefined
  #paused = false
  #timer: RealTimer | undefined

  constructor(server: FakeServer, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.#server = server
    this.#options = options
    this.#handler = handler
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get paused(): boolean {
    return this.#paused
  }

  get reason(): Error | null {
    return this.#reason
  }

  abort(reason?: Error): void {
    if (this.#ended.signal.aborted) return
    this.#aborted = true
    this.#reason = reason ?? new errors.RequestAbortedError()
    this.fail(this.#reason)
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#wake?.()
  }

  /** Ends the request with an error. Does nothing if the request has already ended. */
  fail(error: Error): void {
    if (this.#ended.signal.aborted) return
    this.#end()
    this.#handler.onResponseError?.(this, error)
  }

  /** Runs the request to its end. Never rejects. */
  async run(): Promise<void> {
    try {
      const response = await this.#request()
      if (response !== undefined) await this.#deliver(response)
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #request(): Promise<FakeResponse | undefined> {
    const url = requestUrl(this.#options)
    const place = partOf(this.#server, url)
    if (place === undefined) throw hostNotFound(this.#server, url)
    const { bytes, type } = await requestBody(this.#options.body, this.#server.options.maxBodyBytes)
    const closed = closedError(this.#server)
    if (closed !== undefined) throw closed
    this.#failAtClose()
    const headers = requestHeaders(this.#options.headers)
    if (type !== null) headers['content-type'] ??= type
    this.#handler.onRequestStart?.(this, {})
    if (this.#ended.signal.aborted) return undefined
    this.#limit(this.#options.headersTimeout, () => this.fail(new errors.HeadersTimeoutError()))
    const { method } = this.#options
    const response = await this.#server.handleRequest({ ...place, method, headers, body: bytes })
    return compressed(this.#server, headers, response)
  }

  async #deliver(response: FakeResponse): Promise<void> {
    const headers = headersOutcome(response)
    if (this.#ended.signal.aborted) return
    if (headers === 'never') return waitForEnd(this.#ends)
    if (headers !== 'arrive') return this.fail(headers)
    this.rawHeaders = Object.entries(response.headers).flatMap(([name, value]) => [
      Buffer.from(name),
      Buffer.from(value),
    ])
    this.#handler.onResponseStart?.(this, response.status, { ...response.headers }, '')
    await this.#deliverBody(response)
    if (this.#ended.signal.aborted) return
    this.#end()
    this.#handler.onResponseEnd?.(this, {})
  }

  async #deliverBody(response: FakeResponse): Promise<void> {
    // As in undici, a body does not time out while its reader has paused it.
    const expire = (): void => (this.#paused ? limit() : this.fail(new errors.BodyTimeoutError()))
    const limit = (): void => this.#limit(this.#options.bodyTimeout, expire)
    limit()
    for await (const chunk of bodyChunks(response, this.#ends)) {
      await this.#resumed()
      if (this.#ended.signal.aborted) return
      this.#handler.onResponseData?.(this, chunk)
      limit()
    }
    await this.#resumed()
  }

  async #resumed(): Promise<void> {
    while (this.#paused && !this.#ended.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  get #ends(): EndSignals {
    return { signal: this.#ended.signal, closed: this.#server.closed }
  }

  /** Fails the request if the fake closes, as the end of a connection does, also while the reader pauses the body. */
  #failAtClose(): void {
    const fail = (): void => this.fail(sideClosedError())
    this.#server.closed.addEventListener('abort', fail, { once: true, signal: this.#ended.signal })
  }

  /** Replaces the timer. The new timer keeps the process running, as an open socket does. 0 means no time limit. */
  #limit(timeoutMs: number | null | undefined, expire: () => void): void {
    this.#timer?.cancel()
    // A handler can abort the request in a callback. A timer that starts later would keep the process running.
    if (this.#ended.signal.aborted) return
    const ms = timeoutMs ?? DEFAULT_TIMEOUT_MS
    this.#timer =
      ms === 0 ? startTimer(() => undefined, Number.MAX_SAFE_INTEGER, true) : startTimer(expire, ms, true)
  }

  #end(): void {
    this.#timer?.cancel()
    this.#ended.abort()
    this.#wake?.()
  }
}

function hostNotFound(server: FakeServer, url: URL): Error {
  const error = new Error(`getaddrinfo ENOTFOUND ${url.hostname}: ${foreignUrlMessage(server, url.origin)}`)
  return Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: url.hostname })
}
