import type { ClientOptions, RequestContents, RequestMethod, RequestOptions } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { clientOf, rejection } from '../../support/clients.js'
import { page, provider, referral, UUID } from '../../support/samples.js'
import { type Script, ScriptedServer } from '../../support/scripted-server.js'

async function setUp(route: string, reply: Script, options: ClientOptions = {}) {
  const server = await ScriptedServer.start()
  server.on(route, reply)
  return { server, client: clientOf(server.origin, options) }
}

/** The issues of a raw request that is rejected before anything is sent. */
async function issuesOf(method: string, path: unknown, contents: RequestContents = {}) {
  const { server, client } = await setUp('GET /v1/thing', { json: {} })
  const error = await rejection(client.request(method as RequestMethod, path as string, contents))
  expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not-sent' })
  expect(server.requests).toHaveLength(0)
  return (error as { issues: readonly { field?: string; message: string }[] }).issues
}

const PATH_RULE =
  "path must have a version and segments of letters, digits, '.', '_', '~', ':', '@' and '-', such as " +
  "'/v1/referrals'; a segment must not be '.' or '..'; pass the query in the option query"

describe('client.request names the part of the request and the rule', () => {
  it.each<readonly [string, string, unknown, RequestContents, string, string]>([
    ['method', 'TRACE', '/v1/thing', {}, 'method', 'method must be GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['path', 'GET', '/v1/..', {}, 'path', PATH_RULE],
    ['path that is a number', 'GET', 5, {}, 'path', PATH_RULE],
    ['path that is an object', 'GET', { toString: () => '/v1/thing' }, {}, 'path', PATH_RULE],
    ['body with GET', 'GET', '/v1/thing', { body: {} }, 'body', 'body must be absent with GET'],
    ['body with HEAD', 'HEAD', '/v1/thing', { body: {} }, 'body', 'body must be absent with HEAD'],
    ['query that is text', 'GET', '/v1/thing', { query: 'a=b' as never }, 'query', 'query must be an object'],
    ['query that is a list', 'GET', '/v1/thing', { query: [] as never }, 'query', 'query must be an object'],
    [
      'order',
      'POST',
      '/v10/referrals',
      { body: {} },
      'path',
      'path must not place an order: use client.referrals.create, which prevents a second order',
    ],
    [
      'query with one invalid value of two',
      'GET',
      '/v1/thing',
      { query: { count: 1, filter: {} } },
      'query',
      'query must contain only texts, finite numbers, booleans and lists of them',
    ],
    [
      'list entry with a comma',
      'GET',
      '/v1/thing',
      { query: { ids: ['a', 'b,c'] } },
      'ids[1]',
      'ids[1] must not contain a comma',
    ],
    [
      'half of a surrogate pair',
      'GET',
      '/v1/thing',
      { query: { name: '\ud83d' } },
      'name',
      'name must be well-formed text: it contains half of a surrogate pair',
    ],
  ])('%s', async (_title, method, path, contents, field, message) => {
    expect(await issuesOf(method, path, contents)).toMatchObject([{ field, message }])
  })

  it.each([
    ['a big integer in the body', { amount: 1n }],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['an object whose toJSON returns undefined', { toJSON: () => undefined }],
    ['an object whose toJSON returns a function', { toJSON: () => () => 1 }],
  ])('%s is not JSON', async (_, body) => {
    const [issue] = await issuesOf('POST', '/v1/thing', { body })
    expect(issue?.field).toBeUndefined()
    expect(issue?.message).toContain('must be plain JSON data')
  })

  it.each(['/v1/referrals-old', '/v1/x/v1/referrals', '/v123/thing'])('POST %s is sent', async (path) => {
    const { server, client } = await setUp(`POST ${path}`, { json: {} })
    await client.request('POST', path, { body: {} })
    expect(server.calls).toHaveLength(1)
  })

  it('GET of the list of referrals is sent', async () => {
    const { server, client } = await setUp('GET /v1/referrals', { json: {} })
    await client.request('GET', '/v1/referrals')
    expect(server.calls).toHaveLength(1)
  })

  it.each([
    ['/v1/providers/2426621B/routing', '/v1/providers/{…}/routing'],
    [`/v1/Alex/referrals`, '/v1/{…}/referrals'],
    ['/v1/thing2', '/v1/{…}'],
    ['/v1/2thing', '/v1/{…}'],
    [`/v1/${'a'.repeat(41)}`, '/v1/{…}'],
    [`/v1/${'a'.repeat(40)}`, `/v1/${'a'.repeat(40)}`],
  ])('the error of %s shows the path %s', async (path, shown) => {
    const { client } = await setUp(`GET ${path}`, { status: 404, json: {} })
    expect(await rejection(client.request('GET', path))).toMatchObject({ path: shown })
  })
})

describe('the size of a request', () => {
  const body = { text: 'é' }
  const bytes = Buffer.byteLength(JSON.stringify(body))

  it('a body of exactly maxRequestBytes is sent', async () => {
    const { server, client } = await setUp('POST /v1/thing', { json: {} }, { maxRequestBytes: bytes })
    await client.request('POST', '/v1/thing', { body })
    expect(server.calls[0]?.body).toBe(JSON.stringify(body))
  })

  it('a body of one byte more is rejected', async () => {
    const { server, client } = await setUp('POST /v1/thing', { json: {} }, { maxRequestBytes: bytes - 1 })
    const error = await rejection(client.request('POST', '/v1/thing', { body }))
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      issues: [
        {
          field: undefined,
          message: expect.stringContaining(`must be at most ${bytes - 1} bytes long as JSON`),
        },
      ],
    })
    expect(server.requests).toHaveLength(0)
  })
})

