import type { ClientOptions, PathologyClient } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { bytes, head, RawServer } from '../../faults/raw-server.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order, page, referral, UUID } from '../../support/samples.js'
import { type Reply, type Script, ScriptedServer } from '../../support/scripted-server.js'

const ROUTE = `GET /v1/referrals/${UUID}`

async function setUp(route: string, replies: readonly Script[], options: ClientOptions = {}) {
  const server = await ScriptedServer.start()
  server.on(route, ...replies)
  const warnings: string[] = []
  const logger = { warn: (line: string) => warnings.push(line) }
  return { server, warnings, client: clientOf(server.origin, { logger, ...options }) }
}

const truncated = ['{', '[', ' \n{"a":1', '[1,', '[{"a":1}', '{"a', '{"a":"b\\\\\\"}', '{}x']
const invalid = ['x', 'x{', '"text', '"x{']

it.each([
  ...truncated.map((text) => [text, 'truncated'] as const),
  ...invalid.map((text) => [text, 'not-json'] as const),
])('the body %j is %s', async (text, reason) => {
  const { client, server } = await setUp(ROUTE, [{ text }], { maxRetries: 0 })
  const error = await rejection(client.referrals.retrieve(UUID))
  expect(error).toMatchObject({ name: 'InvalidResponseError', reason, status: 200, outcome: 'failed' })
  const asked = `${server.origin}/v1/referrals/{uuid}`
  const end =
    reason === 'truncated'
      ? 'the response is truncated; call again'
      : `the response is not JSON; the request went to ${asked}: check that baseUrl is the address of the API`
  expect(String(error)).toBe(`InvalidResponseError: GET /v1/referrals/{uuid} at ${server.origin}: ${end}`)
})

it.each<[string, Reply]>([
  ['with the media type of HTML', { json: {}, headers: { 'content-type': 'text/html; charset=utf-8' } }],
  ['without a media type', { text: '\n<!doctype html><title>Welcome</title>' }],
])(
  'the error of a page for browsers %s says what was asked where, and to check baseUrl',
  async (_, reply) => {
    const server = await ScriptedServer.start()
    server.on('GET /app/v1/referrals/*', reply).on('GET /app/v1/referrals', reply)
    server.on('POST /app/v1/referrals', reply)
    const client = clientOf(server.origin, { baseUrl: `${server.origin}/app` })
    const asked = (path: string): string =>
      `the response is not JSON (it is a page for browsers); the request went to ${server.origin}/app${path}: ` +
      'check that baseUrl is the address of the API'
    expect(String(await rejection(client.referrals.retrieve(UUID)))).toContain(asked('/v1/referrals/{uuid}'))
    for (const options of [{}, { orderKey: 'visit-1' }]) {
      const error = await rejection(client.referrals.create(order(), options))
      expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
      expect(String(error)).toContain(asked('/v1/referrals'))
    }
  },
)

it.each(['', '"Welcome"', '42', 'null'])(
  'an order whose 2xx response is %j says which address to check',
  async (text) => {
    const { client, server } = await setUp('POST /v1/referrals', [{ text }], { orderRecoveryTimeout: 0 })
    server.on('GET /v1/referrals', { json: { referrals: [] } })
    const error = await rejection(client.referrals.create(order()))
    expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
    expect(String(error)).toContain(`the request went to ${server.origin}/v1/referrals: check that baseUrl`)
  },
)

it.each(['application/json; profile=text/html', 'text/html5', 'application/xhtml+xml2'])(
  'JSON with the content type %s is read',
  async (type) => {
    const reply = { json: referral({ uuid: UUID }), headers: { 'content-type': type } }
    const { client } = await setUp(ROUTE, [reply])
    await expect(client.referrals.retrieve(UUID)).resolves.toEqual(reply.json)
  },
)

it('white space in a response to request() is undefined', async () => {
  const { client } = await setUp('GET /v1/thing', [{ text: ' \r\n' }])
  await expect(client.request('GET', '/v1/thing')).resolves.toBeUndefined()
})

it.each<[Record<string, string>, string | undefined]>([
  [{ 'x-request-id': 'r-1', 'x-correlation-id': 'c-2', 'request-id': 'q-3' }, 'r-1'],
  [{ 'x-correlation-id': 'c-2', 'request-id': 'q-3' }, 'c-2'],
  [{ 'request-id': 'q-3' }, 'q-3'],
  [{ 'x-request-id': UUID }, UUID],
  [{ 'x-request-id': `a1${'-'.repeat(126)}` }, `a1${'-'.repeat(126)}`],
  [{ 'x-request-id': '1_a:b/c+d=e.f' }, '1_a:b/c+d=e.f'],
  ...['Quarrington', '0491570156', '1961-07-23', 'r 1', '(r-1', 'r-1)', `a1${'-'.repeat(127)}`, ''].map(
    (id): [Record<string, string>, undefined] => [{ 'x-request-id': id }, undefined],
  ),
])(
  'the request ID of a response with %j is %j, because only the shape of an ID is shown',
  async (headers, id) => {
    const { client } = await setUp(ROUTE, [
      { json: referral({ uuid: UUID }), headers },
      { status: 400, headers },
    ])
    expect((await client.referrals.retrieve(UUID).withResponse()).response.requestId).toBe(id)
    expect(await rejection(client.referrals.retrieve(UUID))).toHaveProperty('requestId', id)
  },
)

