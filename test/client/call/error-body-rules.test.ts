import type { ClientOptions } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import { type Reply, ScriptedServer } from '../../support/scripted-server.js'
import { REFERRAL, refusal } from '../resources/reconciler-world.js'

const GET = `GET ${REFERRAL}`
const PUT = `PUT ${REFERRAL}`

async function setUp(route: string, reply: Reply, options: ClientOptions = {}) {
  const server = await ScriptedServer.start()
  server.on(route, reply)
  return { server, client: clientOf(server.origin, options) }
}

/** The error of a read that gets this response. */
async function readError(reply: Reply): Promise<unknown> {
  const { client } = await setUp(GET, reply, { maxRetries: 0 })
  return rejection(client.referrals.retrieve(UUID))
}

const sentTo = (origin: string): string =>
  `the request went to ${origin}/v1/referrals/{uuid}: check that baseUrl`

it.each<[string, Reply]>([
  ['no code', { status: 404, text: '<html>' }],
  ['an unknown code', refusal(404, 'NOT_FOUND')],
])('a 404 with %s asks to check baseUrl (§7)', async (_, reply) => {
  const { client, server } = await setUp(GET, reply)
  const message = String(await rejection(client.referrals.retrieve(UUID)))
  expect(message).toContain(`; ${sentTo(server.origin)} is the address of the API`)
})

it('a 404 to generated results says that only staging has this endpoint (§4.1)', async () => {
  const { client, server } = await setUp(PUT, refusal(404, 'NOT_FOUND'))
  const error = await rejection(client.referrals.generateResults(UUID))
  expect(error).toMatchObject({ name: 'NotFoundError', outcome: 'failed' })
  expect(String(error)).toContain(
    `; ${sentTo(server.origin)} is the address of the staging API, because production does not have this endpoint`,
  )
})

it.each([GET, PUT])('a 404 to %s of an unknown referral says that the record is missing', async (route) => {
  const { client } = await setUp(route, refusal(404, 'REFERRAL_NOT_FOUND'))
  const { referrals } = client
  const message = String(
    await rejection(route === GET ? referrals.retrieve(UUID) : referrals.generateResults(UUID)),
  )
  expect(message).toContain('the organisation has no referral with this id')
  expect(message).not.toMatch(/baseUrl|staging/)
})

it.each<[string, unknown, object]>([
  [
    'all parts',
    { code: 'A_NEW_RULE', message: 'm', errorList: ['x'] },
    { code: 'A_NEW_RULE', serviceMessage: 'm', errorList: ['x'] },
  ],
  [
    'parts of other types',
    { code: ['A_NEW_RULE'], message: 7, errorList: 'x' },
    { code: undefined, serviceMessage: undefined, errorList: [] },
  ],
  ['no part', {}, { code: undefined, serviceMessage: undefined, errorList: [] }],
  ['an inherited name', { toString: 1 }, { code: undefined, serviceMessage: undefined, errorList: [] }],
  ['a numeric code', { code: 123 }, { code: '123' }],
  ['a code that is text', { code: 'Alex Example' }, { code: undefined }],
  ['a code of digits', { code: '29518731251' }, { code: undefined }],
  ['a known code', { code: 'INVALID_PAYLOAD' }, { code: 'INVALID_PAYLOAD' }],
])('the parts of an error body with %s', async (_, json, facts) => {
  expect(await readError({ status: 400, json })).toMatchObject({ ...facts, bodyExcerpt: undefined })
})

it.each(['text', 'null', '7', '"text"', '[]', '[{"code":"A_NEW_RULE"}]'])(
  '%s is not an error body: it does not have a code, and its beginning is kept',
  async (text) => {
    const facts = { code: undefined, serviceMessage: undefined, errorList: [], bodyExcerpt: text }
    expect(await readError({ status: 400, text })).toMatchObject(facts)
  },
)

it("no word of the service's message or list is in the message, and code can read both", async () => {
  const texts = { message: 'the request is not valid', errorList: ['tests is required'] }
  const error = await readError({ status: 400, json: texts })
  expect(String(error)).toBe('BadRequestError: GET /v1/referrals/{uuid} returned 400: nothing was changed')
  expect(error).toMatchObject({ serviceMessage: texts.message, errorList: texts.errorList })
})

it('an error body of more than a million characters is not parsed', async () => {
  const sized = (length: number): string => '{"code":"INVALID_PAYLOAD"}'.padEnd(length)
  const limit = 1024 * 1024
  expect(await readError({ status: 400, text: sized(limit) })).toMatchObject({ code: 'INVALID_PAYLOAD' })
  expect(await readError({ status: 400, text: sized(limit + 1) })).toMatchObject({
    code: undefined,
    bodyExcerpt: sized(2_048),
  })
})