describe('the headers of a call', () => {
  const retrieve = async (headers: unknown) => {
    const { server, client } = await setUp('GET /v1/referrals/*', { json: referral() })
    const error = await rejection(client.referrals.retrieve(UUID, { headers } as RequestOptions))
    expect(server.requests).toHaveLength(0)
    return error
  }

  it.each([
    ...['Accept', 'accept-encoding', 'Authorization', 'connection', 'content-encoding', 'content-length'],
    ...['content-type', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'te', 'trailer'],
    ...['transfer-encoding', 'upgrade', 'User-Agent'],
  ])('%s is set by the client', async (name) => {
    expect(await retrieve({ [name]: 'x' })).toMatchObject({
      name: 'ConfigurationError',
      message: `headers must not set ${name}; the client reserves it`,
    })
  })

  it.each([
    ['text', 'x-trace: 1', 'headers must be a plain object'],
    ['a list', [], 'headers must be a plain object'],
    ['null', null, 'headers must be a plain object'],
    ['an invalid name', { 'x trace': '1' }, 'headers contains an invalid header name'],
    [
      'a line break in a value',
      { 'x-clinic-note': 'a\r\nb' },
      'headers.x-clinic-note must be a string of printable ASCII characters',
    ],
    [
      'a value under a standard name',
      { traceparent: 'é' },
      'headers.traceparent must be a string of printable ASCII characters',
    ],
    [
      'a name that can be data',
      { Example: 'é' },
      'a value in headers must be a string of printable ASCII characters',
    ],
    [
      'a name with digits',
      { 'x-1986-04': 'é' },
      'a value in headers must be a string of printable ASCII characters',
    ],
  ])('%s', async (_title, headers, message) => {
    expect(await retrieve(headers)).toMatchObject({ name: 'ConfigurationError', message })
  })

  it('follow the token and the API version of each request', async () => {
    const { server, client } = await setUp('GET /v1/referrals/*', (_request, nth) =>
      nth === 1 ? { status: 401 } : { json: referral() },
    )
    await client.referrals.retrieve(UUID)
    await client.referrals.retrieve(UUID, { apiVersion: '1.0.0' })
    const sent = server.calls.map(({ headers }) => [headers.authorization, headers.accept])
    expect(new Set(sent.map(([authorization]) => authorization)).size).toBe(2)
    expect(sent[1]?.[0]).toBe(sent[2]?.[0])
    expect(sent.map(([, accept]) => accept)).toEqual([
      'application/vnd.svc.v1.1.0+json',
      'application/vnd.svc.v1.1.0+json',
      'application/vnd.svc.v1.0.0+json',
    ])
  })
})

describe('§4.1 the flag of the endpoint of generated results', () => {
  it.each([
    [{}, ''],
    [{ partial: true }, '?partial'],
    [{ partial: false }, ''],
    [{ partial: undefined }, ''],
  ])('%j', async (options, query) => {
    const { server, client } = await setUp('POST /v1/referrals/*', { json: {} })
    await client.referrals.generateResults(UUID, options).catch(() => undefined)
    expect(server.calls[0]?.target).toMatch(/^\/v1\/referrals\/[^?]+/)
    expect(server.calls[0]?.target.replace(/^[^?]+/, '')).toBe(query)
  })
})

describe('compression', () => {
  it('is requested for lists, and never for single records', async () => {
    const { server, client } = await setUp('GET /v1/referrals', { json: page('referrals', []) })
    server.on('GET /v1/providers/*', { json: provider() })
    await client.referrals.list({}).toArray()
    await client.providers.retrieve('2426621B')
    expect(server.calls.map(({ headers }) => headers['accept-encoding'])).toEqual(['gzip', 'identity'])
  })
})