const MIB = 1024 * 1024
const CALLS: Readonly<Record<string, (client: PathologyClient) => PromiseLike<unknown>>> = {
  record: (client) => client.referrals.retrieve(UUID),
  list: (client) => client.referrals.list().firstPage(),
  'request()': (client) => client.request('GET', '/v1/thing'),
}

/** Result of a call whose response declares a length and has no body. */
async function reasonFor(name: string, length: number, options: ClientOptions): Promise<unknown> {
  const raw = await RawServer.start(bytes(head(200, `content-length: ${length}`)))
  const auth = await ScriptedServer.start()
  const client = clientOf(raw.origin, { authUrl: auth.origin, maxRetries: 0, ...options })
  return Reflect.get(Object(await rejection(CALLS[name]?.(client) ?? Promise.resolve())), 'reason')
}

it.each<[string, number, ClientOptions]>([
  ['record', 10 * MIB, {}],
  ['list', 64 * MIB, {}],
  ['request()', 64 * MIB, {}],
  ['record', 2_000, { maxResponseBytes: 2_000 }],
  ['list', 2_000, { maxResponseBytes: 2_000 }],
  ['request()', 2_000, { maxResponseBytes: 2_000 }],
])('a response of %s may have %i bytes, and not one more', async (name, limit, options) => {
  expect(await reasonFor(name, limit, options)).toBe('truncated')
  expect(await reasonFor(name, limit + 1, options)).toBe('too-large')
})

it('the error of strict names five fields at most', async () => {
  const record = {
    ...referral({ uuid: UUID }),
    status: 1,
    tests: 1,
    origin: 1,
    reference: 1,
    person: 1,
    medicare: 1,
  }
  const { client } = await setUp(ROUTE, [{ json: record }], { responseValidation: 'strict' })
  const error = await rejection(client.referrals.retrieve(UUID))
  const shown = /differs from the contract \((.*)\); report the difference/
    .exec(String(error))?.[1]
    ?.split('; ')
  expect(shown).toHaveLength(5)
  expect(new Set(shown).size).toBe(5)
  for (const each of shown ?? []) expect(each).toMatch(/^[A-Za-z]+ should be [a-z]+$/)
})

it('with strict, other referrals that differ do not fail an order with a key (§4.1)', async () => {
  const others = page('referrals', [{ ...referral(), status: 7 }])
  const { client, server, warnings } = await setUp('GET /v1/referrals', [{ json: others }], {
    responseValidation: 'strict',
  })
  server.on('POST /v1/referrals', { json: referral() })
  await client.referrals.create(order(), { orderKey: 'key-1' })
  expect(server.count('POST /v1/referrals')).toBe(1)
  expect(warnings.join()).toContain('referrals.list differs from the contract: status should be string')
  expect(await rejection(client.referrals.list().toArray())).toMatchObject({ reason: 'shape' })
})

it.each([
  ['without white space and capitals', ` ${UUID.toUpperCase()}\n`],
  ['when it is empty', ''],
])('the identifier of a record is compared %s', async (_, uuid) => {
  const { client, warnings } = await setUp(ROUTE, [{ json: referral({ uuid }) }])
  await client.referrals.retrieve(UUID)
  expect(warnings).toEqual([])
})

it('a page that counts other records than it has is logged, and rejected with strict (§4.7)', async () => {
  const json = { referrals: [referral()], cursor: { cursor: 'x', count: 20, resultCount: 0 } }
  const { client, server, warnings } = await setUp('GET /v1/referrals', [{ json }])
  await client.referrals.list().firstPage()
  expect(warnings).toEqual([
    'pathology-sdk: a response of referrals.list differs from the contract: cursor.resultCount should be the number of records',
  ])
  const strict = clientOf(server.origin, { responseValidation: 'strict' })
  const error = await rejection(strict.referrals.list().firstPage())
  expect(String(error)).toContain('cursor.resultCount should be the number of records')
})

it('strict accepts the days of an average as strings and as numbers (§2.7)', async () => {
  const average = { maximumDays: '3.5', object: 'turnaroundTime' }
  const facts = { object: 'test', turnAroundTimes: [], medicareListed: true, price: 10, priceCents: 1_000 }
  const tests = [2, '2'].map((minimumDays) => ({
    ...{ id: 'tsh', name: 'Thyroid', shortName: 'TSH', ...facts },
    turnAroundTimeAverage: { ...average, minimumDays },
  }))
  const { client } = await setUp('GET /v1/tests', [{ json: page('tests', tests) }], {
    responseValidation: 'strict',
  })
  expect(await client.tests.list().toArray()).toEqual(tests)
})
