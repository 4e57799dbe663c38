import type { HttpHandler } from 'msw'
import type { FakeServer } from '../server/http.js'
import { requireFromHere } from '../server/runtime.js'
import { TEST_ORIGINS } from './in-process.js'

/**
 * Creates MSW request handlers for all URLs of the fake. Loads msw only on this call, because msw is an optional
 * dependency. Loads it synchronously, because the caller spreads the list into `setupServer()`.
 *
 * @throws Error - msw is not installed.
 */
export function createMswHandlers(server: FakeServer, fetch: typeof globalThis.fetch): HttpHandler[] {
  const { http } = loadMsw()
  const origins = new Set([server.origins, TEST_ORIGINS].flatMap((set) => Object.values(set)))
  return [...origins].map((origin) => http.all(`${origin}/*`, ({ request }) => respond(fetch, request)))
}

async function respond(fetch: typeof globalThis.fetch, request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    // MSW converts this response to the TypeError of a failed fetch, without its cause.
    return Response.error()
  }
}

function loadMsw(): typeof import('msw') {
  try {
    return requireFromHere('msw')
  } catch (error) {
    throw new Error("handlers() needs the package 'msw': npm install --save-dev msw", { cause: error })
  }
}
