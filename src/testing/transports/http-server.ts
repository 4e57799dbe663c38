import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

import { errorResponse, type FakeRequest, type FakeServer } from '../server/http.js'
import type { HostCheck } from './allowed-hosts.js'
import { compressed } from './compression.js'
import { readHeaders, readRequestBody } from './http-request.js'
import { writeResponse } from './http-response.js'

/** Path of the token service on the API's port. */
export const AUTH_PREFIX = '/auth'

/**
 * Time limit of an idle connection. It is longer than the limits of common clients, because otherwise the server could
 * close a connection while a client reuses it.
 */
const KEEP_ALIVE_MS = 65_000

export interface Listening {
  /** Origin of the server: `http://host:port`. */
  readonly origin: string
  close(): Promise<void>
}

/**
 * Starts an HTTP server.
 *
 * @param listenerFor - Creates the request listener for the address that the server listens on.
 */
export async function listen(
  listenerFor: (address: string) => RequestListener,
  port: number,
  host: string,
): Promise<Listening> {
  const server = createServer({ keepAlive: true, keepAliveTimeout: KEEP_ALIVE_MS })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      server.on('request', listenerFor(addressOf(server).address))
      resolve()
    })
  })
  return { origin: originOf(server), close: () => close(server) }
}

/** Serves the API and the token service. The token endpoint is `/auth/oauth/token`, and also `/oauth/token`. */
export function apiListener(server: FakeServer, checkHost: HostCheck): RequestListener {
  return createListener(server, checkHost, (target) => {
    if (target.startsWith(`${AUTH_PREFIX}/`))
      return { part: 'auth', target: target.slice(AUTH_PREFIX.length) }
    return { part: target.startsWith('/oauth/') ? 'auth' : 'api', target }
  })
}

export function documentsListener(server: FakeServer, checkHost: HostCheck): RequestListener {
  return createListener(server, checkHost, (target) => ({ part: 'documents', target }))
}

type Place = Pick<FakeRequest, 'part' | 'target'>

/**
 * Creates a listener that checks the Host header. The listener destroys the connection if it cannot read the request or
 * send the response.
 */
function createListener(
  server: FakeServer,
  checkHost: HostCheck,
  placeOf: (target: string) => Place,
): RequestListener {
  return (incoming, outgoing) => {
    const problem = checkHost(incoming)
    if (problem !== undefined) return misdirected(outgoing, problem)
    respond(server, placeOf(incoming.url ?? '/'), incoming, outgoing).catch(() => incoming.socket.destroy())
  }
}

/** Rejects a request for another host, without reading its body. */
function misdirected(outgoing: ServerResponse, problem: string): void {
  const { status, headers, body } = errorResponse(421, 'HOST_NOT_ALLOWED', problem)
  outgoing.writeHead(status, { ...headers, connection: 'close' }).end(body)
}

async function respond(
  server: FakeServer,
  place: Place,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const headers = readHeaders(incoming)
  const body = await readRequestBody(incoming, server.options.maxBodyBytes)
  const response = await server.handleRequest({ ...place, method: incoming.method ?? 'GET', headers, body })
  await writeResponse(incoming, outgoing, await compressed(server, headers, response), server.closed)
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
