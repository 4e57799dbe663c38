import { expect, it } from 'vitest'
import { expectNoCanary } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { order, referral, UUID } from '../../support/samples.js'
import { accessToken, type Reply, refreshToken } from '../../support/scripted-server.js'
import { grant, REFERRAL, refusal, setUp, unauthorised } from './token-world.js'

it('a token that expires in flight is refreshed after the 401, and the request is sent once more (§5)', async () => {
  const { service, call, forms, bearers } = await setUp()
  service.on(REFERRAL, unauthorised, { json: referral() })
  await call()
  expect(bearers()).toEqual([`Bearer ${accessToken(1)}`, `Bearer ${accessToken(2)}`])
  expect(forms()[1]).toEqual({ grant_type: 'refresh_token', refresh_token: refreshToken(1) })
})

it('an order is sent again after a 401 too, because a 401 comes before any work', async () => {
  const { service, client } = await setUp()
  service.on('POST /v1/referrals', unauthorised, { json: referral() })
  await client.referrals.create(order(), { maxRetries: 0 })
  expect(service.count('POST /v1/referrals')).toBe(2)
})

it('a request that gets a 401 again with a new token fails, with a hint about the wrong environment', async () => {
  const { service, call } = await setUp()
  const json = { error: true, code: 'INVALID_JWT_SIGNATURE', message: 'x' }
  service.on(REFERRAL, { ...unauthorised, json })
  const error = await rejection(call())
  expect(error).toMatchObject({
    ...{ name: 'AuthenticationError', code: 'INVALID_JWT_SIGNATURE', outcome: 'refused', attempts: 2 },
    message: expect.stringContaining('check that the credentials belong to it'),
  })
  expectNoCanary(error)
  expect(service.calls).toHaveLength(2)
  expect(service.tokenRequests).toHaveLength(2)
})

it('a second 401 is final, also after a retry in between', async () => {
  const { service, call } = await setUp()
  service.on(REFERRAL, unauthorised, { status: 503 }, unauthorised, { json: referral() })
  expect(await rejection(call())).toMatchObject({ name: 'AuthenticationError', attempts: 3 })
  expect(service.calls).toHaveLength(3)
  expect(service.tokenRequests).toHaveLength(2)
})

it('a hundred calls that get a 401 with the same token cause one token request', async () => {
  const { service, call } = await setUp()
  await call()
  service.on(REFERRAL, ({ headers }) =>
    headers.authorization === `Bearer ${accessToken(1)}` ? unauthorised : { json: referral() },
  )
  await Promise.all(Array.from({ length: 100 }, call))
  expect(service.tokenRequests).toHaveLength(2)
})

it('a late 401 for the old token does not discard the new one', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { service, call } = await setUp()
  await call()
  service.on(REFERRAL, { ...unauthorised, after: held }, unauthorised, { json: referral() })
  const slow = call()
  await expect.poll(() => service.calls.length).toBe(2)
  await call()
  release()
  await slow
  await call()
  expect(service.tokenRequests).toHaveLength(2)
})

it('a call that gets no new token after a 401 fails with the error of the token service', async () => {
  const { service, call } = await setUp([grant(1), refusal('123')])
  service.on(REFERRAL, unauthorised)
  expect(await rejection(call())).toMatchObject({ name: 'TokenError', code: '123', outcome: 'refused' })
  expect(service.calls).toHaveLength(1)
})

