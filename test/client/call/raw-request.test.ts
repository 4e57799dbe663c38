import { tracingChannel } from 'node:diagnostics_channel'
import fc from 'fast-check'
import {
  DIAGNOSTICS_CHANNEL,
  type RequestContents,
  type RequestEvent,
  type RequestMethod,
} from 'pathology-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CANARIES, expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { UUID } from '../../support/samples.js'
import { type Script, ScriptedServer } from '../../support/scripted-server.js'

async function setUp(route: string, ...replies: Script[]) {
  const server = await ScriptedServer.start()
  server.on(route, ...replies)
  return { server, client: clientOf(server.origin) }
}

describe('client.request', () => {
  it('sends the token, the API version, the query and the body, and returns the JSON as it is', async () => {
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

  it('sends nothing when a list in the query has an undefined entry', async () => {
    const { server, client } = await setUp('GET /v1/thing', { json: {} })
    const error = await rejection(client.request('GET', '/v1/thing', { query: { ids: ['a', undefined] } }))
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', issues: [{ field: 'query' }] })
    expect(server.calls).toEqual([])
  })

  it.each<readonly [RequestMethod, number]>([
    ['GET', 200],
    ['HEAD', 200],
    ['DELETE', 204],
  ])('%s with an empty body is undefined', async (method, status) => {
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

  it.each(['GET', 'HEAD'] as const)('%s is retried after 503 and after a reset', async (method) => {
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
    '%s is sent once: its outcome is unknown after 503, a reset and half a response',
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

  it('POST is sent again after 401, with a new token', async () => {
    const { server, client } = await setUp('POST /v1/thing', { status: 401 }, { json: { done: true } })
    await expect(client.request('POST', '/v1/thing')).resolves.toEqual({ done: true })
    expect(server.tokenRequests).toHaveLength(2)
  })

  it('POST that was certainly not sent is retried', async () => {
    const server = await ScriptedServer.start()
    const client = clientOf(server.origin, { baseUrl: 'http://127.0.0.1:1' })
    const error = await rejection(client.request('POST', '/v1/thing', { body: {} }))
    expect(error).toMatchObject({ reason: 'refused', outcome: 'not-sent', attempts: 3 })
  })

  it.each(['/v1/referrals', '/v2/referrals', '/v1/Referrals'])(
    'POST %s is rejected: create never orders twice',
    async (path) => {
      const { server, client } = await setUp('POST /v1/referrals', { json: {} })
      const error = await rejection(client.request('POST', path, { body: { firstName: CANARIES.firstName } }))
      expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not-sent' })
      expect(String(error)).toContain('use client.referrals.create')
      expectNoCanary(error)
      expect(server.requests).toHaveLength(0)
    },
  )

  const BAD_PATHS = [
    ...[
      '',
      'v1/x',
      '/',
      '/v1',
      '/v1/',
      '//evil.example/v1/x',
      'https://evil.example/v1/x',
      '/v1//x',
      '/v1/x/',
    ],
    ...[
      '/v1/..',
      '/v1/../oauth/token',
      '/v1/./x',
      '/v1/%2e%2e/x',
      '/v1/a%2fb',
      '/v1/x?y=1',
      '/v1/x#y',
      '/v1/x\\y',
    ],
    ...['/v1/x y', '/v1/x\r\nhost: evil', '/v1/é', '/oauth/token', '@evil.example/v1/x', '/v1/x;y'],
  ]

  it.each(BAD_PATHS)('the path %j is rejected', async (path) => {
    const { server, client } = await setUp('GET /v1/thing', { json: {} })
    const error = await rejection(client.request('GET', path))
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_PARAMETER' })
    expect(server.requests).toHaveLength(0)
  })

  it('any accepted path is sent unchanged to the base URL', async () => {
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

  it.each<readonly [string, RequestMethod, RequestContents]>([
    ['an unknown method', 'TRACE' as RequestMethod, {}],
    ['a method in lower case', 'get' as RequestMethod, {}],
    ['a body with GET', 'GET', { body: {} }],
    ['an object in the query', 'GET', { query: { a: { b: 1 } } }],
    ['a date in the query', 'GET', { query: { a: new Date() } }],
    ['NaN in the query', 'GET', { query: { a: Number.NaN } }],
    ['null in the query', 'GET', { query: { a: null } }],
    ['a comma in a list', 'GET', { query: { a: ['b,c'] } }],
  ])('%s is rejected', async (_, method, contents) => {
    const { server, client } = await setUp('GET /v1/thing', { json: {} })
    const error = await rejection(client.request(method, '/v1/thing', contents))
    expect(error).toMatchObject({ name: 'InvalidRequestError' })
    expect(server.requests).toHaveLength(0)
  })

  it('an unknown option of the request is rejected', async () => {
    const { client } = await setUp('GET /v1/thing', { json: {} })
    const error = await rejection(client.request('GET', '/v1/thing', { params: {} } as RequestContents))
    expect(error).toMatchObject({ name: 'ConfigurationError' })
  })

  it('errors and diagnostics contain no identifier and no value of the request', async () => {
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

  it('a success status with an error or with HTML in the body is rejected', async () => {
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
})
