import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitWithin } from '../../common/time-limit.js'
import type { Change, Mirror } from '../../mirror/index.js'
import { OperationError } from '../shared/terminal.js'
import { MIRROR_VARIABLES } from './environment.js'
import { healthOf, isCopied } from './health.js'
import { statusPage } from './status-page.js'

export interface MirrorService {
  /** Address without a path. */
  readonly url: string
  close(): Promise<void>
}

/** Address to listen on, and the paths of the webhooks. */
export interface ServeOptions {
  readonly host: string
  readonly port: number
  /** Name of the organisation by the path of its webhooks; `undefined` without `PATHOLOGY_ORGANISATIONS`. */
  readonly webhooks: ReadonlyMap<string, string | undefined>
}

/** Number of changes on the status page. */
const SHOWN_CHANGES = 20

/**
 * Maximum response time of the database, in milliseconds. If the database responds later, `/healthz`, `/readyz`,
 * `/metrics` and `/status.json` respond with 503.
 */
const DATABASE_MS = 2_500

/** Time that running requests have to end when the service closes, in milliseconds. */
const CLOSE_MS = 2_500

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Serves `/webhooks` or `/webhooks/NAME` for each organisation, `/healthz`, `/readyz`, `/metrics`, and `/` with its data
 * in `/status.json`. The server listens before the database is ready: until then, senders of webhooks get a 503.
 */
export async function startService(
  mirror: Mirror,
  { host, port, webhooks }: ServeOptions,
): Promise<MirrorService> {
  const receivers = [...webhooks].map(([path, name]): [string, Handler] => [
    path,
    (name === undefined ? mirror.receiver : mirror.receiverOf(name)).node,
  ])
  const routes: Readonly<Record<string, Handler>> = {
    ...Object.fromEntries(receivers),
    '/healthz': async (_, response) => send(response, 200, 'application/json', await health(mirror)),
    '/readyz': async (_, response) => {
      const { code, body } = await readiness(mirror)
      send(response, code, 'application/json', body)
    },
    '/metrics': async (_, response) =>
      send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await withinLimit(mirror.metrics())),
    '/status.json': async (_, response) => send(response, 200, 'application/json', await statusJson(mirror)),
    '/': (_, response) => {
      const { html, policy } = statusPage()
      response.setHeader('content-security-policy', policy)
      send(response, 200, 'text/html; charset=utf-8', html)
    },
  }
  const server = createServer((request, response) => void handle(routes, request, response))
  await listen(server, host, port)
  return {
    url: addressOf(server, host),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })])
      server.closeAllConnections()
    },
  }
}

async function handle(
  routes: Readonly<Record<string, Handler>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (route === undefined) return send(response, 404, 'text/plain', 'Not found\n')
  if (!path.startsWith('/webhooks') && !isRead) return send(response, 405, 'text/plain', 'Use GET or HEAD\n')
  try {
    await route(request, response)
  } catch {
    if (!response.headersSent) send(response, 503, 'application/json', '{"status":"unavailable"}')
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

async function health(mirror: Mirror): Promise<string> {
  await withinLimit(mirror.status())
  return '{"status":"ok"}'
}

/**
 * Ready: the database responds, and the first backfill of each organisation has finished, so that the copy can be read.
 * An outage of the service does not count: the copy can still be read, and events must still be received.
 */
async function readiness(mirror: Mirror): Promise<{ readonly code: number; readonly body: string }> {
  const status = await withinLimit(mirror.status())
  const isReady = isCopied(status)
  const body = { status: isReady ? 'ready' : 'copying', state: healthOf(status).state }
  return { code: isReady ? 200 : 503, body: JSON.stringify(body) }
}

async function statusJson(mirror: Mirror): Promise<string> {
  const status = await withinLimit(mirror.status())
  const changes: object[] = []
  for await (const change of mirror.changes({ after: Math.max(0, status.position - SHOWN_CHANGES) })) {
    changes.push(summaryOf(change))
    if (changes.length === SHOWN_CHANGES) break
  }
  return JSON.stringify({ ...healthOf(status), ...status, changes: changes.reverse() })
}

/** Selects the fields of a change for the page. The record itself is not shown, only its UUID and status. */
function summaryOf({
  position,
  organisation,
  kind,
  uuid,
  action,
  source,
  recovered,
  status,
  changedAt,
}: Change): object {
  return { position, organisation, kind, uuid, action, source, recovered, status, changedAt }
}

function withinLimit<T>(work: Promise<T>): Promise<T> {
  const timeoutError = (): Error => new Error('the database did not respond in time')
  return waitWithin(work, { limitMs: DATABASE_MS, timeoutError })
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

/**
 * Converts an error of `listen`. The message names the variables that contain the address, because an invalid variable
 * is the usual cause.
 */
function listenError(error: Error, host: string, port: number): OperationError {
  const code: unknown = Reflect.get(error, 'code')
  const reason = code === 'EADDRINUSE' ? 'another program uses this port' : String(code)
  return new OperationError(
    `the mirror cannot listen on ${host}, port ${port}: ${reason}. The mirror was not started. Set ${MIRROR_VARIABLES.port} or ${MIRROR_VARIABLES.host}`,
  )
}

function addressOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
