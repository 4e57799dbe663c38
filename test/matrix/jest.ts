// Runs every check as a test of Jest, which has its own modules and no import(). Written as checks.test.js.
import * as sdk from 'pathology-sdk'
import * as testing from 'pathology-sdk/testing'
import * as webhooks from 'pathology-sdk/webhooks'

import { clientChecks } from './client.js'
import { webhookChecks } from './webhooks.js'

/** A global of Jest. */
declare function test(title: string, run: () => unknown): void

for (const { title, run } of [...webhookChecks(webhooks), ...clientChecks({ sdk, testing, webhooks })]) {
  test(title, async () => {
    await run()
  })
}
