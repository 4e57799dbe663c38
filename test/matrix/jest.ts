// Runs every check as a test of Jest, which has its own modules and no import(). Written as checks.test.js.
import * as sdk from 'pathology-sdk'
import * as testing from 'pathology-sdk/testing'
import * as webhooks from 'pathology-sdk/webhooks'

import { order } from '../support/samples.js'
import { same } from './check.js'
import { clientChecks } from './client.js'
import { webhookChecks } from './webhooks.js'

/** Globals of Jest. */
declare function test(title: string, run: () => unknown): void
declare const jest: {
  useFakeTimers(): void
  useRealTimers(): void
  advanceTimersByTimeAsync(delayMs: number): Promise<void>
}

for (const { title, run } of [...webhookChecks(webhooks), ...clientChecks({ sdk, testing, webhooks })]) {
  test(title, async () => {
    await run()
  })
}

for (const stepMs of [120_000, 100])
  test(`with fake timers and fake.fetch, a lost order is found in steps of ${stepMs} ms`, async () => {
    const fake = new testing.FakePathologyService({ centreCount: 10 })
    const client = new sdk.PathologyClient({
      ...fake.clientOptions(),
      dispatcher: undefined,
      fetch: fake.fetch,
    })
    await client.warmUp()
    fake.faults.next('POST /v1/referrals', { loseResponse: true })
    jest.useFakeTimers()
    const outcomes: unknown[] = []
    void client.referrals.create(order({ tests: ['ferritin'] })).then(
      ({ recovered }) => outcomes.push(recovered),
      (error: unknown) => outcomes.push(error),
    )
    for (let ms = 0; ms < 120_000; ms += stepMs) await jest.advanceTimersByTimeAsync(stepMs)
    jest.useRealTimers()
    same(outcomes.join(), 'true', 'the outcome')
    await client.close()
    await fake.close()
  })
