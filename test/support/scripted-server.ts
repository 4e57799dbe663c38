import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query exactly as received. */
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A response. Default status: 200. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  readonly bytes?: Uint8Array
  /** Resets the connection after the request was read: before the response, or within its body. */
  readonly reset?: 'before' | 'in-body'
  /** `before`: never responds. `in-body`: sends the headers and half the body, and never ends. */
  readonly hang?: 'before' | 'in-body'
  /** `true` omits the Content-Length. */
  readonly chunked?: boolean
  /** Awaited before the response. */
  readonly after?: Promise<unknown>
}

export type Script = Reply | ((request: SeenRequest, nth: number) => Reply | Promise<Reply>)

const TOKEN_ROUTE = 'POST /oauth/token'

/** A server on loopback that sends the given responses of each route in order; the last one repeats. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = []
  readonly #scripts = new Map<string, Script[]>()
  readonly #counts = new Map<string, number>()
  readonly #server: Server
  origin = ''

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  /** Starts a server that is closed when the test ends. */
  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer()
    const server = scripted.#server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    scripted.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(() => scripted.close())
    return scripted
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Returns the number of open connections. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  }

  /** @param route - Such as `GET /v1/referrals`; the last segment may be `*`. */
  on(route: string, ...replies: Script[]): this {
    this.#scripts.set(route, replies)
    this.#counts.delete(route)
    return this
  }

  /** The token requests. */
  get tokenRequests(): SeenRequest[] {
    return this.requests.filter((request) => routeOf(request) === TOKEN_ROUTE)
  }

  /** All requests except those for tokens. */
  get calls(): SeenRequest[] {
    return this.requests.filter((request) => routeOf(request) !== TOKEN_ROUTE)
  }

  /** Number of requests to a route, including those that matched `*`. */
  count(route: string): number {
    return this.#counts.get(route) ?? 0
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await read(request)
    this.requests.push(seen)
    const reply = await this.#reply(seen)
    await reply.after
    write(reply, request, response)
  }

  async #reply(seen: SeenRequest): Promise<Reply> {
    const exact = routeOf(seen)
    const route = this.#scripts.has(exact) ? exact : exact.replace(/[^/]*$/, '*')
    const nth = (this.#counts.get(route) ?? 0) + 1
    this.#counts.set(route, nth)
    const scripts = this.#scripts.get(route)
    const script = scripts?.[nth - 1] ?? scripts?.at(-1) ?? (exact === TOKEN_ROUTE ? token : undefined)
    if (script === undefined)
      return { status: 418, json: { error: true, code: 'NOT_SCRIPTED', message: exact } }
    return typeof script === 'function' ? script(seen, nth) : script
  }
}

function routeOf({ method, path }: SeenRequest): string {
  return `${method} ${path}`
}

/** Responds with the n-th token, valid for an hour, and with a refresh token that rotates (§5). */
export function token(_request: SeenRequest, nth: number): Reply {
  return {
    json: {
      access_token: accessToken(nth),
      refresh_token: refreshToken(nth),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_expires_in: 2_592_000,
    },
  }
}

export const accessToken = (nth: number): string => `canary-access-token-${nth}`
export const refreshToken = (nth: number): string => `canary-refresh-token-${nth}`

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const target = request.url ?? ''
  const [path = '', query] = target.split('?', 2)
  return {
    method: request.method ?? '',
    path,
    query: new URLSearchParams(query),
    target,
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function write(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (reply.reset === 'before') return void request.socket.resetAndDestroy()
  if (reply.hang === 'before') return
  const { status = 200, headers = {}, json, text, bytes } = reply
  const body = bytes ?? Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json)))
  const type = json === undefined ? {} : { 'content-type': 'application/json' }
  const length = reply.chunked === true ? {} : { 'content-length': String(body.byteLength) }
  response.writeHead(status, { ...type, ...length, ...headers })
  if (reply.reset === undefined && reply.hang === undefined) return void response.end(body)
  response.write(body.subarray(0, body.byteLength / 2), () => {
    if (reply.reset === 'in-body') request.socket.resetAndDestroy()
  })
}
