import { setTimeout as sleep } from 'node:timers/promises'
import type { Endpoint } from '../../contract/endpoint.js'
import { SDK_DEFAULT_VERSION } from '../../contract/versions.js'
import { OperationError } from '../shared/terminal.js'
import type { DifferenceReport } from './report.js'

/** What a request of a check contains, besides the method and the path of its endpoint. */
export interface RequestContent {
  /** In place of the path's parameter. */
  readonly id?: string
  readonly query?: string | Readonly<Record<string, string | number>>
  readonly body?: unknown
  /** A body that is sent as it is, in place of `body` as JSON. */
  readonly raw?: string
  /** Version in the Accept header; `null` for a request without a version. Default: the newest version. */
  readonly version?: string | null
  /** Access token. With `null`, the request does not have a token. */
  readonly token?: string | null
  /** `true` when the request finds or deletes a record of the check. Such a request is sent even after Ctrl-C. */
  readonly isCleanUp?: boolean
}

export type Send = (endpoint: Endpoint, content?: RequestContent) => Promise<CheckResponse>

/** A completely read response. */
export interface CheckResponse {
  readonly status: number
  /** Media type without parameters; an empty string without the header. */
  readonly mediaType: string
  /** Parsed JSON; `undefined` if the body is not JSON. */
  readonly json: unknown
  readonly bytes: Uint8Array
}

export interface Connection {
  readonly baseUrl: string
  readonly report: DifferenceReport
  readonly signal: AbortSignal
}

/** Maximum time of one attempt of a GET request. */
const TIMEOUT_MS = 60_000
/** Maximum time of one attempt of any other request. An order can take longer than ten seconds. */
const WRITE_TIMEOUT_MS = 120_000
const MAX_ATTEMPTS = 4
/** Maximum pause before a retry, in seconds. A longer Retry-After is shortened to this pause. */
const MAX_PAUSE_S = 60
/** Time limit of a request after Ctrl-C that finds or deletes a record of the check. */
const CLEAN_UP_MS = 10_000

/** Sender of the requests of a check. It retries a GET after a 429 or a 5xx, and any other request only after a 429. */
export class Requester {
  readonly #connection: Connection
  readonly #token: string

  constructor(connection: Connection, token: string) {
    this.#connection = connection
    this.#token = token
  }

  /**
   * Sends a request. Ctrl-C aborts a GET, but no other request: without the response of a request that writes, a new
   * record could not be deleted. After Ctrl-C, only requests that clean up are sent.
   */
  readonly send: Send = async ({ id: name, method, path }, content = {}) => {
    const { report, baseUrl } = this.#connection
    const {
      id = '',
      query = {},
      body,
      raw = body === undefined ? undefined : JSON.stringify(body),
      version = SDK_DEFAULT_VERSION,
      token = this.#token,
    } = content
    const isAborted = this.#connection.signal.aborted
    const signal =
      isAborted && content.isCleanUp === true ? AbortSignal.timeout(CLEAN_UP_MS) : this.#connection.signal
    signal.throwIfAborted()
    const parameters = new URLSearchParams(
      typeof query === 'string'
        ? query
        : Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const search = parameters.size === 0 ? '' : `?${parameters}`
    report.countRequest(name)
    const filled = path.replace(/\{\w+\}/, encodeURIComponent(id))
    return exchange(`${baseUrl.replace(/\/+$/, '')}${filled}${search}`, {
      method,
      headers: {
        ...(version !== null && { accept: `application/vnd.svc.v${version}+json` }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(raw !== undefined && { 'content-type': 'application/json' }),
      },
      ...(raw !== undefined && { body: raw }),
      signal,
      isAbortable: method === 'GET' || isAborted,
    })
  }
}

/** Options of a request, including its signal. */
interface ExchangeInit extends RequestInit {
  readonly signal: AbortSignal
  /** `false`: the signal aborts only pauses, and not a request that was sent. Default: `true`. */
  readonly isAbortable?: boolean
}

/** Sends a request and reads the response. Retries after a 429, and after a 5xx of a GET. */
export async function exchange(url: string, init: ExchangeInit): Promise<CheckResponse> {
  const { method = 'GET', signal } = init
  for (let attempt = 1; ; attempt += 1) {
    const { response, retryAfter } = await sendOnce(url, init)
    const isTemporary = response.status === 429 || (method === 'GET' && response.status >= 500)
    if (!isTemporary || attempt === MAX_ATTEMPTS) return response
    const seconds = Number(retryAfter ?? Number.NaN)
    const pause = Number.isFinite(seconds) ? Math.min(seconds, MAX_PAUSE_S) * 1_000 : attempt * 250
    await sleep(pause, undefined, { signal })
  }
}

async function sendOnce(
  url: string,
  { isAbortable = true, signal, ...init }: ExchangeInit,
): Promise<{ readonly response: CheckResponse; readonly retryAfter: string | null }> {
  const limit = AbortSignal.timeout(init.method === 'GET' ? TIMEOUT_MS : WRITE_TIMEOUT_MS)
  const ends = isAbortable ? AbortSignal.any([signal, limit]) : limit
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: ends })
    return { response: await readResponse(response), retryAfter: response.headers.get('retry-after') }
  } catch (error) {
    if (signal.aborted) throw error
    throw new OperationError(
      'the service does not respond, or its response is incomplete. Run npx pathology doctor to find the cause',
    )
  }
}

async function readResponse(response: Response): Promise<CheckResponse> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { status: response.status, mediaType: type.trim().toLowerCase(), json: parse(bytes), bytes }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
