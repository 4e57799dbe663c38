import { ByteBuffer } from '../../common/byte-buffer.js'
import { ignore } from '../../common/errors.js'
import { isBytes } from '../../contract/realms.js'
import type { Deadline } from '../core/deadline.js'
import { encodingOf, textOf } from './body.js'
import {
  causesOf,
  HeldBack,
  type ResponseHeaders,
  type StreamedResponse,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
  tooLarge,
  transportFailure,
  unwatchedFailure,
} from './transport.js'

/** The part of a `fetch` function that the client needs. */
export type FetchLike = (input: string, init: RequestInit) => Promise<Response>

/** Transport over a `fetch` function, for MSW and for runtimes other than Node. */
export class FetchTransport implements Transport {
  readonly #fetch: FetchLike

  constructor(fetch: FetchLike) {
    this.#fetch = fetch
  }

  async load(): Promise<void> {
    // A fetch function needs no loading.
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { status, headers, body, discard } = await this.open(request)
    try {
      const content = new ByteBuffer(request.maxBytes)
      for await (const chunk of body) if (!content.add(chunk)) throw tooLarge(status)
      // `fetch` decodes gzip, and keeps the header. With any other encoding, the response is rejected.
      const decoded = encodingOf(headers) === 'gzip' ? { ...headers, 'content-encoding': undefined } : headers
      return {
        status,
        headers,
        body: await textOf(content.bytes, { status, headers: decoded }, request.maxBytes),
      }
    } finally {
      discard()
    }
  }

  async open(request: TransportRequest): Promise<StreamedResponse> {
    const controller = new AbortController()
    const stop = request.deadline.onEnd((ended) => controller.abort(ended))
    const fetching = this.#start(request, controller.signal)
    try {
      const { status, headers, reader } = partsOf(await request.deadline.race(fetching))
      const discard = (): void => {
        stop()
        controller.abort()
      }
      return { status, headers, body: read(reader, status, request.deadline, stop), discard }
    } catch (error) {
      stop()
      fetching.then((late) => late.body?.cancel()).catch(ignore)
      throw error instanceof HeldBack ? error : failure(error, request.origin)
    }
  }

  async close(): Promise<void> {
    // The fetch function owns its connections.
  }

  async #start(request: TransportRequest, signal: AbortSignal): Promise<Response> {
    request.deadline.throwIfEnded()
    if (request.isStale?.() === true) throw new HeldBack()
    const { origin, path, method, headers, body } = request
    return this.#fetch(`${origin}${path}`, {
      method,
      headers: pairs(headers),
      body: body ?? null,
      signal,
      redirect: 'manual',
      credentials: 'omit',
    })
  }
}

type Reader = Pick<ReadableStreamDefaultReader<unknown>, 'read' | 'cancel'>

/** Returns the parts of a response. Throws a `TransportFailure` if the response is not usable. */
function partsOf(response: Response): {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly reader: Reader | undefined
} {
  // A user's `fetch` may return other headers than a `Headers` object, such as a `Map`.
  const headers: ResponseHeaders = Object.fromEntries(
    [...response.headers].map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  // Some runtimes return an opaque response with status 0 for a redirect that is not followed.
  const status = response.type === 'opaqueredirect' ? 302 : response.status
  if (!Number.isInteger(status) || status < 200 || status > 999) throw unusable('it has no HTTP status')
  if (response.bodyUsed) throw unusable('its body was read before', status)
  return { status, headers, reader: response.body?.getReader() }
}

/** Creates the failure of an unusable response of the fetch function, with the reason as its cause. */
function unusable(why: string, status?: number): TransportFailure {
  const cause = new Error(`the fetch function returned a response that is not usable: ${why}`)
  const reason = status === undefined ? 'other' : 'truncated'
  return new TransportFailure({ sent: true, reason, status }, cause)
}

/** Races each chunk against the deadline: a `fetch` may ignore its signal after the response headers. */
async function* read(
  reader: Reader | undefined,
  status: number,
  deadline: Deadline,
  stop: () => void,
): AsyncGenerator<Uint8Array> {
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await deadline.race(reader.read())
      if (done) return
      if (!isBytes(value)) throw unusable('its body is not bytes', status)
      yield value
    }
  } catch (error) {
    throw error instanceof TransportFailure
      ? error
      : new TransportFailure({ sent: true, reason: 'truncated', status }, error)
  } finally {
    stop()
    // A reader that is not the platform's may throw.
    new Promise((resolve) => resolve(reader.cancel())).catch(ignore)
  }
}

function pairs(headers: readonly string[]): [string, string][] {
  const names = headers.filter((_, index) => index % 2 === 0)
  return names.map((name, nth) => [name, headers[2 * nth + 1] ?? ''])
}

function failure(error: unknown, origin: string): TransportFailure {
  if (error instanceof TransportFailure) return error
  const own = unwatchedFailure(error)
  // A wrapper of `fetch` may have sent the request before it failed to connect to another host.
  return !own.sent && namesOtherHost(error, new URL(origin)) ? transportFailure(error, true) : own
}

/** Returns `true` when an error names a host or a port that is not the request's. */
function namesOtherHost(error: unknown, url: URL, most = 5): boolean {
  const expected = url.port || (url.protocol === 'https:' ? '443' : '80')
  return causesOf(error, most).some((each) => {
    const { hostname, port } = each
    if (typeof hostname === 'string' && hostname !== url.hostname) return true
    if (typeof port === 'number' && String(port) !== expected) return true
    return each instanceof AggregateError && each.errors.some((inner) => namesOtherHost(inner, url, most - 1))
  })
}
