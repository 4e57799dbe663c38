import { tracingChannel } from 'node:diagnostics_channel'
import fc from 'fast-check'
import {
  DIAGNOSTICS_CHANNEL,
  type PathologyClient,
  type RequestContents,
  type RequestEvent,
} from 'pathology-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { CANARIES, expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import { type Script, ScriptedServer } from '../../support/scripted-server.js'

type RequestMethod = Parameters<PathologyClient['request']>[0]

async function setUp(...replies: readonly [route: string, ...Script[]]) {
  const server = await ScriptedServer.start()
  server.on(...replies)
  return { server, client: clientOf(server.origin) }
}

it('client.request sends the token, the API version, the query and the body, and returns the JSON as it is', async () => {
  const { server, client } = await setUp('POST /v1/new-thing', { status: 201, json: [1, { any: 'thing' }] })
  const call = client.request('POST', '/v1/new-thing', {
    query: { 'a&b': 'x y', list: ['one', 2], flag: true, none: undefined },
    body: { odd: [null, 1.5] },
  })
  await expect(call).resolves.toEqual([1, { any: 'thing' }])
  expect((await call.withResponse()).response).toMatchObject({ status: 201, attempts: 1 })
  const [sent] = server.calls
  expect(sent?.target).toBe('/v1/new-thing?a%26b=x%20y&list=one,2&flag=true')
  expect(sent?.headers).toMatchObject({
    authorization: expect.stringMatching(/^Bearer ./),
    accept: 'application/vnd.svc.v1.1.0+json',
    'content-type': 'application/json',
    'accept-encoding': 'identity',
  })
  expect(JSON.parse(sent?.body ?? '')).toEqual({ odd: [null, 1.5] })
})

/** The issues of a request that is rejected before anything is sent. */
async function issuesOf(method: string, path: unknown, contents: RequestContents = {}) {
  const { server, client } = await setUp('GET /v1/thing', { json: {} })
  const error = await rejection(client.request(method as RequestMethod, path as string, contents))
  expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not-sent' })
  expectNoCanary(error)
  expect(server.requests).toHaveLength(0)
  return (error as { issues: readonly { field?: string; message: string }[] }).issues
}

const METHOD_RULE = 'must be GET, HEAD, POST, PUT, PATCH, DELETE'
const PATH_RULE =
  "must have a version and segments of letters, digits, '.', '_', '~', ':', '@' and '-', such as " +
  "'/v1/referrals'; a segment must not be '.' or '..'; pass the query in the option query"
const ORDER_RULE = 'must not place an order: use client.referrals.create, which prevents a second order'
const QUERY_RULE = 'must contain only texts, finite numbers, booleans and lists of them'

it.each<readonly [string, unknown, RequestContents, string, string]>([
  ['TRACE', '/v1/thing', {}, 'method', METHOD_RULE],
  ['get', '/v1/thing', {}, 'method', METHOD_RULE],
  ...[
    '',
    'v1/x',
    '/v1',
    '/v1/',
    '//evil.example/v1/x',
    '/v1//x',
    '/v1/x/',
    '/v1/..',
    '/v1/./x',
    '/v1/%2e%2e/x',
  ].map((path) => ['GET', path, {}, 'path', PATH_RULE] as const),
  ...['/v1/x?y=1', '/v1/x\r\nhost: evil', '/oauth/token', 5, { toString: () => '/v1/thing' }].map(
    (path) => ['GET', path, {}, 'path', PATH_RULE] as const,
  ),
  ...['/v1/referrals', '/v10/referrals', '/v1/Referrals'].map(
    (path) => ['POST', path, { body: { firstName: CANARIES.firstName } }, 'path', ORDER_RULE] as const,
  ),
  ['GET', '/v1/thing', { body: {} }, 'body', 'must be absent with GET'],
  ['HEAD', '/v1/thing', { body: {} }, 'body', 'must be absent with HEAD'],
  ['GET', '/v1/thing', { query: 'a=b' as never }, 'query', 'must be an object'],
  ['GET', '/v1/thing', { query: [] as never }, 'query', 'must be an object'],
  ...[{ b: 1 }, new Date(0), Number.NaN, null, ['a', undefined]].map(
    (value) => ['GET', '/v1/thing', { query: { count: 1, value } }, 'query', QUERY_RULE] as const,
  ),
  ['GET', '/v1/thing', { query: { ids: ['a', 'b,c'] } }, 'ids[1]', 'must not contain a comma'],
  [
    ...(['GET', '/v1/thing', { query: { name: '\ud83d' } }, 'name'] as const),
    'must be well-formed text: it contains half of a surrogate pair',
  ],
])(
  'client.request rejects %s %j with %j, and names the part %s',
  async (method, path, contents, field, rule) => {
    const issues = await issuesOf(method, path, contents)
    expect(issues).toMatchObject([{ field, message: `${field} ${rule}` }])
  },
)

