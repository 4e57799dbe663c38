import { ignore } from '../../common/ignore.js'
import { ownFields } from '../../common/known-options.js'
import type { Deadline } from '../core/deadline.js'
import { BodyCollector } from './body.js'
import {
  type ResponseHeaders,
  type StreamedResponse,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  unwatchedFailure,
} from './transport.js'

/** A `fetch` function, as far as this package needs one. */
export type FetchLike = (input: string, init: RequestInit) => Promise<Response>

/** Sends through a `fetch` function: for MSW, and for runtimes other than Node. */
export class FetchTransport implements Transport {
  readonly #fetch: FetchLike

  constructor(fetch: FetchLike) {
    this.#fetch = fetch
  }

  async load(): Promise<void> {
    // A function is there already.
  }

  async send(exchange: TransportRequest): Promise<TransportResponse> {
    const { status, headers, body, discard } = await this.open(exchange)
    try {
      const collector = new BodyCollector(status, withoutEncoding(headers), exchange.maxBytes)
      for await (const chunk of body) collector.add(chunk)
      return { status, headers, body: collector.text() }
    } finally {
      discard()
    }
  }

  async open(exchange: TransportRequest): Promise<StreamedResponse> {
    const controller = new AbortController()
    const stop = exchange.deadline.onEnd((ended) => controller.abort(ended))
    const request = this.#start(exchange, controller.signal)
    try {
      const response = await exchange.deadline.race(request)
      return stream(response, exchange.deadline, controller, stop)
    } catch (error) {
      stop()
      request.then((late) => late.body?.cancel()).catch(ignore)
      throw failure(error)
    }
  }

  async close(): Promise<void> {
    // The function owns its connections.
  }

  async #start(exchange: TransportRequest, signal: AbortSignal): Promise<Response> {
    exchange.deadline.throwIfEnded()
    const { origin, path, method, headers, body } = exchange
    const init: RequestInit = {
      method,
      headers: pairs(headers),
      body: body ?? null,
      signal,
      redirect: 'manual',
      credentials: 'omit',
    }
    return this.#fetch(`${origin}${path}`, ownFields(init))
  }
}

function stream(
  response: Response,
  deadline: Deadline,
  controller: AbortController,
  stop: () => void,
): StreamedResponse {
  const headers: ResponseHeaders = Object.fromEntries(response.headers)
  const discard = (): void => {
    stop()
    controller.abort()
  }
  // A redirect that is not followed is shown by some runtimes as an opaque answer with status 0.
  const status = response.type === 'opaqueredirect' ? 302 : response.status
  return { status, headers, body: read(response, status, deadline, stop), discard }
}

/** Each piece is raced: a `fetch` need not heed its signal once it has answered. */
async function* read(
  response: Response,
  status: number,
  deadline: Deadline,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await deadline.race(reader.read())
      if (done) return
      yield value
    }
  } catch (error) {
    throw new TransportFailure({ sent: true, reason: 'truncated', status }, error)
  } finally {
    stop()
    reader.cancel().catch(ignore)
  }
}

/** `fetch` has decoded the body already, and leaves the header of what it was. */
function withoutEncoding(headers: ResponseHeaders): ResponseHeaders {
  const { 'content-encoding': encoding, 'content-length': length, ...rest } = headers
  return encoding === undefined && length !== undefined ? { ...rest, 'content-length': length } : rest
}

function pairs(headers: readonly string[]): [string, string][] {
  const result: [string, string][] = []
  for (let index = 0; index + 1 < headers.length; index += 2) {
    result.push([headers[index] ?? '', headers[index + 1] ?? ''])
  }
  return result
}

function failure(error: unknown): TransportFailure {
  if (error instanceof TransportFailure) return error
  return unwatchedFailure(error)
}
