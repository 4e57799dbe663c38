import fc from 'fast-check'
import type { ClientOptions, RequestOptions } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { referral, UUID } from '../../support/samples.js'
import { type Script, ScriptedServer } from '../../support/scripted-server.js'

async function setUp(route: string, reply: Script, options: ClientOptions = {}) {
  const server = await ScriptedServer.start()
  server.on(route, reply)
  return { server, client: clientOf(server.origin, options) }
}

it('a body of maxRequestBytes bytes is sent, and one of a byte more is rejected', async () => {
  const body = { text: 'é' }
  const { server, client } = await setUp('POST /v1/thing', { json: {} }, { maxRequestBytes: 13 })
  await client.request('POST', '/v1/thing', { body })
  const error = await rejection(client.request('POST', '/v1/thing', { body: { text: 'éa' } }))
  const message = expect.stringContaining('must be at most 13 bytes long as JSON')
  expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ field: undefined, message }] })
  expect(server.calls.map((call) => call.body)).toEqual([JSON.stringify(body)])
})

/** The error of a call with these headers, which is not sent. */
async function refusalOf(headers: unknown): Promise<unknown> {
  const { server, client } = await setUp('GET /v1/referrals/*', { json: referral() })
  const error = await rejection(client.referrals.retrieve(UUID, { headers } as RequestOptions))
  expect(server.requests).toHaveLength(0)
  return error
}

it.each([
  ...['Accept', 'accept-encoding', 'Authorization', 'connection', 'content-encoding', 'content-length'],
  ...['content-type', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'User-Agent'],
])('the header %s is set by the client', async (name) => {
  expect(await refusalOf({ [name]: 'x' })).toMatchObject({
    name: 'ConfigurationError',
    message: `headers must not set ${name}; the client reserves it`,
  })
})

const VALUE = 'must be a string of printable ASCII characters'

it.each<[unknown, string]>([
  ...['x-trace: 1', [], null].map((headers): [unknown, string] => [
    headers,
    'headers must be a plain object',
  ]),
  ...['x trace', '', 'x\r\ny', 'x:y'].map((name): [unknown, string] => [
    { [name]: '1' },
    'headers contains an invalid header name',
  ]),
  ...['a\r\nx-evil: 1', 'a\nb', 'a\0b', 'é', 7, undefined, ['a']].map((value): [unknown, string] => [
    { 'x-note': value },
    `headers.x-note ${VALUE}`,
  ]),
  ...['x-request-id', 'Tenant-Name', 'traceparent', 'TraceState', 'baggage'].map(
    (name): [unknown, string] => [{ [name]: 'é' }, `headers.${name} ${VALUE}`],
  ),
  // Any other name could be data that was passed by mistake.
  ...['tenant', '4x-tenant', 'x-tenant4', 'x-4tenant', 'mybaggage4', '4baggage', '-x', 'x-'].map(
    (name): [unknown, string] => [{ [name]: 'é' }, `a value in headers ${VALUE}`],
  ),
])('the headers %j are rejected: %s', async (headers, message) => {
  expect(await refusalOf(headers)).toMatchObject({ name: 'ConfigurationError', message })
})

it('requests that share a token have the headers of their own version, body and compression (property)', async () => {
  const server = await ScriptedServer.start()
  server.on('GET /v1/referrals/*', { json: referral() })
  server.on('GET /v1/vendors', { json: { vendors: [] } })
  server.on('PATCH /v1/referrals/*', { json: referral() })
  const { referrals, vendors } = clientOf(server.origin)
  const requests = fc.record({
    kind: fc.constantFrom('retrieve', 'update', 'list'),
    apiVersion: fc.constantFrom('1.0.0' as const, '1.1.0' as const),
    headers: fc.constantFrom({}, { 'x-tenant': 'north' }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 6 }), async (given) => {
      for (const { kind, ...options } of given) {
        if (kind === 'retrieve') await referrals.retrieve(UUID, options)
        else if (kind === 'update') await referrals.update(UUID, { metadata: {} }, options)
        else await vendors.list({}, options).firstPage()
      }
      const seen = server.calls
        .slice(-given.length)
        .map(({ headers }) => [
          ...[headers.accept, headers['content-type'], headers['accept-encoding'], headers['x-tenant']],
        ])
      expect(seen).toEqual(
        given.map(({ kind, apiVersion, headers }) => [
          `application/vnd.svc.v${apiVersion}+json`,
          kind === 'update' ? 'application/json' : undefined,
          kind === 'list' ? 'gzip' : 'identity',
          'x-tenant' in headers ? 'north' : undefined,
        ]),
      )
    }),
    { numRuns: 50 },
  )
})

it.each([
  [{}, ''],
  [{ partial: true }, '?partial'],
  [{ partial: false }, ''],
  [{ partial: undefined }, ''],
])('the flag of the endpoint of generated results follows %j (§4.1)', async (options, query) => {
  const { server, client } = await setUp(`PUT /v1/referrals/${UUID}`, { json: referral() })
  await client.referrals.generateResults(UUID, options)
  expect(server.calls[0]?.target).toBe(`/v1/referrals/${UUID}${query}`)
})
