import { type Dispatcher, errors } from 'undici/index.js'
import type { FakeCore } from '../core/fake-core.js'
import type { FakeAnswer } from '../server/http.js'
import { type RealTimer, startTimer } from '../server/runtime.js'
import { requestBody, requestHeaders, requestUrl } from './dispatcher-input.js'
import { doorOf, foreignUrlMessage, inProcessRequest } from './in-process.js'
import { bodyChunks, type Ends, headersFate, silence } from './response-stream.js'

/** What undici waits for headers, and for each piece of a body, unless told otherwise. */
const DEFAULT_TIMEOUT_MS = 300_000

/** One request through the dispatcher: it plays undici's side of the handler interface. */
export class DispatchExchange implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] | null = null
  rawTrailers: Buffer[] | null = null
  readonly #core: FakeCore
  readonly #options: Dispatcher.DispatchOptions
  readonly #handler: Dispatcher.DispatchHandler
  readonly #ended = new AbortController()
  #reason: Error | null = null
  #aborted = false
  #wake: (() => void) | undefined
  #paused = false
  #timer: RealTimer | undefined

  constructor(core: FakeCore, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.#core = core
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

  /** Ends the exchange with an error, unless it has ended. */
  fail(error: Error): void {
    if (this.#ended.signal.aborted) return
    this.#end()
    this.#handler.onResponseError?.(this, error)
  }

  /** Plays the exchange to its end; never rejects. */
  async run(): Promise<void> {
    try {
      const answer = await this.#exchange()
      if (answer !== undefined) await this.#deliver(answer)
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #exchange(): Promise<FakeAnswer | undefined> {
    const url = requestUrl(this.#options)
    const place = doorOf(this.#core, url)
    if (place === undefined) throw hostNotFound(this.#core, url)
    const { bytes, type } = await requestBody(this.#options.body, this.#core.options.maxBodyBytes)
    const headers = requestHeaders(this.#options.headers)
    if (type !== null) headers['content-type'] ??= type
    this.#handler.onRequestStart?.(this, {})
    if (this.#ended.signal.aborted) return undefined
    this.#limit(this.#options.headersTimeout, () => new errors.HeadersTimeoutError())
    return this.#core.handle(inProcessRequest(place, this.#options.method, headers, bytes))
  }

  async #deliver(answer: FakeAnswer): Promise<void> {
    const fate = headersFate(answer)
    if (this.#ended.signal.aborted) return
    if (fate === 'never') return silence(this.#ends)
    if (fate !== 'arrive') return this.fail(fate)
    this.rawHeaders = Object.entries(answer.headers).flatMap(([name, value]) => [
      Buffer.from(name),
      Buffer.from(value),
    ])
    this.#handler.onResponseStart?.(this, answer.status, { ...answer.headers }, '')
    await this.#deliverBody(answer)
    if (this.#ended.signal.aborted) return
    this.#end()
    this.#handler.onResponseEnd?.(this, {})
  }

  async #deliverBody(answer: FakeAnswer): Promise<void> {
    const limit = (): void => this.#limit(this.#options.bodyTimeout, () => new errors.BodyTimeoutError())
    limit()
    for await (const chunk of bodyChunks(answer, this.#ends)) {
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

  get #ends(): Ends {
    return { signal: this.#ended.signal, stopped: this.#core.stopped }
  }

  /** A timer in place of the one that runs: it also keeps the process alive, as an open socket does. */
  #limit(timeoutMs: number | null | undefined, error: () => Error): void {
    this.#timer?.cancel()
    const ms = timeoutMs ?? DEFAULT_TIMEOUT_MS
    const expire = ms === 0 ? () => undefined : () => this.fail(error())
    this.#timer = startTimer(expire, ms === 0 ? Number.MAX_SAFE_INTEGER : ms, true)
  }

  #end(): void {
    this.#timer?.cancel()
    this.#ended.abort()
    this.#wake?.()
  }
}

function hostNotFound(core: FakeCore, url: URL): Error {
  const error = new Error(`getaddrinfo ENOTFOUND ${url.hostname}: ${foreignUrlMessage(core, url.origin)}`)
  return Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: url.hostname })
}
