import { PathologyClient } from 'pathology-sdk'
import type { Mirror } from 'pathology-sdk/mirror'
import { FakePathologyService } from 'pathology-sdk/testing'
import { exampleOrder } from './orders.js'

const URL = 'https://clinic.example/webhooks'

/** A fake service and its client, for the examples of the mirror. */
export interface MirrorService extends AsyncDisposable {
  readonly client: PathologyClient
  readonly secret: string
  /** Orders tests, and completes their results. The mirror receives the events. */
  completeResults(mirror: Mirror, count: number): Promise<void>
}

/** Starts a fake without referrals and results, and creates a client. */
export async function startMirrorService(): Promise<MirrorService> {
  const fake = await FakePathologyService.start({ port: 0, seedReferrals: 0, centreCount: 10 })
  const client = new PathologyClient(fake.clientOptions())
  const sendEvents = async (): Promise<void> => {
    await fake.clock.advance({ seconds: 1 })
    await fake.settled()
  }
  return {
    client,
    secret: fake.signingSecret,
    async completeResults(mirror, count) {
      fake.deliverTo(URL, (request) => mirror.receiver.fetch(request))
      await client.webhooks.create({ url: URL, events: ['result.created', 'result.complete'] })
      for (let n = 1; n <= count; n += 1)
        await client.referrals.create(exampleOrder({ referenceNumber: `mirror-${n}`, tests: ['tsh'] }))
      await sendEvents()
      for (const { uuid } of fake.referrals.all()) fake.referrals.complete(uuid)
      await sendEvents()
    },
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await fake.close()
    },
  }
}
