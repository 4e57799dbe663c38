import { type ClientOptions, type FetchLike, PathologyClient } from 'pathology-sdk'
import { onTestFinished } from 'vitest'
import { CANARIES } from './canaries.js'
import { SkippingClock } from './skipping-clock.js'

/** Creates a client of a server on loopback. The client skips pauses of up to 9 s, and is closed when the test ends. */
export function clientOf(origin: string, options: ClientOptions = {}): PathologyClient {
  const client = new PathologyClient({
    baseUrl: origin,
    authUrl: origin,
    clientId: 'client-1',
    clientSecret: CANARIES.clientSecret,
    clock: new SkippingClock(),
    random: () => 0.5,
    // Without a logger, responses that differ from the contract would be process warnings.
    logger: {},
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

/** Returns the reason with which a promise rejects. Fails when the promise resolves. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`expected a rejection, got ${JSON.stringify(value)?.slice(0, 200)}`)
}

/**
 * Returns the `fetch` of a service in this process, which issues tokens.
 *
 * @param respond - Returns the response to any other request, or its JSON.
 */
export function fetchOf(respond: (url: URL, init: RequestInit) => unknown): FetchLike {
  return async (input, init) => {
    if (input.endsWith('/oauth/token'))
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: 3_600 })
    const response = await respond(new URL(input), init)
    return response instanceof Response ? response : Response.json(response)
  }
}
