import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order, referral, UUID } from '../../support/samples.js'
import { accessToken, type Reply, refreshToken } from '../../support/scripted-server.js'
import { grant, REFERRAL, refusal, setUp, unauthorised } from './token-world.js'

describe('tokens: a response that is not usable (§5)', () => {
  it.each<[string, Reply, number, string]>([
    [
      'larger than 1 MiB',
      { text: ' '.repeat(2 ** 20 + 1) },
      1,
      'is larger than the limit; nothing was sent; check that authUrl is the address of the token service',
    ],
    ['cut off', { json: {}, reset: 'in-body' }, 3, 'is truncated; nothing was sent; call again'],
    ['not sent', { reset: 'before' }, 3, 'the connection was reset; nothing was sent; call again'],
  ])(
    'a token response that is %s: %i requests, and the message names the effect on the call and the next step',
    async (_, reply, requests, end) => {
      const { service, call } = await setUp()
      service.on('POST /oauth/token', reply)
      const error = await rejection(call())
      expect(error).toMatchObject({ outcome: 'not-sent', message: expect.stringContaining(end) })
      expect(String(error).endsWith(end)).toBe(true)
      expect(service.tokenRequests).toHaveLength(requests)
      expect(service.calls).toHaveLength(0)
    },
  )
})

describe('tokens: 401', () => {
  it('the token expires in flight: it is replaced by a refresh, and the request is sent once more', async () => {
    const { service, call, forms, bearers } = await setUp()
    service.on(REFERRAL, unauthorised, { json: referral() })
    await call()
    expect(bearers()).toEqual([`Bearer ${accessToken(1)}`, `Bearer ${accessToken(2)}`])
    expect(forms()[1]).toEqual({ grant_type: 'refresh_token', refresh_token: refreshToken(1) })
  })

  it('a 401 repeats every method, also an order, because a 401 comes before any work', async () => {
    const { service, client } = await setUp()
    service.on('POST /v1/referrals', unauthorised, { json: referral() })
    await client.referrals.create(order(), { maxRetries: 0 })
    expect(service.count('POST /v1/referrals')).toBe(2)
  })

  it('401 every time: sent twice, then an error with a hint about the wrong environment', async () => {
    const { service, call } = await setUp()
    service.on(REFERRAL, {
      ...unauthorised,
      json: { error: true, code: 'INVALID_JWT_SIGNATURE', message: 'x' },
    })
    const error = await rejection(call())
    expect(error).toMatchObject({
      name: 'AuthenticationError',
      code: 'INVALID_JWT_SIGNATURE',
      outcome: 'refused',
      attempts: 2,
    })
    expect(String(error)).toContain('check that the credentials belong to it')
    expectNoCanary(error)
    expect(service.calls).toHaveLength(2)
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('401, repeated, 503, retried, 401: the repeat after a 401 was used, so this 401 is final', async () => {
    const { service, call } = await setUp()
    service.on(REFERRAL, unauthorised, { status: 503 }, unauthorised, { json: referral() })
    expect(await rejection(call())).toMatchObject({ name: 'AuthenticationError', attempts: 3 })
    expect(service.calls).toHaveLength(3)
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('100 calls get a 401 with the same token: one new token, 200 requests', async () => {
    const { service, call, client } = await setUp()
    await client.referrals.retrieve(UUID)
    service.on(REFERRAL, ({ headers }) =>
      headers.authorization === `Bearer ${accessToken(1)}` ? unauthorised : { json: referral() },
    )
    await Promise.all(Array.from({ length: 100 }, call))
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('a late 401 for the old token does not discard the new one', async () => {
    let release: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { service, call } = await setUp()
    await call()
    service.on(REFERRAL, { ...unauthorised, after: held }, unauthorised, { json: referral() })
    const slow = call()
    await expect.poll(() => service.calls.length).toBe(2)
    await call()
    expect(service.tokenRequests).toHaveLength(2)
    release?.()
    await slow
    await call()
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('no new token after a 401: the call fails with that error, and the request was refused', async () => {
    const { service, call } = await setUp([grant(1), refusal('123'), refusal('123')])
    service.on(REFERRAL, unauthorised)
    expect(await rejection(call())).toMatchObject({ name: 'TokenError', code: '123' })
    expect(service.calls).toHaveLength(1)
  })
})

describe('tokens: errors of the token service', () => {
  it.each([
    ['102', 'UserNotFound'],
    ['109', 'InvalidGrantType'],
    ['110', 'InvalidClientId'],
    ['111', 'MissingClientId'],
    ['117', 'AuthorizationTokenNotFound'],
    ['118', 'AuthorizationHeaderInvalid'],
    ['123', 'InvalidCredentials'],
  ])('%s: TokenError %s, one request, and no other request within a second', async (code, type) => {
    for (const status of [400, 401, 404, 200, 500, 503]) {
      const { service, clock, call } = await setUp([refusal(code, status, type)])
      const error = await rejection(call())
      expect(error).toMatchObject({ name: 'TokenError', code, type, status, retryable: false })
      expectNoCanary(error)
      await Promise.all(Array.from({ length: 50 }, () => rejection(call())))
      expect(service.tokenRequests).toHaveLength(1)
      clock.advance(1_000)
      await rejection(call())
      expect(service.tokenRequests).toHaveLength(2)
      expect(service.calls).toHaveLength(0)
    }
  })

  it.each([
    ['102', true],
    ['109', false],
    ['110', true],
    ['111', false],
    ['123', true],
  ])('%s: the error asks whether the credentials belong together: %s', async (code, isAsked) => {
    const { call } = await setUp([refusal(code)])
    const told = String(await rejection(call()))
    expect(told).toMatch(isAsked ? /; check that clientId, clientSecret and authUrl belong together$/ : /\w$/)
    expect(told.includes('together')).toBe(isAsked)
  })

  it('a truncated response: the error names the rule', async () => {
    const cut: Reply = { text: '{"access_token":"x"' }
    const { call, service } = await setUp([cut, cut, cut])
    expect(String(await rejection(call()))).toBe(
      `TokenError: the token response of ${service.origin}/oauth/token is not usable: it must be a JSON object; check authUrl`,
    )
  })

  it.each([
    ['500', { status: 500, text: '' }],
    ['500 with a code', { status: 500, json: { error: true, code: '500', type: 'Oops', message: 'x' } }],
    ['503 with HTML', { status: 503, text: '<html>' }],
    ['429', { status: 429, headers: { 'retry-after': '1' } }],
    ['a reset', { reset: 'before' }],
    ['200 with HTML', { text: '<html>' }],
    ['200 with nothing', { text: '' }],
    ['200 cut short', { text: '{"access_token":"x"' }],
  ] as const)(
    '%s: two retries, then an error; the next call requests a token again',
    async (_, failure: Reply) => {
      const { service, call } = await setUp([failure, failure, failure, grant(4)])
      const error = await rejection(Promise.all([call(), call()]))
      expect(error).toMatchObject({ attempts: 3 })
      expect(error).not.toMatchObject({ outcome: 'unknown' })
      expectNoCanary(error)
      expect(service.tokenRequests).toHaveLength(3)
      await call()
      expect(service.tokenRequests).toHaveLength(4)
    },
  )

  it.each([
    ['503', { status: 503, headers: { 'retry-after': '90' } }, 90_000],
    [
      '429 with a code',
      { status: 429, headers: { 'retry-after': '7' }, json: { error: true, code: '500' } },
      7_000,
    ],
    ['401', { status: 401, headers: { 'retry-after': '7' }, json: { error: true, code: '123' } }, undefined],
  ] as const)('%s with Retry-After: each call waits if its time limit allows it', async (_, reply, ms) => {
    const { call } = await setUp([reply, reply, reply])
    for (const error of await Promise.all([rejection(call()), rejection(call())])) {
      expect(error).toMatchObject({ name: 'TokenError', retryable: ms !== undefined })
      expect(Reflect.get(Object(error), 'retryAfter')).toBe(ms)
    }
  })

  it('one failure is retried, and the callers succeed', async () => {
    const { service, call } = await setUp([{ status: 503 }, grant(2)])
    await call()
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('an order without a token was not sent, whatever happened to the token request', async () => {
    const { service, client } = await setUp([{ reset: 'before' }])
    const error = await rejection(client.referrals.create(order()))
    expect(error).toMatchObject({ outcome: 'not-sent' })
    expect(String(error)).not.toContain('unknown')
    expect(service.calls).toHaveLength(0)
    expectNoCanary(error)
  })

  it.each([
    [{ reset: 'before' }, 'the connection was reset'],
    [{ json: {}, reset: 'in-body' }, 'the response is truncated'],
    [{ status: 503 }, 'if this persists, check authUrl'],
    [refusal('110'), 'check that clientId, clientSecret and authUrl belong together'],
  ] as const)(
    'an update may have been carried out before %j: the error advises to check first',
    async (reply, problem) => {
      const { service, client } = await setUp([grant(1), reply])
      service.on(`PATCH /v1/referrals/${UUID}`, { reset: 'before' }, unauthorised)
      service.on(REFERRAL, { json: referral({ uuid: UUID, updatedAt: '2000-01-01T00:00:00Z' }) })
      const error = await rejection(client.referrals.update(UUID, { phone: '0400000000' }))
      expect(error).toMatchObject({ outcome: 'unknown', retryable: false })
      const next = 'check whether it was carried out before you call again'
      expect(String(error)).toContain(
        `${problem}; it is unknown whether the request was carried out; ${next}`,
      )
      expect(String(error)).not.toContain('; call again')
    },
  )

  it('403 and 404 without a body: TokenError with the status and the address, not retried', async () => {
    for (const status of [403, 404]) {
      const { service, call } = await setUp([{ status }])
      const error = await rejection(call())
      expect(error).toMatchObject({ name: 'TokenError', status })
      expect(String(error)).toContain(`the token service at ${service.origin}/oauth/token returned ${status}`)
      expect(service.tokenRequests).toHaveLength(1)
    }
  })
})

describe('token responses that are rejected', () => {
  it.each([
    ['CRLF', 'abc\r\nx-evil: 1'],
    ['a space', 'abc def'],
    ['other letters', 'abcdé'],
    ['nothing', ''],
    ['a number', 7],
    ['null', null],
    ['an object', { token: 'x' }],
  ])('an access token with %s is rejected before it becomes a header', async (_, value) => {
    const { service, call } = await setUp([grant(1, { access_token: value })])
    const error = await rejection(call())
    expect(error).toMatchObject({ name: 'TokenError', code: 'TOKEN_RESPONSE_INVALID' })
    expect(String(error)).toContain('access_token')
    expect(service.calls).toHaveLength(0)
  })

  it.each([7, null, '', {}])('a refresh token %j is treated as missing', async (value) => {
    const { clock, call, forms } = await setUp([grant(1, { refresh_token: value }), grant(2)])
    await call()
    clock.advance(3_600_000)
    await call()
    expect(forms()[1]).toEqual({ grant_type: 'client_credentials' })
  })
})

describe('the connection of a token request', () => {
  it('is used again by the call that waited for the token, if both services have one origin', async () => {
    let connections = 0
    const server = createServer((request, response) => {
      request.resume()
      const isToken = request.url === '/oauth/token'
      const content = isToken
        ? { access_token: 't', token_type: 'Bearer', expires_in: 3_600 }
        : referral({ uuid: UUID })
      response.setHeader('content-type', 'application/json').end(JSON.stringify(content))
    })
    server.on('connection', () => {
      connections += 1
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    // The first client also loads modules, which takes longer than a turn of the event loop.
    for (const count of [1, 2, 3]) {
      await clientOf(`http://127.0.0.1:${port}`).referrals.retrieve(UUID)
      expect(connections).toBe(count)
    }
  })
})
