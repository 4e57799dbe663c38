import { createServer } from 'node:net'

import { Agent, type Dispatcher, errors, fetch as undiciFetch } from 'undici'
import { describe, expect, it } from 'vitest'

import { authorised, createFake, ORDER, record, records, startFake } from '../support.js'
import { type Calls, listener, names } from './dispatch-listener.js'

describe('the dispatcher, without sockets', () => {
  it('serves undici request: token, order, list', async () => {
    const fake = createFake({ seedReferrals: 0 })
    const { baseUrl, authUrl, clientId, clientSecret, dispatcher } = fake.clientOptions()
    if (dispatcher === undefined) throw new Error('an in-process fake has a dispatcher')
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const token = await dispatcher.request({
      origin: authUrl,
      path: '/oauth/token',
      method: 'POST',
      headers: ['Content-Type', 'application/x-www-form-urlencoded'],
      body: form.toString(),
    })
    const { access_token } = record(await token.body.json())
    const headers = { Authorization: `Bearer ${access_token}`, Accept: 'application/vnd.svc.v1.1.0+json' }
    const order = await dispatcher.request({
      origin: baseUrl,
      path: '/v1/referrals',
      method: 'POST',
      headers,
      body: Buffer.from(JSON.stringify(ORDER)),
    })
    expect(order.statusCode).toBe(200)
    const [placed] = records(await order.body.json())
    const list = await dispatcher.request({
      origin: baseUrl,
      path: '/v1/referrals',
      query: { count: 1 },
      method: 'GET',
      headers,
    })
    expect(list.headers['content-type']).toContain('application/json')
    expect(records(record(await list.body.json())['referrals'])[0]?.['uuid']).toBe(placed?.['uuid'])
  })

  it('opens no socket, and looks up no name', async () => {
    const fake = createFake()
    const server = createServer()
    const before = process.getActiveResourcesInfo().filter((name) => /TCP|GetAddrInfo/.test(name)).length
    const answer = await fake
      .dispatcher()
      .request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET' })
    await answer.body.dump()
    expect(process.getActiveResourcesInfo().filter((name) => /TCP|GetAddrInfo/.test(name))).toHaveLength(
      before,
    )
    server.close()
  })

  it('serves undici fetch with a stream as body', async () => {
    const fake = createFake()
    const answer = await undiciFetch(`${fake.authUrl}/oauth/token`, {
      dispatcher: fake.dispatcher(),
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'fake-client-id',
        client_secret: 'fake-client-secret',
      }),
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ token_type: 'Bearer' })
  })

  it("calls the handler's methods in undici's order", async () => {
    const fake = createFake()
    const calls: Calls = []
    const { handler, ended } = listener(calls)
    fake
      .dispatcher()
      .dispatch(
        { origin: fake.baseUrl, path: '/v1/tests', method: 'GET', headers: await authorised(fake) },
        handler,
      )
    await ended
    expect(names(calls).filter((name, at, all) => name !== all[at - 1])).toEqual([
      'start',
      'response',
      'data',
      'end',
    ])
    expect(calls[1]).toEqual(['response', 200, 'application/json; charset=utf-8'])
  })

  it('a pause holds data back until resume', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/tests', { drip: { bytes: 20_000, everyMs: 1 } })
    const calls: Calls = []
    let paused: Dispatcher.DispatchController | undefined
    const { handler, ended } = listener(calls, (name, controller) => {
      if (name !== 'data' || paused !== undefined) return
      controller.pause()
      paused = controller
    })
    fake.dispatcher().dispatch({ origin: fake.baseUrl, path: '/v1/tests', method: 'GET', headers }, handler)
    await expect.poll(() => paused).toBeDefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(names(calls)).toEqual(['start', 'response', 'data'])
    expect(paused?.paused).toBe(true)
    paused?.resume()
    await ended
    expect(names(calls).at(-1)).toBe('end')
  })

  it.each([
    ['does not time out during the pause', { drip: { bytes: 20_000, everyMs: 1 } }, ['end']],
    ['times out after the pause', { stall: 'body' }, ['error', 'UND_ERR_BODY_TIMEOUT', 'BodyTimeoutError']],
  ] as const)('a paused body %s', async (_, fault, last) => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/tests', fault)
    const calls: Calls = []
    let isPaused = false
    const { handler, ended } = listener(calls, (name, controller) => {
      if (name !== 'data' || isPaused) return
      isPaused = true
      controller.pause()
      setTimeout(() => {
        calls.push(['resume'])
        controller.resume()
      }, 100)
    })
    const options = {
      origin: fake.baseUrl,
      path: '/v1/tests',
      method: 'GET',
      headers,
      bodyTimeout: 20,
    } as const
    fake.dispatcher().dispatch(options, handler)
    await ended
    expect(names(calls).slice(0, 4)).toEqual(['start', 'response', 'data', 'resume'])
    expect(calls.at(-1)).toEqual(last)
  })

  it.each(['start', 'response', 'data'])(
    'an abort at %s ends with its reason, and no call follows',
    async (moment) => {
      const fake = createFake()
      const headers = await authorised(fake)
      const reason = Object.assign(new Error('enough'), { code: 'ENOUGH' })
      const calls: Calls = []
      const { handler, ended } = listener(calls, (name, controller) => {
        if (name === moment) controller.abort(reason)
      })
      fake
        .dispatcher()
        .dispatch({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers }, handler)
      await ended
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(calls.at(-1)).toEqual(['error', 'ENOUGH', 'Error'])
      expect(names(calls)).not.toContain('end')
      expect(fake.requests).toHaveLength(moment === 'start' ? 0 : 1)
    },
  )

  it.each(['response', 'data'])(
    'an abort at %s leaves no timer, which would keep the process running',
    async (moment) => {
      const fake = createFake()
      const headers = await authorised(fake)
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
      const before = timers()
      const { handler, ended } = listener([], (name, controller) => {
        if (name === moment) controller.abort(new Error('enough'))
      })
      fake
        .dispatcher()
        .dispatch({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers }, handler)
      await ended
      await new Promise((resolve) => setImmediate(resolve))
      expect(timers()).toBeLessThanOrEqual(before)
    },
  )

  it('repeated headers become one header, as over HTTP', async () => {
    const fake = await startFake()
    const { authorization = '' } = await authorised(fake)
    const headers = [
      ...['authorization', authorization, 'Authorization', 'Bearer other', 'accept', 'text/html'],
      ...['accept', 'application/json', 'user-agent', 'one', 'user-agent', 'two', 'constructor', 'three'],
    ]
    const request = { origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers } as const
    const agent = new Agent()
    for (const dispatcher of [agent, fake.dispatcher()]) {
      const { statusCode, body } = await dispatcher.request(request)
      await body.dump()
      expect(statusCode).toBe(200)
    }
    await agent.close()
    const [overHttp, dispatched] = fake.requests.map((entry) => record(entry.headers))
    expect(overHttp).toMatchObject({ ...dispatched })
    expect(dispatched).toMatchObject({ accept: 'text/html, application/json', constructor: 'three' })
  })

  it('a response to HEAD has no body, as over HTTP', async () => {
    const fake = createFake()
    const options = { origin: fake.baseUrl, path: '/v1/vendors', method: 'HEAD' } as const
    const { statusCode, headers, body } = await fake.dispatcher().request(options)
    expect([statusCode, await body.text()]).toEqual([405, ''])
    expect(Number(headers['content-length'])).toBeGreaterThan(50)
    const response = await fake.fetch(`${fake.baseUrl}/v1/vendors`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([405, ''])
  })

  it('an abort signal stops a request that never gets a response', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', { stall: 'headers' })
    const signal = AbortSignal.timeout(30)
    await expect(
      fake
        .dispatcher()
        .request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers, signal }),
    ).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it.each<[string, object, object]>([
    ['a reset', { reset: 'before' }, { code: 'ECONNRESET' }],
    ['a response that was lost', { loseResponse: true }, { code: 'ECONNRESET' }],
    ['bytes that are not HTTP', { malformed: 'http' }, { name: 'HTTPParserError' }],
    ['silence', { stall: 'headers' }, { code: 'UND_ERR_HEADERS_TIMEOUT', name: 'HeadersTimeoutError' }],
  ])('%s throws the error of undici', async (_name, fault, expected) => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', fault)
    await expect(
      fake
        .dispatcher()
        .request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers, headersTimeout: 20 }),
    ).rejects.toMatchObject(expected)
  })

  it.each<[string, object, object]>([
    ['a reset mid-body', { reset: 'mid-body' }, { code: 'ECONNRESET' }],
    ['a body cut short', { truncate: true }, { code: 'UND_ERR_SOCKET', name: 'SocketError' }],
    ['a body that stops', { stall: 'body' }, { code: 'UND_ERR_BODY_TIMEOUT' }],
  ])('%s throws the error of undici while the body is read', async (_name, fault, expected) => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', fault)
    const answer = await fake
      .dispatcher()
      .request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers, bodyTimeout: 20 })
    expect(answer.statusCode).toBe(200)
    await expect(answer.body.text()).rejects.toMatchObject(expected)
  })

  it('requests do not reach the network: another origin fails before anything is sent', async () => {
    const fake = createFake()
    const calls: Calls = []
    const { handler, ended } = listener(calls)
    fake
      .dispatcher()
      .dispatch({ origin: 'https://api.example.com', path: '/v1/vendors', method: 'GET' }, handler)
    await ended
    expect(calls).toEqual([['error', 'ENOTFOUND', 'Error']])
  })

  it('close waits for running requests and then rejects further ones', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    const dispatcher = fake.dispatcher()
    const running = dispatcher.request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers })
    await dispatcher.close()
    const answer = await running
    expect(answer.statusCode).toBe(200)
    await answer.body.dump()
    await expect(
      dispatcher.request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers }),
    ).rejects.toBeInstanceOf(errors.ClientClosedError)
  })

  it('destroy ends running requests', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', { stall: 'headers' })
    const dispatcher = fake.dispatcher()
    const running = dispatcher.request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers })
    const ended = running.catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await dispatcher.destroy()
    expect(await ended).toBeInstanceOf(errors.ClientDestroyedError)
  })

  it('a fake that closes ends its open requests', async () => {
    const fake = createFake()
    const headers = await authorised(fake)
    fake.faults.next('GET /v1/vendors', { stall: 'headers' })
    const stalled = fake
      .dispatcher()
      .request({ origin: fake.baseUrl, path: '/v1/vendors', method: 'GET', headers })
    const ended = stalled.catch((error: Error) => Reflect.get(error, 'code'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await fake.close()
    expect(await ended).toBe('UND_ERR_SOCKET')
  })

  it('shares one state with a started server, and serves its origins', async () => {
    const fake = await startFake({ seedReferrals: 0 })
    const headers = await authorised(fake)
    const posted = await fetch(`${fake.baseUrl}/v1/referrals`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(ORDER),
    })
    expect(posted.status).toBe(200)
    const [placed] = records(await posted.json())
    for (const origin of [fake.baseUrl, 'https://api.pathology-fake.test']) {
      const answer = await fake
        .dispatcher()
        .request({ origin, path: `/v1/referrals/${placed?.['uuid']}`, method: 'GET', headers })
      expect(await answer.body.json()).toMatchObject({ referenceNumber: 'ORDER-1', status: 'ISSUED' })
    }
    const token = await fake
      .dispatcher()
      .request({ origin: new URL(fake.authUrl).origin, path: '/auth/oauth/token', method: 'POST' })
    expect(await token.body.json()).toMatchObject({ code: '109' })
  })
})
