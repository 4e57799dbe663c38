import { once } from 'node:events'
import { createServer } from 'node:http'

import { createWebhookReceiver, type KnownEventName, type WebhookEvent } from 'pathology-sdk/webhooks'

const EVENT_NAMES = [
  'referral.issued',
  'referral.partial_results',
  'referral.complete',
] as const satisfies KnownEventName[]

/** A webhook receiver on a loopback port. `next` returns the verified events. */
export interface DemoReceiver extends AsyncDisposable {
  readonly url: string
  readonly eventNames: readonly KnownEventName[]
  /** Waits for the next event with this name about this referral. */
  next(name: KnownEventName, uuid: string): Promise<WebhookEvent>
}

const TIMEOUT_MS = 10_000

export async function startReceiver(secret: string): Promise<DemoReceiver> {
  const arrived: WebhookEvent[] = []
  const waiting = new Set<() => void>()
  const receiver = createWebhookReceiver({
    secret,
    on: {
      '*': (event) => {
        arrived.push(event)
        for (const check of waiting) check()
      },
    },
  })
  const server = createServer(receiver.node)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port')

  const take = (name: string, uuid: string): WebhookEvent | undefined => {
    const index = arrived.findIndex(({ eventName, data }) => eventName === name && data['uuid'] === uuid)
    return index === -1 ? undefined : arrived.splice(index, 1)[0]
  }
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    eventNames: EVENT_NAMES,
    next: (name, uuid) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check)
          reject(new Error(`no ${name} arrived within ${TIMEOUT_MS} ms`))
        }, TIMEOUT_MS)
        const check = (): void => {
          const event = take(name, uuid)
          if (event === undefined) return
          waiting.delete(check)
          clearTimeout(timer)
          resolve(event)
        }
        waiting.add(check)
        check()
      }),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
