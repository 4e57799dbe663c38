import { once } from 'node:events'
import { createServer } from 'node:http'

import { createWebhookReceiver, type KnownEventName, type WebhookEvent } from 'pathology-sdk/webhooks'

const EVENT_NAMES = [
  'referral.issued',
  'referral.partial_results',
  'referral.complete',
] as const satisfies KnownEventName[]

/** A webhook receiver on a loopback port, which hands each verified event to whoever waits for it. */
export interface DemoReceiver extends AsyncDisposable {
  readonly url: string
  readonly eventNames: readonly KnownEventName[]
  /** The next event of that name about that referral. */
  next(name: KnownEventName, uuid: string): Promise<WebhookEvent>
}

const PATIENCE_MS = 10_000

export async function startReceiver(secret: string): Promise<DemoReceiver> {
  const arrived: WebhookEvent[] = []
  const waiting = new Set<() => void>()
  const receiver = createWebhookReceiver({
    secret,
    on: {
      '*': (event) => {
        arrived.push(event)
        for (const look of waiting) look()
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
        const giveUp = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`no ${name} arrived within ${PATIENCE_MS} ms`))
        }, PATIENCE_MS)
        const look = (): void => {
          const event = take(name, uuid)
          if (event === undefined) return
          waiting.delete(look)
          clearTimeout(giveUp)
          resolve(event)
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
