import { Agent, request as httpRequest } from 'undici/index.js'

import { safeHeaders } from '../server/journal.js'
import { sleep } from '../server/runtime.js'

/** A webhook delivery, ready to be sent (§6). */
export interface OutgoingDelivery {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact text that the signature covers. */
  readonly body: string
}

/** Outcome of one delivery attempt (§6). */
export interface DeliveryOutcome {
  /** `true` for a 2xx response within the time limit. */
  readonly delivered: boolean
  /** The receiver's HTTP status; `null` without a response. */
  readonly status: number | null
  /**
   * Reason for a missing response, such as `timeout`, `ECONNREFUSED` or the error of a receiver in this process; `null`
   * if there was a response.
   */
  readonly error: string | null
  /** Milliseconds of real time until the response or the error. */
  readonly durationMs: number
  /** The response's headers, names in lower case; empty without a response. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /**
   * The response's text, at most 4,096 characters. '' if the text does not arrive within 250 ms after the headers.
   * `null` without a response.
   */
  readonly responseBody: string | null
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array> | null
}

const NOTHING_RECEIVED = { responseHeaders: {}, responseBody: null }

/** Limits for the body of a receiver's response. A longer or slower body does not change the outcome. */
const MAX_RESPONSE_CHARACTERS = 4_096
const MAX_BODY_MS = 250
/** Maximum length of the reason for a missing response. */
const MAX_REASON_LENGTH = 200

/** Receives deliveries in this process, for example a webhook receiver's `fetch`. */
export type DeliveryReceiver = (request: Request) => Response | Promise<Response>

const KEEP_ALIVE_MS = 1_000

/** Sender of deliveries over HTTP, or to a receiver in this process (§6). */
export class DeliverySender {
  readonly #timeoutMs: () => number
  readonly #receivers = new Map<string, DeliveryReceiver>()
  readonly #running = new Set<AbortController>()
  #agent: Agent | undefined

  constructor(timeoutMs: () => number) {
    this.#timeoutMs = timeoutMs
  }

  /** Passes deliveries for `url` to `receiver` instead of the network. */
  receiveAt(url: string, receiver: DeliveryReceiver): void {
    // Without this check, deliveries would use the network if `receiver` is `undefined`.
    if (typeof receiver !== 'function') throw new TypeError('receiver must be a function')
    this.#receivers.set(new URL(url).href, receiver)
  }

  /** Makes one attempt. Does not follow redirects. Never rejects. */
  async send(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const startedAt = performance.now()
    const ended = new AbortController()
    this.#running.add(ended)
    const attempt = this.#attempt(delivery, ended.signal).catch((error: unknown) => reasonOf(error))
    const limit = sleep(this.#timeoutMs(), ended.signal).then(() => 'timeout')
    const outcome = await Promise.race([attempt, limit])
    const durationMs = performance.now() - startedAt
    const isText = typeof outcome === 'string'
    const responseBody = isText
      ? null
      : await Promise.race([textOf(outcome.body), sleep(MAX_BODY_MS, ended.signal).then(() => '')])
    ended.abort()
    this.#running.delete(ended)
    if (isText) return { delivered: false, status: null, error: outcome, durationMs, ...NOTHING_RECEIVED }
    const { status, headers } = outcome
    const delivered = status >= 200 && status < 300
    return { delivered, status, error: null, durationMs, responseHeaders: safeHeaders(headers), responseBody }
  }

  /** Ends the running attempts and closes the connections at once. */
  async close(): Promise<void> {
    for (const ended of this.#running) ended.abort()
    await this.#agent?.destroy()
    this.#agent = undefined
  }

  #attempt(delivery: OutgoingDelivery, signal: AbortSignal): Promise<Received> {
    const receiver = this.#receivers.get(new URL(delivery.url).href)
    return receiver === undefined
      ? this.#overNetwork(delivery, signal)
      : inProcess(receiver, delivery, signal)
  }

  async #overNetwork({ url, headers, body }: OutgoingDelivery, signal: AbortSignal): Promise<Received> {
    this.#agent ??= new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS })
    const response = await httpRequest(url, {
      dispatcher: this.#agent,
      method: 'POST',
      headers,
      body,
      signal,
    })
    response.body.on('error', () => undefined)
    const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
    return { status: response.statusCode, headers: Object.fromEntries(received), body: response.body }
  }
}

async function inProcess(
  receiver: DeliveryReceiver,
  { url, headers, body }: OutgoingDelivery,
  signal: AbortSignal,
): Promise<Received> {
  const response = await receiver(new Request(url, { method: 'POST', headers: { ...headers }, body, signal }))
  return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body }
}

/** Returns the first characters of a body, and discards the rest. */
async function textOf(body: Received['body']): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length >= MAX_RESPONSE_CHARACTERS) break
    }
  } catch {
    // A body that ends early does not change the outcome.
  }
  return text.slice(0, MAX_RESPONSE_CHARACTERS)
}

/** Returns the code of a network error, or the name and the message of any other error, such as a receiver's own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  const code = Reflect.get(error, 'code')
  return typeof code === 'string' ? code : `${error.name}: ${error.message}`.slice(0, MAX_REASON_LENGTH)
}
