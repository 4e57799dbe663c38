/**
 * A webhook endpoint that closes its server at SIGTERM. Then the process exits by itself; see
 * shutdown.test.ts.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'
import { SECRET } from '../verification/vectors.js'

const receiver = createWebhookReceiver({
  secret: SECRET,
  timeout: 1_000,
  on: {
    'referral.issued': async () => {
      console.log('begun')
      await new Promise((resolve) => setTimeout(resolve, 300))
    },
    '*': () => {
      console.log('begun')
      return new Promise(() => undefined)
    },
  },
  onError: () => undefined,
})
const server = createServer(receiver.node)
process.once('SIGTERM', () => server.close(() => console.log('closed')))
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`))
