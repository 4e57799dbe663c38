// The checks of `pathology-sdk/webhooks` in a Worker: bundled with the entry, without any module of Node.
import * as webhooks from 'pathology-sdk/webhooks'

import { runChecks } from './check.js'
import { webhookChecks } from './webhooks.js'

export default {
  fetch: async (): Promise<Response> => Response.json(await runChecks(webhookChecks(webhooks))),
}
