import type { FakeCore } from '../core/fake-core.js'
import type { FakeAnswer } from '../server/http.js'
import { collect } from './http-request.js'
import { doorOf, foreignUrlMessage, inProcessRequest } from './in-process.js'
import { bodyChunks, headersFate, silence } from './response-stream.js'

/** Statuses that a `Response` may not have a body with. */
const BODILESS = new Set([101, 204, 205, 304])

/** A `fetch` whose other end is a fake in this process: no socket is opened, and nothing else is reached. */
export function createFetch(core: FakeCore): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const place = doorOf(core, url)
    if (place === undefined) throw networkError(new Error(foreignUrlMessage(core, url.origin)))
    const body = await collect(request.body ?? [], core.options.maxBodyBytes)
    const headers = Object.fromEntries(request.headers)
    const answer = await unlessAborted(
      core.handle(inProcessRequest(place, request.method, headers, body)),
      request.signal,
    )
    return toResponse(core, answer, request.signal)
  }
}

async function toResponse(core: FakeCore, answer: FakeAnswer, signal: AbortSignal): Promise<Response> {
  const fate = headersFate(answer)
  if (fate === 'never') {
    await silence({ signal, stopped: core.stopped }).catch((error: unknown) => {
      throw networkError(error)
    })
    signal.throwIfAborted()
  }
  if (fate instanceof Error) throw networkError(fate)
  const body = BODILESS.has(answer.status) ? null : bodyStream(core, answer, signal)
  return new Response(body, { status: answer.status, headers: { ...answer.headers } })
}

function bodyStream(core: FakeCore, answer: FakeAnswer, signal: AbortSignal): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const ends = { signal: AbortSignal.any([signal, cancelled.signal]), stopped: core.stopped }
  const chunks = bodyChunks(answer, ends)
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

/** The work's outcome, unless the caller gives up first; the work itself goes on, as a service's would. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
