import * as sdk from 'pathology-sdk'
import * as testing from 'pathology-sdk/testing'
import * as webhooks from 'pathology-sdk/webhooks'
import { expect, it } from 'vitest'

import { runChecks } from './check.js'
import { clientChecks } from './client.js'
import { webhookChecks } from './webhooks.js'

it.each([...webhookChecks(webhooks), ...clientChecks({ sdk, testing, webhooks })])(
  '$title',
  async (check) => {
    expect(await runChecks([check])).toEqual([{ title: check.title }])
  },
)

it('a check of the matrix can fail', async () => {
  const unsigned = { ...webhooks, verifyWebhook: () => Promise.reject(new Error('not signed')) }
  const [outcome] = await runChecks(webhookChecks(unsigned))
  expect(outcome?.problem).toContain('not signed')
})
