// Runs every check with the package as one kind of module. Written as run.mjs and as run.cjs.
import * as sdk from 'pathology-sdk'
import * as testing from 'pathology-sdk/testing'
import * as webhooks from 'pathology-sdk/webhooks'

import { runChecks } from './check.js'
import { clientChecks } from './client.js'
import { webhookChecks } from './webhooks.js'

void runChecks([...webhookChecks(webhooks), ...clientChecks({ sdk, testing, webhooks })]).then((outcomes) => {
  console.log(JSON.stringify(outcomes))
})
