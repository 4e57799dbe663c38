import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

import type { FakeCore } from '../core/fake-core.js'
import type { Door, FakeRequest } from '../server/http.js'
import { bodyOf, headersOf } from './http-request.js'
import { writeAnswer } from './http-response.js'

/** Path under which the token service is found on the API's port. */
export const AUTH_PREFIX = '/auth'

/** Longer than clients keep idle connections, so that none is closed under a request. */
const KEEP_ALIVE_MS = 65_000

/** A server that listens. */
export interface Listening {
  /** `http://host:port`. */
  readonly origin: string
  close(): Promise<void>
}

/** Listens with a request listener of its own. */
export async function listen(listener: RequestListener, port: number, host: string): Promise<Listening> {
  const server = createServer({ keepAlive: true, keepAliveTimeout: KEEP_ALIVE_MS }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { origin: originOf(server), close: () => close(server) }
}

/** Answers requests to the API and the token service; the token service is under `/auth` and at the root. */
export function mainListener(core: FakeCore): RequestListener {
  return (incoming, response) => {
    const target = incoming.url ?? '/'
    if (target.startsWith(`${AUTH_PREFIX}/`))
      serve(core, 'auth', target.slice(AUTH_PREFIX.length), incoming, response)
    else serve(core, target.startsWith('/oauth/') ? 'auth' : 'api', target, incoming, response)
  }
}

/** Answers requests for documents. */
export function documentsListener(core: FakeCore): RequestListener {
  return (incoming, response) => serve(core, 'documents', incoming.url ?? '/', incoming, response)
}

function serve(
  core: FakeCore,
  door: Door,
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  exchange(core, door, target, incoming, response).catch(() => incoming.socket.destroy())
}

async function exchange(
  core: FakeCore,
  door: Door,
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request: FakeRequest = {
    door,
    method: incoming.method ?? 'GET',
    target,
    headers: headersOf(incoming),
    body: await bodyOf(incoming, core.options.maxBodyBytes),
  }
  const answer = await core.handle(request)
  await writeAnswer(incoming, response, answer, core.stopped)
}

function originOf(server: Server): string {
  const { address, family, port } = addressOf(server)
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('the server is not listening on a port')
  return address
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