it.each([
  ['102', 'UserNotFound'],
  ['109', 'InvalidGrantType'],
  ['110', 'InvalidClientId'],
  ['111', 'MissingClientId'],
  ['117', 'AuthorizationTokenNotFound'],
  ['118', 'AuthorizationHeaderInvalid'],
  ['123', 'InvalidCredentials'],
])(
  'code %s is a TokenError %s, and no other token request follows within a second (§5)',
  async (code, type) => {
    for (const status of [401, 200, 500]) {
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
  },
)

/** Failures of a token request: the number of requests, and the end of the message; `URL` is the address. */
const FAILURES: readonly (readonly [string, Reply, number, string])[] = [
  ['500', { status: 500, text: '' }, 3, 'if this persists, check authUrl'],
  ['500 with a code', { status: 500, json: { code: '500', type: 'Oops' } }, 3, 'returned 500 500 Oops'],
  ['429', { status: 429, headers: { 'retry-after': '1' } }, 3, 'if this persists, check authUrl'],
  ['403', { status: 403 }, 1, 'URL returned 403 without a known error code; if this persists, check authUrl'],
  ['HTML', { text: '<html>' }, 3, 'URL is not usable: it must be a JSON object; check authUrl'],
  ['nothing', { text: '' }, 3, 'it must be a JSON object; check authUrl'],
  ['a reset', { reset: 'before' }, 3, 'the connection was reset; nothing was sent; call again'],
  [
    'a response that is cut off',
    { json: {}, reset: 'in-body' },
    3,
    'truncated; nothing was sent; call again',
  ],
  [
    'more than 1 MiB',
    { text: ' '.repeat(2 ** 20 + 1) },
    1,
    'is larger than the limit; nothing was sent; check that authUrl is the address of the token service',
  ],
]

it.each(FAILURES)(
  'a token service that returns %s gets at most two retries',
  async (_, failure, requests, end) => {
    const { service, client, call } = await setUp([
      ...Array.from({ length: requests }, () => failure),
      grant(4),
    ])
    const [error, other] = await Promise.all([rejection(call()), rejection(client.referrals.create(order()))])
    expect(error).toMatchObject({ attempts: requests })
    expect(other).toMatchObject({
      name: Reflect.get(Object(error), 'name'),
      retryable: Reflect.get(Object(error), 'retryable'),
    })
    expect(other).not.toMatchObject({ outcome: 'unknown' })
    expect(error).not.toMatchObject({ outcome: 'unknown' })
    expect(String(error).endsWith(end.replace('URL', `${service.origin}/oauth/token`)), String(error)).toBe(
      true,
    )
    expectNoCanary(error)
    expect(service.tokenRequests).toHaveLength(requests)
    expect(service.calls).toHaveLength(0)
    await call()
    expect(service.tokenRequests).toHaveLength(requests + 1)
  },
)

it.each<[string, Reply, number | undefined]>([
  ['503', { status: 503, headers: { 'retry-after': '90' } }, 90_000],
  ['429 with a code', { status: 429, headers: { 'retry-after': '7' }, json: { code: '500' } }, 7_000],
  ['401', { status: 401, headers: { 'retry-after': '7' }, json: { code: '123' } }, undefined],
])(
  'the Retry-After of a token response with %s is passed on if a later call can succeed',
  async (_, reply, ms) => {
    const { call } = await setUp([reply])
    for (const error of await Promise.all([rejection(call()), rejection(call())])) {
      expect(error).toMatchObject({ name: 'TokenError', retryable: ms !== undefined })
      expect(Reflect.get(Object(error), 'retryAfter')).toBe(ms)
    }
  },
)

it.each<[Reply, string]>([
  [{ reset: 'before' }, 'the connection was reset'],
  [{ json: {}, reset: 'in-body' }, 'the response is truncated'],
  [{ status: 503 }, 'if this persists, check authUrl'],
  [refusal('110'), 'check that clientId, clientSecret and authUrl belong together'],
])(
  'an update that may have been carried out before the token failed with %j asks for a check',
  async (reply, problem) => {
    const { service, client } = await setUp([grant(1), reply])
    service.on(`PATCH /v1/referrals/${UUID}`, { reset: 'before' }, unauthorised)
    service.on(REFERRAL, { json: referral({ uuid: UUID, updatedAt: '2000-01-01T00:00:00Z' }) })
    const error = await rejection(client.referrals.update(UUID, { phone: '0400000000' }))
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false })
    const next = 'check whether it was carried out before you call again'
    expect(String(error)).toContain(`${problem}; it is unknown whether the request was carried out; ${next}`)
    expect(String(error)).not.toContain('; call again')
  },
)

it('a call that waited for the token uses the connection of the token request, if both have one origin', async () => {
  const { service } = await setUp()
  // The first client also loads modules, which takes longer than a turn of the event loop.
  for (const count of [1, 2, 3]) {
    await clientOf(service.origin).referrals.retrieve(UUID)
    expect(await service.connections()).toBe(count)
  }
})