it.each([
  ['a big integer', { amount: 1n }],
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['an object whose toJSON returns undefined', { toJSON: () => undefined }],
  ['an object whose toJSON returns a function', { toJSON: () => () => 1 }],
])('client.request rejects the body %s, which is not JSON', async (_, body) => {
  const [issue] = await issuesOf('POST', '/v1/thing', { body })
  expect(issue?.field).toBeUndefined()
  expect(issue?.message).toContain('must be plain JSON data')
})

it('client.request rejects an unknown option', async () => {
  const { client } = await setUp('GET /v1/thing', { json: {} })
  const error = await rejection(client.request('GET', '/v1/thing', { params: {} } as RequestContents))
  expect(error).toMatchObject({ name: 'ConfigurationError' })
})

it.each([
  ['POST', '/v1/referrals-old'],
  ['POST', '/v1/x/v1/referrals'],
  ['POST', '/v123/thing'],
  ['GET', '/v1/referrals'],
] as const)('client.request sends %s %s', async (method, path) => {
  const { server, client } = await setUp(`${method} ${path}`, { json: {} })
  await client.request(method, path)
  expect(server.calls).toHaveLength(1)
})

it('any path that client.request accepts is sent unchanged to the base URL', async () => {
  const { server, client } = await setUp('GET /v1/thing', { json: {} })
  const part = fc.constantFrom('.', '..', '/', 'v1', 'a', '%', '2', 'e', '?', '#', '\\', ':', '@', '-', ' ')
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const path = `/v1/${parts.join('')}`
      const before = server.requests.length
      const error = await rejection(client.request('GET', path, {}, { maxRetries: 0 }))
      if (Reflect.get(Object(error), 'name') === 'InvalidRequestError') return
      expect(server.requests.slice(before).at(-1)?.target).toBe(path)
      expect(new URL(path, 'http://h').pathname).toBe(path)
    }),
  )
})

it.each<readonly [RequestMethod, number]>([
  ['GET', 200],
  ['HEAD', 200],
  ['DELETE', 204],
])('the data of %s with an empty body is undefined', async (method, status) => {
  const { client } = await setUp(`${method} /v1/thing`, { status })
  await expect(client.request(method, '/v1/thing')).resolves.toBeUndefined()
})

it.each(['dispatcher', 'fetch'])(
  'HEAD ignores the headers of the body that is not sent (%s)',
  async (transport) => {
    const { server } = await setUp('HEAD /v1/thing', {
      headers: { 'content-length': '999999999', 'content-encoding': 'br' },
    })
    const client = clientOf(server.origin, transport === 'fetch' ? { fetch: globalThis.fetch } : {})
    await expect(client.request('HEAD', '/v1/thing')).resolves.toBeUndefined()
    expect(server.calls).toHaveLength(1)
  },
)

