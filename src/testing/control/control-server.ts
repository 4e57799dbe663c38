import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import { CONSOLE_ACTIONS } from '../console/actions.js'
import { bodyOf } from '../transports/http-request.js'
import type { ControlAction, ControlInput, ControlTarget } from './control-action.js'
import { DRIVER_ACTIONS } from './control-drivers.js'
import { streamChanges } from './control-stream.js'
import { KERNEL_ACTIONS } from './service-actions.js'

/** Everything that the control interface does. */
export const CONTROL_ACTIONS: readonly ControlAction[] = [
  ...KERNEL_ACTIONS,
  ...DRIVER_ACTIONS,
  ...CONSOLE_ACTIONS,
]

/** A file of the console page. */
export interface ConsoleAsset {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Finds a file of the console page by its path; `/` is the page itself. */
export type ConsoleAssets = (path: string) => ConsoleAsset | undefined

const CHANGES_PATH = '/changes'
/** A snapshot of a fake with many referrals is large. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i

/**
 * Serves the control interface: `GET /` lists what there is, or shows the console to a browser. It is for this
 * machine only, and refuses what a page of another origin could make a browser send.
 */
export function controlListener(target: ControlTarget, assets: ConsoleAssets): RequestListener {
  return (incoming, response) => {
    serve(target, assets, incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      if (!response.headersSent) send(response, 400, { error: true, message })
    })
  }
}

async function serve(
  target: ControlTarget,
  assets: ConsoleAssets,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost')
  if (!isFromHere(incoming))
    return send(response, 403, { error: true, message: 'the control interface is local' })
  if (incoming.method === 'GET') {
    if (pathname === CHANGES_PATH) return streamChanges(target, response)
    const asset = wantsPage(incoming, pathname) ? assets(pathname) : undefined
    if (asset !== undefined) return sendAsset(response, asset)
    if (pathname === '/') return send(response, 200, listing(target))
  }
  const found = findAction(incoming.method ?? 'GET', pathname)
  if (found === undefined) {
    return send(response, 404, {
      error: true,
      message: `no ${incoming.method} ${pathname}; GET / lists what there is`,
    })
  }
  const input = { params: found.params, query: searchParams, body: await readBody(incoming, found.action) }
  send(response, 200, (await found.action.run(target, input)) ?? {})
}

function listing({ fake }: ControlTarget): unknown {
  const { baseUrl, authUrl, controlUrl } = fake
  const changes = {
    method: 'GET',
    path: CHANGES_PATH,
    description:
      'a stream of server-sent events: one `change` after every step that may have changed something',
  }
  const actions = CONTROL_ACTIONS.map(({ method, path, description, body }) => ({
    method,
    path,
    description,
    ...(body === undefined ? {} : { body }),
  }))
  return { baseUrl, authUrl, controlUrl, actions: [...actions, changes] }
}

function findAction(
  method: string,
  path: string,
): { readonly action: ControlAction; readonly params: ControlInput['params'] } | undefined {
  const given = path.split('/')
  for (const action of CONTROL_ACTIONS) {
    const params = action.method === method ? matchPath(action.path.split('/'), given) : undefined
    if (params !== undefined) return { action, params }
  }
  return undefined
}

function matchPath(wanted: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = decodeURIComponent(given[index] ?? '')
    if (part.startsWith('{') && value !== '') params[part.slice(1, -1)] = value
    else if (part !== value) return undefined
  }
  return params
}

async function readBody(
  incoming: IncomingMessage,
  { body: fields = {} }: ControlAction,
): Promise<ControlInput['body']> {
  const text = Buffer.from(await bodyOf(incoming, MAX_BODY_BYTES)).toString('utf8')
  const body: unknown = text.trim() === '' ? {} : JSON.parse(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RangeError('the body must be a JSON object')
  }
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length > 0) {
    throw new RangeError(
      `unknown fields ${unknown.join(', ')}; there are ${Object.keys(fields).join(', ') || 'none'}`,
    )
  }
  return { ...body }
}

/** A page of another origin cannot name this host, nor leave its own origin out of a request that changes something. */
function isFromHere({ headers }: IncomingMessage): boolean {
  const host = headers.host ?? ''
  const { origin } = headers
  return LOOPBACK_HOST.test(host) && (origin === undefined || origin === `http://${host}`)
}

function wantsPage({ headers }: IncomingMessage, path: string): boolean {
  return path !== '/' || (headers.accept ?? '').includes('text/html')
}

function sendAsset(response: ServerResponse, { headers, body }: ConsoleAsset): void {
  response.writeHead(200, headers).end(body)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}
