import { once } from 'node:events'
import type { Server } from 'node:http'
import type { WebhookReceiver } from 'pathology-sdk/webhooks'

/** An application that receives at `url`. Without `handle` it listens there; with it, it is a function of requests. */
export interface Served {
  readonly url: string
  readonly handle?: (request: Request) => Promise<Response> | Response
  readonly close?: () => Promise<unknown>
}

/** Puts a receiver into an application of one framework. */
export type Serve = (receiver: WebhookReceiver) => Promise<Served> | Served

/** Where applications that are functions of requests pretend to be. */
export const FUNCTION_URL = 'https://functions.example.com/webhooks'

/** A server of node:http on a free port of this machine. */
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
