import type { PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../support/clients.js'
import { referral, result } from '../support/samples.js'
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
  ['a centre', `collection-centres/${ASKED}`, { uuid: OTHER }, (client) => client.centres.retrieve(ASKED)],
  ['a webhook', 'webhooks/wh-1', { id: 'wh-2' }, (client) => client.webhooks.retrieve('wh-1')],
  [
    'a provider',
    `providers/${NUMBER}`,
    { providerNumber: '2122221J' },
    (client) => client.providers.retrieve(NUMBER),
  ],
]

async function scripted(route: string, ...replies: readonly Reply[]): Promise<ScriptedServer> {
  const server = await ScriptedServer.start()
  server.on(route, ...replies)
  return server
}

describe('§4 the response contains another record than the requested one, such as from a broken cache', () => {
  it.each(READS)('%s: InvalidResponseError, in every validation mode', async (_, path, record, read) => {
    for (const responseValidation of ['warn', 'strict', 'off'] as const) {
      const server = await scripted(`GET /v1/${path}`, { json: record })
      const client = clientOf(server.origin, { responseValidation, maxRetries: 0 })
      expect(await rejection(read(client))).toMatchObject({
        name: 'InvalidResponseError',
        reason: 'shape',
        outcome: 'failed',
      })
    }
  })

  it('a read is sent again, and returns the requested record', async () => {
    const [wrong, right] = [result({ uuid: OTHER }), result({ uuid: ASKED })]
    const server = await scripted(`GET /v1/results/${ASKED}`, { json: wrong }, { json: right })
    await expect(clientOf(server.origin).results.retrieve(ASKED)).resolves.toMatchObject({ uuid: ASKED })
  })

  it('an update is looked up, and is not sent twice', async () => {
    const updated = referral({ uuid: ASKED, status: 'SCHEDULED_REISSUE' })
    const person = { ...updated.person, phone: '0400 111 222' }
    const server = await scripted(`PATCH /v1/referrals/${ASKED}`, { json: referral({ uuid: OTHER }) })
    server.on(`GET /v1/referrals/${ASKED}`, { json: { ...updated, person } })
    const update = clientOf(server.origin).referrals.update(ASKED, { phone: '0400 111 222' })
    await expect(update).resolves.toMatchObject({ uuid: ASKED })
    expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1)
  })

  it.each([
    ['upper case', ASKED.toUpperCase()],
    ['no id', undefined],
  ])('a record with %s is accepted', async (_, uuid) => {
    const server = await scripted(`GET /v1/results/${ASKED}`, { json: { ...result(), uuid } })
    await expect(clientOf(server.origin).results.retrieve(ASKED)).resolves.toMatchObject({ object: 'result' })
  })
})
