import type { ClientOptions, PathologyClient } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
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

describe('a body that is not JSON', () => {
  const truncated = ['{', '[', ' \n{"a":1', '[1,', '[{"a":1}', '{"a', '{"a":"b\\\\\\"}', '{}x']
  const invalid = ['x', 'x{', '"text', '"x{']

  it.each([
    ...truncated.map((text) => [text, 'truncated'] as const),
    ...invalid.map((text) => [text, 'not-json'] as const),
  ])('%j is %s', async (text, reason) => {
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
    'a page for browsers %s: the error says what was asked where, and to check baseUrl',
    async (_, reply) => {
      const server = await ScriptedServer.start()
      server.on('GET /app/v1/referrals/*', reply).on('GET /app/v1/referrals', reply)
      server.on('POST /app/v1/referrals', reply)
      const client = clientOf(server.origin, { baseUrl: `${server.origin}/app` })
      const asked = (path: string): string =>
        `the response is not JSON (it is a page for browsers); the request went to ${server.origin}/app${path}: ` +
        'check that baseUrl is the address of the API'
      expect(String(await rejection(client.referrals.retrieve(UUID)))).toContain(
        asked('/v1/referrals/{uuid}'),
      )
      for (const options of [{}, { orderKey: 'visit-1' }]) {
        const error = await rejection(client.referrals.create(order(), options))
        expect(error).toMatchObject({ code: 'ORDER_OUTCOME_UNKNOWN' })
        expect(String(error)).toContain(asked('/v1/referrals'))
      }
    },
  )

  it.each<[string, Reply]>([
    ['truncated', { text: '{"uuid":' }],
    ['empty', { text: '' }],
    ['not JSON', { text: 'x' }],
    ['HTML', { json: referral(), headers: { 'content-type': 'text/html' } }],
  ])('%s: a read is sent again', async (_, reply) => {
    const { client, server } = await setUp(ROUTE, [reply, { json: referral({ uuid: UUID }) }])
    await expect(client.referrals.retrieve(UUID)).resolves.toHaveProperty('uuid', UUID)
    expect(server.calls).toHaveLength(2)
  })

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
})

describe('the request ID of a response', () => {
  const requestIdOf = async (headers: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const { client } = await setUp(ROUTE, [{ json: referral({ uuid: UUID }), headers }])
    return (await client.referrals.retrieve(UUID).withResponse()).response.requestId
  }

  it.each<[string, Record<string, string>, string]>([
    ['x-request-id', { 'x-request-id': 'r-1' }, 'r-1'],
    ['x-correlation-id', { 'x-correlation-id': 'c-2' }, 'c-2'],
    ['request-id', { 'request-id': 'q-3' }, 'q-3'],
    [
      'the first of several',
      { 'request-id': 'q-3', 'x-correlation-id': 'c-2', 'x-request-id': 'r-1' },
      'r-1',
    ],
    ['x-correlation-id before request-id', { 'request-id': 'q-3', 'x-correlation-id': 'c-2' }, 'c-2'],
    ['128 characters', { 'x-request-id': `a1${'-'.repeat(126)}` }, `a1${'-'.repeat(126)}`],
    ['digits first', { 'x-request-id': '1_a:b/c+d=e.f' }, '1_a:b/c+d=e.f'],
  ])('is in the header: %s', async (_, headers, id) => {
    expect(await requestIdOf(headers)).toBe(id)
  })

  it.each([
    ['without a digit', 'Quarrington'],
    ['without a letter', '0491570156'],
    ['with a space', 'r 1'],
    ['with another first character', '(r-1'],
    ['with another last character', 'r-1)'],
    ['with 129 characters', `a1${'-'.repeat(127)}`],
    ['empty', ''],
  ])('is undefined if the header is not an ID: %s', async (_, id) => {
    expect(await requestIdOf({ 'x-request-id': id })).toBeUndefined()
  })
})

describe('the size limits of responses', () => {
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
  ])('%s: %i bytes are accepted, and one more is too large', async (name, limit, options) => {
    expect(await reasonFor(name, limit, options)).toBe('truncated')
    expect(await reasonFor(name, limit + 1, options)).toBe('too-large')
  })
})

describe('responses that differ from the contract', () => {
  it('strict: the error names five fields at most', async () => {
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

  it('strict: the reading of other referrals, before an order with a key, does not fail the order (§4.1)', async () => {
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
  ])('the identifier of the record is compared %s: no difference', async (_, uuid) => {
    const { client, warnings } = await setUp(ROUTE, [{ json: referral({ uuid }) }])
    await client.referrals.retrieve(UUID)
    expect(warnings).toEqual([])
  })

  it('strict: the days of an average are strings or numbers (§2.7)', async () => {
    const days = { minimumDays: 2, maximumDays: '3.5', object: 'turnaroundTime' }
    const tests = [2, '2', null].map((minimumDays) => ({
      id: 'tsh',
      name: 'Thyroid',
      shortName: 'TSH',
      object: 'test',
      turnAroundTimes: [],
      turnAroundTimeAverage: minimumDays === null ? null : { ...days, minimumDays },
      medicareListed: true,
      price: 10,
      priceCents: 1_000,
    }))
    const script = [{ json: page('tests', tests) }]
    const { client } = await setUp('GET /v1/tests', script, { responseValidation: 'strict' })
    const read = await client.tests.list().toArray()
    expect(read.map(({ turnAroundTimeAverage }) => turnAroundTimeAverage?.minimumDays)).toEqual([
      2,
      '2',
      undefined,
    ])
  })

  it('a page that counts other records than it has: logged, and strict throws (§4.7)', async () => {
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

  it('a full page without a cursor: warn logs the end of the list, strict throws, off does neither (§4.7)', async () => {
    const json = { referrals: Array.from({ length: 20 }, () => referral()) }
    const { client, server, warnings } = await setUp('GET /v1/referrals', [{ json }])
    for (let nth = 0; nth < 2; nth += 1) await client.referrals.list().toArray()
    expect(warnings).toEqual([
      'pathology-sdk: records of referrals.list may be missing, because a full page has no cursor; the list ends here',
    ])
    for (const responseValidation of ['strict', 'off'] as const) {
      const lines: string[] = []
      const logger = { warn: (line: string) => lines.push(line) }
      const other = clientOf(server.origin, { responseValidation, logger })
      const listed = other.referrals.list().toArray()
      if (responseValidation === 'off') await expect(listed).resolves.toHaveLength(20)
      else expect(await rejection(listed)).toMatchObject({ reason: 'incomplete-list' })
      expect(lines).toEqual([])
    }
  })
})
