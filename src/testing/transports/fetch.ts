import type { FakeResponse, FakeServer } from '../server/http.js'
import { collectBody } from './http-request.js'
import { closedError, foreignUrlMessage, partOf } from './in-process.js'
import { isReturned, MAX_REDIRECTS, redirectedRequest } from './redirects.js'
import {
  bodyChunks,
  type EndSignals,
  headersOutcome,
  sideClosedError,
  waitForEnd,
} from './response-stream.js'

/** Statuses with which a `Response` must not have a body. */
const BODILESS = new Set([101, 204, 205, 304])

/** Creates a `fetch` that reaches only a fake in this process, without sockets. */
export function createFetch(server: FakeServer): typeof globalThis.fetch {
  return async (input, init) => {
    let request = new Request(input, init)
    const { redirect } = request
    for (let redirects = 0; ; redirects += 1) {
      const { response, body } = await send(server, request)
      if (isReturned(response, redirect)) return response
      // Without the cancellation, the timers of a slow body would keep the process running.
      await response.body?.cancel()
      if (redirect === 'error') throw networkError(new Error('unexpected redirect'))
      if (redirects === MAX_REDIRECTS) throw networkError(new Error('redirect count exceeded'))
      request = redirectedRequest(request, body, response)
    }
  }
}

/** Sends one request. Also returns the request's body, because a redirect can send it again. */
async function send(
  server: FakeServer,
  request: Request,
): Promise<{ readonly response: Response; readonly body: Uint8Array }> {
  request.signal.throwIfAborted()
  const url = new URL(request.url)
  const place = partOf(server, url)
  if (place === undefined) throw networkError(new Error(foreignUrlMessage(server, url.origin)))
  const body = await collectBody(request.body ?? [], server.options.maxBodyBytes)
  // `unlessEnded` does not notice an abort that happened while the body was read.
  request.signal.throwIfAborted()
  const closed = closedError(server)
  if (closed !== undefined) throw networkError(closed)
  // The `Headers` of a test runner's environment may keep the case of the names.
  const headers = Object.fromEntries([...request.headers].map(([name, value]) => [name.toLowerCase(), value]))
  const response = await unlessEnded(
    server.handleRequest({ ...place, method: request.method, headers, body }),
    { signal: request.signal, closed: server.closed },
  )
  return { response: await toResponse(server, response, request.signal), body }
}

async function toResponse(
  server: FakeServer,
  response: FakeResponse,
  signal: AbortSignal,
): Promise<Response> {
  const outcome = headersOutcome(response)
  if (outcome === 'never') {
    await waitForEnd({ signal, closed: server.closed }).catch((error: unknown) => {
      throw networkError(error)
    })
    signal.throwIfAborted()
  }
  if (outcome instanceof Error) throw networkError(outcome)
  const body = BODILESS.has(response.status) ? null : bodyStream(server, response, signal)
  return new Response(body, { status: response.status, headers: { ...response.headers } })
}

function bodyStream(
  server: FakeServer,
  response: FakeResponse,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const ends = { signal: AbortSignal.any([signal, cancelled.signal]), closed: server.closed }
  const chunks = bodyChunks(response, ends)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next()
        signal.throwIfAborted()
        if (done === true) controller.close()
        else controller.enqueue(new Uint8Array(value))
      } catch (error) {
        controller.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause: error }))
      }
    },
    cancel() {
      cancelled.abort()
    },
  })
}

function networkError(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/**
 * Rejects when the caller aborts or the fake closes. The fake still completes an aborted request, as a real service
 * does.
 */
function unlessEnded<T>(work: Promise<T>, { signal, closed }: EndSignals): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    const close = (): void => reject(networkError(sideClosedError()))
    signal.addEventListener('abort', abort, { once: true })
    closed.addEventListener('abort', close, { once: true })
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort)
      closed.removeEventListener('abort', close)
    })
  })
}
