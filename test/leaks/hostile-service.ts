import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CANARIES } from '../support/canary-values.js'
import { referral } from '../support/samples.js'

/** A request, with all data about its sender. */
export interface HostileRequest {
  readonly method: string
  readonly target: string
  readonly authorization: string
  readonly body: string
}

/** Response of the service to a request. */
export interface HostileAnswer {
  readonly status?: number
  /** The reason phrase behind the status. */
  readonly statusText?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  /** `reset` and `hang` send no response, `cut` and `stall` end within it, `garbage` is not HTTP. */
  readonly fault?: 'reset' | 'hang' | 'cut' | 'stall' | 'garbage'
}

export type HostileScript = HostileAnswer | ((request: HostileRequest, nth: number) => HostileAnswer)

/** A service on loopback that repeats all data that it knows. It runs without a test runner. */
export class HostileService implements AsyncDisposable {
  readonly #scripts = new Map<string, HostileScript>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #count = 0
  origin = ''

  static async start(): Promise<HostileService> {
    const service = new HostileService()
    service.#server.listen(0, '127.0.0.1')
    await once(service.#server, 'listening')
    const address = service.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    service.origin = `http://127.0.0.1:${address.port}`
    return service
  }

  /** @param route - Method and path; `*` for all routes without a response of their own. */
  on(route: string, script: HostileScript): void {
    this.#scripts.set(route, script)
  }

  /** Removes every response. */
  clear(): void {
    this.#scripts.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const target = incoming.url ?? ''
    const request = {
      method: incoming.method ?? '',
      target,
      authorization: incoming.headers.authorization ?? '',
      body: Buffer.concat(chunks).toString(),
    }
    const route = `${request.method} ${target.split('?')[0]}`
    this.#count += 1
    const script = this.#scripts.get(route) ?? (route === TOKEN_ROUTE ? TOKEN : this.#scripts.get('*'))
    const answer = typeof script === 'function' ? script(request, this.#count) : script
    write(answer ?? confession(request, 418), incoming, response)
  }
}

export const TOKEN_ROUTE = 'POST /oauth/token'

const TOKEN: HostileAnswer = {
  json: {
    access_token: CANARIES.accessToken,
    refresh_token: CANARIES.refreshToken,
    token_type: 'Bearer',
    expires_in: 3_600,
    refresh_expires_in: 2_592_000,
  },
}

/** All data of the request and of the patient that the service knows. */
export function everything(request: HostileRequest): string {
  const record = JSON.stringify(referral({ orderingPractitionerClinicalNotes: CANARIES.clinicalNotes }))
  const { method, target, authorization, body } = request
  const canaries = Object.values(CANARIES).join(', ')
  return `${method} ${target} of ${authorization} with ${body} for ${record}: ${canaries}`
}

/** An error envelope (§7) with all of it in its message, its list and its fields. */
export function confession(
  request: HostileRequest,
  status: number,
  code = 'SOMETHING_NEW',
): HostileAnswer & { readonly json: object } {
  const names = Object.entries(CANARIES)
  return {
    status,
    json: {
      error: true,
      code,
      type: 'SomethingNew',
      message: everything(request),
      errorList: [
        everything(request),
        ...names.map(([name, canary]) => `${canary} is not a valid ${name} [field: ${name}.${canary}]`),
        ...names.map(([, canary]) => `Patient ${canary.toUpperCase()} exists already`),
      ],
    },
  }
}

/** The same data in a page of a proxy. */
export function page(request: HostileRequest, status: number): HostileAnswer {
  return {
    status,
    text: `<html><body>${everything(request)}</body></html>`,
    headers: { 'content-type': 'text/html' },
  }
}

const LOUD = Object.values(CANARIES).join(', ')

function write(answer: HostileAnswer, { socket }: IncomingMessage, response: ServerResponse): void {
  const {
    status = 200,
    statusText = LOUD,
    headers = {},
    json,
    text = JSON.stringify(json ?? {}),
    fault,
  } = answer
  if (fault === 'reset') socket.resetAndDestroy()
  if (fault === 'garbage') socket.end(`${text}\r\n\r\n`)
  if (fault === 'reset' || fault === 'garbage' || fault === 'hang') return
  const body = Buffer.from(text)
  response.writeHead(status, statusText, {
    'content-type': `application/json; charset="${CANARIES.lastName}"`,
    'content-length': body.byteLength,
    server: LOUD,
    'www-authenticate': `Bearer realm="${LOUD}"`,
    'x-request-id': LOUD,
    ...headers,
  })
  if (fault === undefined) return void response.end(body)
  response.write(body.subarray(0, body.byteLength / 2), () => {
    if (fault === 'cut') socket.end()
  })
}
