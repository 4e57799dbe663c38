import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import { jsonOf } from '../../contract/read.js'
import type { FakeCore } from '../core/fake-core.js'
import { createPaths } from '../server/router.js'
import { type RealTimer, startTimer } from '../server/runtime.js'
import { isLoopbackHost } from '../transports/allowed-hosts.js'
import { readRequestBody } from '../transports/http-request.js'
import type { ControlAction, ControlInput } from './control-action.js'

export interface ConsoleAsset {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Parts of a fake that the control API serves. */
export interface ControlParts {
  readonly core: FakeCore
  readonly actions: readonly ControlAction[]
  /** Finds a file of the console page by its path; `/` is the page itself. */
  readonly asset: (path: string) => Promise<ConsoleAsset | undefined>
}

const CHANGES_PATH = '/changes'
/** Maximum size of a request body. It is high, because a body can be the snapshot of a fake with many referrals. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024
/** Minimum time between two change events, so that a busy fake does not overload its console. */
const CHANGE_INTERVAL_MS = 100

/**
 * Serves the control API. `GET /` lists the actions; a browser gets the console instead. Only requests from this
 * machine are accepted, and none that a web page of another origin sends through the user's browser, except reads
 * without an Origin header, whose responses the page can't see.
 */
export function controlListener(parts: ControlParts): RequestListener {
  const paths = createPaths(parts.actions)
  return (incoming, response) => {
    serve(parts, paths, incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      if (!response.headersSent) send(response, 400, { error: true, message })
    })
  }
}

async function serve(
  parts: ControlParts,
  paths: ReturnType<typeof createPaths<ControlAction>>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost')
  if (!isFromThisMachine(incoming)) {
    return send(response, 403, {
      error: true,
      message:
        'the control API rejected this request: its Host is not localhost or a loopback address, or a page of another origin sent the request; send the request to 127.0.0.1 from a program on this machine',
    })
  }
  if (incoming.method === 'GET') {
    if (pathname === CHANGES_PATH) return streamChanges(parts.core, response)
    const asset = wantsPage(incoming, pathname) ? await parts.asset(pathname) : undefined
    if (asset !== undefined) return sendAsset(response, asset)
    if (pathname === '/') return send(response, 200, listing(parts))
  }
  const found = paths(pathname)
  const action = found?.rows.get(incoming.method ?? 'GET')
  if (found === undefined || action === undefined) {
    return send(response, 404, {
      error: true,
      message: `the control API has no ${incoming.method} ${pathname}; GET / lists its actions`,
    })
  }
  const body = await readBody(incoming, action)
  checkQuery(action, searchParams)
  const input = { params: found.params, query: searchParams, body }
  send(response, 200, (await action.run(parts.core, input)) ?? {})
}

function listing({ core, actions }: ControlParts): unknown {
  const changes = {
    method: 'GET',
    path: CHANGES_PATH,
    description:
      'server-sent events: sends a `change` event at the start, and after requests, actions, scheduled jobs and delivery attempts that can change data',
  }
  const rows = actions.map(({ method, path, description, body }) => ({
    method,
    path,
    description,
    ...(body === undefined ? {} : { body }),
  }))
  const { api, auth } = core.origins
  return { baseUrl: api, authUrl: auth, controlUrl: core.controlUrl, actions: [...rows, changes] }
}

/** Rejects a query in a request that changes data: the action reads its input from the body only. */
function checkQuery({ method }: ControlAction, query: URLSearchParams): void {
  if (method === 'GET' || query.size === 0) return
  const names = [...new Set(query.keys())].join(', ')
  throw new RangeError(`this action does not read a query: pass ${names} in the JSON body`)
}

async function readBody(
  incoming: IncomingMessage,
  { body: fields = {} }: ControlAction,
): Promise<ControlInput['body']> {
  const text = Buffer.from(await readRequestBody(incoming, MAX_BODY_BYTES)).toString('utf8')
  const body = text.trim() === '' ? {} : jsonOf(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RangeError('the body must be a JSON object')
  }
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length > 0) {
    throw new RangeError(
      `unknown fields ${unknown.join(', ')}; fields of this action: ${Object.keys(fields).join(', ') || 'none'}`,
    )
  }
  return { ...body }
}

/**
 * Returns `true` when a request has a loopback Host and no foreign Origin. A page of another origin sends its own
 * Origin with every request that changes data, and with every request whose response the page can read.
 */
function isFromThisMachine({ headers }: IncomingMessage): boolean {
  const host = headers.host ?? ''
  const { origin } = headers
  return isLoopbackHost(host) && (origin === undefined || origin === `http://${host}`)
}

function wantsPage({ headers }: IncomingMessage, path: string): boolean {
  return path !== '/' || (headers.accept ?? '').includes('text/html')
}

/**
 * Sends a server-sent event at the start, and again when data may have changed.
 */
function streamChanges(core: FakeCore, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  let number = 0
  let timer: RealTimer | undefined
  const write = (): void => {
    timer = undefined
    number += 1
    const requests = core.state.server.requests.count
    const data = JSON.stringify({ number, now: core.context.clock.iso(), requests })
    response.write(`event: change\nid: ${number}\ndata: ${data}\n\n`)
  }
  const end = core.subscribe(() => {
    timer ??= startTimer(write, CHANGE_INTERVAL_MS, false)
  })
  response.once('close', () => {
    end()
    timer?.cancel()
  })
  write()
}

function sendAsset(response: ServerResponse, { headers, body }: ConsoleAsset): void {
  response.writeHead(200, headers).end(body)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}
