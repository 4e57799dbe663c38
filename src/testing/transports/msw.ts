import type { HttpHandler } from 'msw'
import type { FakeCore } from '../core/fake-core.js'
import { requireFromHere } from '../server/require-from-here.js'
import { TEST_ORIGINS } from './in-process.js'

/**
 * MSW request handlers for everything the fake serves. msw is loaded when this is called, so that nobody needs it
 * who does not ask; synchronously, so that the list can be spread into `setupServer()`.
 *
 * @throws Error - msw is not installed.
 */
export function createMswHandlers(core: FakeCore, fetch: typeof globalThis.fetch): HttpHandler[] {
  const { http } = loadMsw()
  const origins = new Set([core.origins, TEST_ORIGINS].flatMap((set) => Object.values(set)))
  return [...origins].map((origin) => http.all(`${origin}/*`, ({ request }) => answer(fetch, request)))
}

async function answer(fetch: typeof globalThis.fetch, request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    // What MSW turns into the TypeError of a failed fetch; it cannot pass the cause on.
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
