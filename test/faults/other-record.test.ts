import type { PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf } from '../support/clients.js'
import { provider, referral, result, webhook } from '../support/samples.js'
import { type Reply, ScriptedServer } from '../support/scripted-server.js'

const ASKED = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'
const OTHER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'
const NUMBER = '2426621B'

type Read = (client: PathologyClient) => Promise<unknown>

const READS: readonly (readonly [string, string, object, Read])[] = [
  [
    'a referral',
    `referrals/${ASKED}`,
    referral({ uuid: OTHER }),
    (client) => client.referrals.retrieve(ASKED),
  ],
  ['a result', `results/${ASKED}`, result({ uuid: OTHER }), (client) => client.results.retrieve(ASKED)],
  ['a webhook', 'webhooks/wh-1', webhook({ id: 'wh-2' }), (client) => client.webhooks.retrieve('wh-1')],
  [
    'a provider',
    `providers/${NUMBER}`,
    provider({ providerNumber: '2122221J' }),
    (client) => client.providers.retrieve(NUMBER),
  ],
]

async function scripted(route: string, ...replies: readonly Reply[]): Promise<ScriptedServer> {
  const server = await ScriptedServer.start()
  server.on(route, ...replies)
  return server
}

it.each(READS)(
  'another record than the requested one is logged once, without its identifier: %s (§4)',
  async (_, path, record, read) => {
    for (const responseValidation of ['warn', 'strict'] as const) {
      const warnings: string[] = []
      const logger = { warn: (text: unknown) => void warnings.push(String(text)) }
      const server = await scripted(`GET /v1/${path}`, { json: record })
      const client = clientOf(server.origin, { responseValidation, logger })
      await read(client)
      await read(client)
      expect(warnings).toEqual([expect.stringContaining('should be the requested one')])
      expect(warnings.join()).not.toContain(OTHER)
    }
  },
)

it('another record than the requested one is not logged without validation (§4)', async () => {
  const warnings: string[] = []
  const logger = { warn: (text: unknown) => void warnings.push(String(text)) }
  const server = await scripted(`GET /v1/results/${ASKED}`, { json: result({ uuid: OTHER }) })
  const client = clientOf(server.origin, { responseValidation: 'off', logger })
  await expect(client.results.retrieve(ASKED)).resolves.toMatchObject({ uuid: OTHER })
  expect(warnings).toEqual([])
})
