import { Agent, request as httpRequest } from 'undici/index.js'

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
  /** Why there was no response, such as `timeout` or `ECONNREFUSED`; `null` when there was one. */
  readonly error: string | null
  /** Milliseconds of real time until the response. */
  readonly durationMs: number
}

/** Receives deliveries in this process, for example a webhook receiver's `fetch`. */
export type DeliveryReceiver = (request: Request) => Response | Promise<Response>

const KEEP_ALIVE_MS = 1_000

/** Sends deliveries over HTTP, or to a receiver in this process (§6). */
export class DeliverySender {
  readonly #timeoutMs: number
  readonly #receivers = new Map<string, DeliveryReceiver>()
  #agent: Agent | undefined

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Passes deliveries for `url` to `receiver` instead of the network. */
  receiveAt(url: string, receiver: DeliveryReceiver): void {
    this.#receivers.set(new URL(url).href, receiver)
  }

  /** Makes one attempt. Never rejects. Redirects are not followed. */
  async send(delivery: OutgoingDelivery): Promise<DeliveryOutcome> {
    const startedAt = performance.now()
    const ended = new AbortController()
    const attempt = this.#attempt(delivery, ended.signal).catch((error: unknown) => errorWord(error))
    const limit = sleep(this.#timeoutMs, ended.signal).then(() => 'timeout')
    const outcome = await Promise.race([attempt, limit])
    ended.abort()
    const durationMs = performance.now() - startedAt
    if (typeof outcome === 'string') return { delivered: false, status: null, error: outcome, durationMs }
    return { delivered: outcome >= 200 && outcome < 300, status: outcome, error: null, durationMs }
  }

  /** Closes the connections at once. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
    this.#agent = undefined
  }

  #attempt(delivery: OutgoingDelivery, signal: AbortSignal): Promise<number> {
    const receiver = this.#receivers.get(new URL(delivery.url).href)
    return receiver === undefined
      ? this.#overNetwork(delivery, signal)
      : inProcess(receiver, delivery, signal)
  }

  async #overNetwork({ url, headers, body }: OutgoingDelivery, signal: AbortSignal): Promise<number> {
    this.#agent ??= new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS })
    const response = await httpRequest(url, {
      dispatcher: this.#agent,
      method: 'POST',
      headers,
      body,
      signal,
    })
    response.body.on('error', () => undefined)
    response.body.resume()
    return response.statusCode
  }
}

async function inProcess(
  receiver: DeliveryReceiver,
  { url, headers, body }: OutgoingDelivery,
  signal: AbortSignal,
): Promise<number> {
  const response = await receiver(new Request(url, { method: 'POST', headers: { ...headers }, body, signal }))
  return response.status
}

function errorWord(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  const code = Reflect.get(error, 'code')
  return typeof code === 'string' ? code : error.name
}
