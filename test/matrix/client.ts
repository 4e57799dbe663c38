import { createServer } from 'node:http'
import type * as Sdk from 'pathology-sdk'
import type * as Testing from 'pathology-sdk/testing'
import type * as Webhooks from 'pathology-sdk/webhooks'

import { order } from '../support/samples.js'
import { type Check, failure, same } from './check.js'

/** The package's entries, loaded as one kind of module. */
export interface Entries {
  readonly sdk: typeof Sdk
  readonly testing: typeof Testing
  readonly webhooks: typeof Webhooks
}

/** The client and the fake: for every runtime that has Node's modules. */
export function clientChecks({ sdk, testing, webhooks }: Entries): Check[] {
  const { PathologyClient } = sdk
  const { FakePathologyService } = testing
  const start = (): Promise<Testing.FakePathologyService> =>
    FakePathologyService.start({ port: 0, centreCount: 60, allowLoopbackWebhooks: true })
  return [
    {
      title: 'a client orders over HTTP, waits for the PDF, and reads it',
      run: async () => {
        await using fake = await start()
        await using client = new PathologyClient(fake.clientOptions())
        await client.warmUp()
        await placesAnOrder(client)
      },
    },
    {
      title: 'a client orders over HTTP by a fetch function',
      run: async () => {
        await using fake = await start()
        await using client = new PathologyClient({ ...fake.clientOptions(), fetch: globalThis.fetch })
        await placesAnOrder(client)
      },
    },
    {
      title: 'a client orders from a fake in the same process',
      run: async () => {
        const fake = new FakePathologyService({ centreCount: 10 })
        await using client = new PathologyClient(fake.clientOptions())
        await placesAnOrder(client)
      },
    },
    {
      title: 'a client lists page by page, repeats after 503, and knows its errors',
      run: async () => {
        await using fake = await start()
        await using client = new PathologyClient(fake.clientOptions())
        fake.faults.next('GET /v1/collection-centres', { status: 503 })
        const centres = await client.centres.list({ count: 7 }).toArray({ limit: 20 })
        same(centres.length, 20, 'the number of centres')
        const error = await failure(() => client.referrals.retrieve('00000000-0000-4000-8000-000000000000'))
        same(error instanceof sdk.NotFoundError && error.code, 'REFERRAL_NOT_FOUND')
        same(webhooks.isPathologyError(error), true, 'entries share their errors')
        fake.faults.next('GET /v1/vendors', { stall: 'headers' })
        const late = await failure(() => client.vendors.list({}, { timeout: 300 }).toArray())
        same(late instanceof sdk.TimeoutError, true, 'a TimeoutError')
        const signal = AbortSignal.abort(new Error('enough'))
        same(String(await failure(() => client.vendors.list({}, { signal }).toArray())), 'Error: enough')
      },
    },
    { title: 'a receiver gets a delivery by node:http', run: async () => receives(await start(), webhooks) },
  ]
}

async function placesAnOrder(client: Sdk.PathologyClient): Promise<void> {
  const placed = await client.referrals.create(order({ tests: ['ferritin'] }))
  const [{ uuid }] = placed.referrals
  const issued = await client.referrals.waitFor(uuid, { status: 'ISSUED' })
  same(issued.status, 'ISSUED')
  const pdf = await client.referrals.document(uuid).bytes()
  same(new TextDecoder().decode(pdf.subarray(0, 5)), '%PDF-', 'the start of the document')
}

async function receives(
  fake: Testing.FakePathologyService,
  { createWebhookReceiver }: typeof Webhooks,
): Promise<void> {
  const arrived: string[] = []
  const receiver = createWebhookReceiver({
    secret: fake.signingSecret,
    on: { '*': ({ eventName }) => void arrived.push(eventName) },
  })
  const server = createServer(receiver.node)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const url = `http://127.0.0.1:${port}/webhooks`
    fake.webhooks.createInPortal({ url, events: ['result.updated'] })
    fake.trigger('result.updated')
    await fake.settled()
    same(arrived, ['result.updated'])
    same(fake.deliveries[0]?.status, 'delivered')
  } finally {
    server.close()
    server.closeAllConnections()
    await fake.close()
  }
}
