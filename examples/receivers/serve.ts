import { once } from 'node:events'
import type { Server } from 'node:http'
import type { WebhookReceiver } from 'pathology-sdk/webhooks'

/** An application that receives deliveries at `url`: a server, or a function `handle` that takes requests. */
export interface Served {
  readonly url: string
  readonly handle?: (request: Request) => Promise<Response> | Response
  readonly close?: () => Promise<unknown>
}

/** Creates an application of one framework with a receiver. */
export type Serve = (receiver: WebhookReceiver) => Promise<Served> | Served

/** URL for which the fake calls `handle`. */
export const FUNCTION_URL = 'https://functions.example.com/webhooks'

/** Starts a server of node:http on a free loopback port. */
export async function listen(server: Server): Promise<Served> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
