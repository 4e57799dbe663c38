import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
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
  [
    'the document of a result',
    `results/${ASKED}`,
    result({ uuid: OTHER, resultAttachment: 'https://files.example.com/other.pdf' }),
    (client) => client.results.document(ASKED).bytes(),
  ],
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

describe('§4 the response contains another record than the requested one, such as from a broken cache', () => {
  it.each(READS)('%s: InvalidResponseError with strict validation', async (_, path, record, read) => {
    const server = await scripted(`GET /v1/${path}`, { json: record })
    const client = clientOf(server.origin, { responseValidation: 'strict' })
    const error = await rejection(read(client))
    expect(error).toMatchObject({ name: 'InvalidResponseError', reason: 'shape' })
    expect(String(error)).toContain('should be the requested one')
    expect(String(error)).not.toContain(OTHER)
  })

  it('without strict validation the client logs the difference once, and returns the record', async () => {
    const warnings: string[] = []
    const server = await scripted(`GET /v1/results/${ASKED}`, { json: result({ uuid: OTHER }) })
    const client = clientOf(server.origin, { logger: { warn: (text) => void warnings.push(String(text)) } })
    await client.results.retrieve(ASKED)
    await expect(client.results.retrieve(ASKED)).resolves.toMatchObject({ uuid: OTHER })
    expect(warnings).toEqual([expect.stringContaining('uuid should be the requested one')])
    expect(warnings.join()).not.toContain(OTHER)
  })

  it('without validation the record is returned', async () => {
    const server = await scripted(`GET /v1/results/${ASKED}`, { json: result({ uuid: OTHER }) })
    const client = clientOf(server.origin, { responseValidation: 'off' })
    await expect(client.results.retrieve(ASKED)).resolves.toMatchObject({ uuid: OTHER })
  })

  it.each([
    ['capitals', ASKED.toUpperCase()],
    ['white space', ` ${ASKED} `],
  ])('a record with %s is accepted', async (_, uuid) => {
    const server = await scripted(`GET /v1/results/${ASKED}`, { json: { ...result(), uuid } })
    const client = clientOf(server.origin, { responseValidation: 'strict' })
    await expect(client.results.retrieve(ASKED)).resolves.toMatchObject({ object: 'result' })
  })
})
