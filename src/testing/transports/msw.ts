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
  return [...origins].map((origin) => http.all(urlsOf(origin), ({ request }) => respondToMsw(fetch, request)))
}

/** A RegExp, because MSW would read the `:1` of the host `[::1]` as a path parameter. */
function urlsOf(origin: string): RegExp {
  return new RegExp(`^${origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/`)
}

async function respondToMsw(fetch: typeof globalThis.fetch, request: Request): Promise<Response> {
  try {
    // MSW follows redirects itself, because other handlers or the network can serve the new URL.
    return await fetch(request, { redirect: 'manual' })
  } catch {
    // MSW converts this response to the TypeError of a failed fetch, without its cause. After an abort, the caller has
    // already got the reason of its signal, and MSW would print a rethrown error.
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
