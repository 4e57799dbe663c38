import { PathologyClient } from 'pathology-sdk'
import { FakePathologyService } from 'pathology-sdk/testing'
import { createWebhookReceiver } from 'pathology-sdk/webhooks'
import { exampleOrder } from '../support/orders.js'
import type { Serve } from './serve.js'

// npx tsx examples/receivers/main.ts express
const FRAMEWORKS: Readonly<Record<string, () => Promise<{ readonly serve: Serve }>>> = {
  node: () => import('./node.js'),
  express: () => import('./express.js'),
  fastify: () => import('./fastify.js'),
  hono: () => import('./hono.js'),
  next: () => import('./next.js'),
  nestjs: () => import('./nestjs.js'),
  lambda: () => import('./lambda.js'),
}

const name = process.argv[2] ?? 'node'
const load = Object.hasOwn(FRAMEWORKS, name) ? FRAMEWORKS[name] : undefined
if (load === undefined) throw new Error(`choose one of ${Object.keys(FRAMEWORKS).join(', ')}`)
const { serve } = await load()

await using fake = await FakePathologyService.start({ port: 0, allowLoopbackWebhooks: true })
await using client = new PathologyClient(fake.clientOptions())

const receiver = createWebhookReceiver({
  secret: fake.signingSecret,
  on: {
    'referral.issued': async ({ data: { uuid } }, { signal }) => {
      if (uuid === undefined) return
      const { status } = await client.referrals.retrieve(uuid, { signal })
      console.log(`referral.issued: the referral is ${status}`)
    },
    '*': ({ eventName }) => console.log(`${eventName}: received`),
  },
  onError: (_error, { outcome, status }) => console.log(`responded with ${status}: ${outcome}`),
})
const served = await serve(receiver)
if (served.handle !== undefined) fake.deliverTo(served.url, served.handle)
const { url } = await client.webhooks.create({
  url: served.url,
  events: ['referral.created', 'referral.issued'],
})
console.log(`${name} receives at ${url}`)

await client.referrals.create(exampleOrder({ tests: ['full-blood-count'] }))
await until(() => attempts('referral.issued').length === 1)

const issued = fake.deliveries.find(({ eventName }) => eventName === 'referral.issued')
fake.deliveries.resend(issued?.eventUuid ?? '')
await until(() => attempts('referral.issued').length === 2)
console.log('the duplicate got a response with 2xx, and the handler was not called again')

fake.deliveries.fault({ kind: 'bad-signature' })
fake.trigger('referral.issued')
await until(() => attempts('referral.issued').length === 3)

console.log(`statuses of the responses: ${attempts('referral.issued').join(', ')}`)
await served.close?.()

/** Returns the HTTP statuses of all responses to deliveries of an event. */
function attempts(event: string): unknown[] {
  return fake.deliveries
    .filter(({ eventName }) => eventName === event)
    .flatMap((delivery) => delivery.attempts.map(({ status }) => status))
    .filter((status) => status !== null)
}

async function until(condition: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 200 && !condition(); attempt += 1) {
    await fake.settled()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  if (!condition()) throw new Error('the delivery did not arrive')
}