it.each(['GET', 'HEAD'] as const)('a raw %s is retried after 503 and after a reset', async (method) => {
  const { server, client } = await setUp(
    `${method} /v1/thing`,
    { status: 503 },
    { reset: 'before' },
    { status: 200 },
  )
  await client.request(method, '/v1/thing')
  expect(server.calls).toHaveLength(3)
})

it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
  'a raw %s is sent once: its outcome is unknown after 503, a reset and half a response',
  async (method) => {
    for (const reply of [
      { status: 503 },
      { reset: 'before' },
      { json: { a: 1 }, reset: 'in-body' },
    ] as const) {
      const { server, client } = await setUp(`${method} /v1/thing`, reply)
      const error = await rejection(client.request(method, '/v1/thing', { body: {} }))
      expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, retryable: false })
      expect(server.calls).toHaveLength(1)
    }
  },
)

it('a raw POST is sent again after 401, with a new token', async () => {
  const { server, client } = await setUp('POST /v1/thing', { status: 401 }, { json: { done: true } })
  await expect(client.request('POST', '/v1/thing')).resolves.toEqual({ done: true })
  expect(server.tokenRequests).toHaveLength(2)
})

it('a raw POST that was certainly not sent is retried', async () => {
  const server = await ScriptedServer.start()
  const client = clientOf(server.origin, { baseUrl: 'http://127.0.0.1:1' })
  const error = await rejection(client.request('POST', '/v1/thing', { body: {} }))
  expect(error).toMatchObject({ reason: 'refused', outcome: 'not-sent', attempts: 3 })
})

it.each([
  ['/v1/providers/2426621B/routing', '/v1/providers/{…}/routing'],
  ['/v1/Alex/referrals', '/v1/{…}/referrals'],
  ['/v1/thing2', '/v1/{…}'],
  ['/v1/2thing', '/v1/{…}'],
  [`/v1/${'a'.repeat(41)}`, '/v1/{…}'],
  [`/v1/${'a'.repeat(40)}`, `/v1/${'a'.repeat(40)}`],
])('the error of %s shows the path %s', async (path, shown) => {
  const { client } = await setUp(`GET ${path}`, { status: 404, json: {} })
  expect(await rejection(client.request('GET', path))).toMatchObject({ path: shown })
})

it('errors and diagnostics of a raw request contain no identifier and no value of the request', async () => {
  const events: RequestEvent[] = []
  const channel = tracingChannel<unknown, RequestEvent>(DIAGNOSTICS_CHANNEL)
  const handlers = { asyncEnd: (event: RequestEvent) => void events.push(event) }
  channel.subscribe(handlers as never)
  onTestFinished(() => void channel.unsubscribe(handlers as never))
  const text = `${CANARIES.lastName} is not known`
  const { client } = await setUp(`PATCH /v1/referrals/${UUID}/${CANARIES.lastName}`, {
    status: 400,
    json: { error: true, code: 'INVALID_PAYLOAD', message: text, errorList: [text] },
  })
  const error = await rejection(
    client.request('PATCH', `/v1/referrals/${UUID}/${CANARIES.lastName}`, {
      body: { lastName: CANARIES.lastName },
    }),
  )
  expect(error).toMatchObject({ name: 'BadRequestError', path: '/v1/referrals/{…}/{…}' })
  expectNoCanary(error)
  expect(JSON.stringify(events)).toContain('client.request')
  expectNoCanary(events)
  expect(JSON.stringify(events)).not.toContain(UUID)
})

it('a raw response with an error envelope or HTML is rejected', async () => {
  const { client } = await setUp(
    'GET /v1/thing',
    { json: { error: true, code: 'X', message: 'no', errorList: [] } },
    { text: '<html>', headers: { 'content-type': 'text/html' } },
  )
  await expect(client.request('GET', '/v1/thing', {}, { maxRetries: 0 })).rejects.toMatchObject({
    reason: 'error-envelope',
  })
  await expect(client.request('GET', '/v1/thing', {}, { maxRetries: 0 })).rejects.toMatchObject({
    reason: 'not-json',
  })
})
