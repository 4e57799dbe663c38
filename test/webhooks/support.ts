import { createHmac, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import {
  createWebhookReceiver,
  type DedupeStore,
  type RawBody,
  verifyWebhook,
  verifyWebhookSync,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookReceiverOptions,
} from 'pathology-sdk/webhooks'
import { onTestFinished, vi } from 'vitest'
import type { Clock, Timer } from '../../src/common/clock.js'
import { SECRET } from './verification/vectors.js'

/** Signs with Node's own cryptography, never with the code under test. */
export function sign(body: string | Uint8Array, secret = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

export interface Fields {
  readonly [field: string]: unknown
}

/** An event's envelope as an object, unsigned. */
export function eventOf(fields: Fields = {}): { eventName: string; eventUuid: string } & Fields {
  return {
    eventName: 'referral.issued',
    eventUuid: randomUUID(),
    version: '1.0',
    data: { uuid: randomUUID(), status: 'ISSUED' },
    ...fields,
  }
}

/** A signed request's headers and body. */
export function deliveryOf(event: Fields | string = eventOf()): {
  method: string
  headers: Record<string, string>
  body: string
} {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-hmac-sha256': sign(body) },
    body,
  }
}

/** A receiver that keeps the events and the errors that it gets. */
export function seeingReceiver(options: Partial<WebhookReceiverOptions> = {}) {
  const seen: WebhookEvent[] = []
  const onError = vi.fn()
  const on = { '*': (event: WebhookEvent) => void seen.push(event) }
  return { receiver: createWebhookReceiver({ secret: SECRET, on, onError, ...options }), seen, onError }
}

/** A receiver with this handler for every event. */
export function receiverWith(handler: () => unknown, options: Partial<WebhookReceiverOptions> = {}) {
  return createWebhookReceiver({ secret: SECRET, on: { '*': handler }, onError: () => undefined, ...options })
}

export const outcomeOf = (response: { body: string }): string => JSON.parse(response.body).outcome

/** Runs without `node:crypto`, as on an edge runtime. */
export async function withoutNodeCrypto<T>(work: () => T | Promise<T>): Promise<T> {
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
  try {
    return await work()
  } finally {
    spy.mockRestore()
  }
}

type Arguments = [body: RawBody, headers: WebhookHeaders | string, secrets: string | readonly string[]]

/** Every verifying function, each as a promise. */
export const VERIFIERS = {
  'verifyWebhook by node:crypto': (...args: Arguments) => verifyWebhook(...args),
  'verifyWebhook by WebCrypto': (...args: Arguments) => withoutNodeCrypto(() => verifyWebhook(...args)),
  verifyWebhookSync: async (...args: Arguments) => verifyWebhookSync(...args),
} as const

export const verifiers = Object.entries(VERIFIERS)

/** The reason with which a promise rejects; `undefined` when it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

interface Pending {
  readonly at: number
  readonly callback: () => void
}

/** A clock that only a test advances. */
export class ManualClock implements Clock {
  #now = 0
  readonly #pending = new Set<Pending>()

  now = (): number => this.#now
  monotonic = (): number => this.#now

  schedule(callback: () => void, delayMs: number): Timer {
    const pending = { at: this.#now + delayMs, callback }
    this.#pending.add(pending)
    return { cancel: () => void this.#pending.delete(pending) }
  }

  get timers(): number {
    return this.#pending.size
  }

  /** Advances the time as in a busy process: timers run only at {@link advance}. */
  jump(ms: number): void {
    this.#now += ms
  }

  /** Advances the time and runs all timers that are due. */
  async advance(ms: number): Promise<void> {
    await settled()
    this.#now += ms
    for (const pending of [...this.#pending].sort((a, b) => a.at - b.at)) {
      if (pending.at > this.#now || !this.#pending.delete(pending)) continue
      pending.callback()
      await settled()
    }
    await settled()
  }
}

/** Waits until all promises that can settle have settled. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

/** A promise and the functions that resolve or reject it. */
export function deferred<T = void>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
} {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** Starts a server on a free loopback port, closed when the test ends. Returns its origin. */
export async function listening(server: Server): Promise<string> {
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return `http://127.0.0.1:${address.port}`
}

/** A store with the two required functions only, as a user may write it. */
export function plainStore() {
  const claimed = new Set<string>()
  return {
    claimed,
    claim: vi.fn(
      async (eventUuid: string, _ttlMs: number) => !claimed.has(eventUuid) && Boolean(claimed.add(eventUuid)),
    ),
    release: vi.fn(async (eventUuid: string) => void claimed.delete(eventUuid)),
  } satisfies DedupeStore & { claimed: Set<string> }
}
