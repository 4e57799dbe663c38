import { decodeJwt, SignJWT } from 'jose'
import type { FakePathologyService } from 'pathology-sdk/testing'
import { describe, expect, it } from 'vitest'

import { createFake, read, startFake } from '../support.js'

const FORM = 'application/x-www-form-urlencoded'

interface TokenRequest {
  readonly form?: Readonly<Record<string, string>>
  readonly authorization?: string
  readonly contentType?: string
  readonly path?: string
}

async function askForToken(fake: FakePathologyService, request: TokenRequest) {
  const { form = {}, authorization, contentType = FORM, path = '/oauth/token' } = request
  const response = await fetch(`${fake.authUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': contentType, ...(authorization === undefined ? {} : { authorization }) },
    body: new URLSearchParams(form).toString(),
  })
  return read(response)
}

const basic = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

const RIGHT = basic('fake-client-id', 'fake-client-secret')
const GRANT = { grant_type: 'client_credentials' }

describe('the client credentials grant (§5)', () => {
  it.each([
    ['the Basic header', { form: GRANT, authorization: RIGHT }],
    ['form fields', { form: { ...GRANT, client_id: 'fake-client-id', client_secret: 'fake-client-secret' } }],
  ])('the token endpoint returns a pair of tokens for %s (§5)', async (_name, request) => {
    const fake = await startFake()
    const { status, body } = await askForToken(fake, request)
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_expires_in: 2_592_000,
    })
  })

  it('an access token is a JWT with issue and expiry times of the fake clock, and each grant issues a new one (§5)', async () => {
    const fake = await startFake()
    const first = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    const second = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    const claims = decodeJwt(String(first.body['access_token']))
    expect(claims).toMatchObject({
      iss: 'pathology-fake',
      sub: 'fake-client-id',
      iat: Date.parse('2026-03-02T09:00:00Z') / 1000,
    })
    expect(claims.exp).toBe((claims.iat ?? 0) + 3600)
    expect(second.body['access_token']).not.toBe(first.body['access_token'])
  })

  it('the token endpoint accepts URL-encoded credentials in the header, as OAuth requires', async () => {
    const fake = await startFake({ clientId: 'an id', clientSecret: 's%c+ret' })
    const { status } = await askForToken(fake, { form: GRANT, authorization: basic('an+id', 's%25c%2Bret') })
    expect(status).toBe(200)
  })
})

describe('errors of the token service (§5)', () => {
  const TYPES: Readonly<Record<string, readonly [type: string, status: number]>> = {
    108: ['RefreshTokenInvalid', 400],
    109: ['InvalidGrantType', 400],
    110: ['InvalidClientId', 401],
    111: ['MissingClientId', 400],
    117: ['AuthorizationTokenNotFound', 401],
    118: ['AuthorizationHeaderInvalid', 401],
    123: ['InvalidCredentials', 401],
  }
  const FIELDS = { ...GRANT, client_id: 'fake-client-id', client_secret: 'fake-client-secret' }
  const refresh = (token?: string): TokenRequest => ({
    form: { grant_type: 'refresh_token', ...(token !== undefined && { refresh_token: token }) },
  })

  it.each<[code: string, why: string, request: TokenRequest]>([
    ['109', 'an unknown grant', { form: { grant_type: 'password' }, authorization: RIGHT }],
    ['109', 'a grant in capitals', { form: { ...FIELDS, grant_type: 'CLIENT_CREDENTIALS' } }],
    ['109', 'an empty grant', { form: { ...FIELDS, grant_type: '' } }],
    ['109', 'no grant', { authorization: RIGHT }],
    ['109', 'a body that is no form', { form: GRANT, authorization: RIGHT, contentType: 'text/plain' }],
    ['110', 'an unknown client id', { form: { ...FIELDS, client_id: 'nobody' } }],
    ['110', 'a client id with a space', { form: { ...FIELDS, client_id: 'fake-client-id ' } }],
    ['110', 'an unknown client id in the header', { form: GRANT, authorization: basic('nobody', 'x') }],
    ['111', 'no client at all', { form: GRANT }],
    ['111', 'an empty client id', { form: { ...FIELDS, client_id: '' } }],
    ['111', 'an empty client id in the header', { form: GRANT, authorization: basic('', 'x') }],
    ['117', 'a scheme with nothing behind it', { form: GRANT, authorization: 'Basic' }],
    ['118', 'another scheme', { form: GRANT, authorization: 'Bearer abc' }],
    ['118', 'a header of one word', { form: GRANT, authorization: 'nonsense' }],
    ['118', 'no base64', { form: GRANT, authorization: 'Basic ***' }],
    ['118', 'no colon', { form: GRANT, authorization: `Basic ${btoa('nocolon')}` }],
    ['123', 'a wrong secret', { form: { ...FIELDS, client_secret: 'guess' } }],
    ['123', 'a secret in capitals', { form: { ...FIELDS, client_secret: 'FAKE-CLIENT-SECRET' } }],
    ['123', 'a wrong secret in the header', { form: GRANT, authorization: basic('fake-client-id', 'guess') }],
    ['123', 'an empty secret', { form: { ...FIELDS, client_secret: '' } }],
    ['123', 'a missing secret', { form: { ...GRANT, client_id: 'fake-client-id' } }],
    ['108', 'an unknown refresh token', refresh('x')],
    ['108', 'an empty refresh token', refresh('')],
    ['108', 'no refresh token', refresh()],
  ])('a token request is rejected with %s for %s (§5)', async (code, _why, request) => {
    const fake = await startFake()
    const [type, status] = TYPES[code] ?? []
    const response = await askForToken(fake, request)
    expect(response).toEqual({ status, body: { error: true, code, type, message: expect.any(String) } })
    expect(JSON.stringify(response)).not.toMatch(/guess|fake-client-secret/)
  })

  it('a refresh token cannot be replaced by an access token, nor the other way round (§5)', async () => {
    const fake = await startFake()
    const { access_token, refresh_token } = await fake.tokens.issue()
    expect(await askForToken(fake, refresh(access_token))).toMatchObject({ body: { code: '108' } })
    const headers = { authorization: `Bearer ${refresh_token}` }
    expect(await read(await fetch(`${fake.baseUrl}/v1/vendors`, { headers }))).toMatchObject({
      status: 401,
      body: { code: 'INVALID_JWT' },
    })
  })

  it('after the account is closed, both grants respond with 102 UserNotFound (§5)', async () => {
    const fake = await startFake()
    const { body } = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    fake.tokens.closeAccount()
    const refresh = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }
    expect(await askForToken(fake, { form: GRANT, authorization: RIGHT })).toMatchObject({
      status: 401,
      body: { code: '102' },
    })
    expect(await askForToken(fake, { form: refresh })).toMatchObject({ status: 401, body: { code: '102' } })
    fake.tokens.reopenAccount()
    expect(await askForToken(fake, { form: GRANT, authorization: RIGHT })).toMatchObject({ status: 200 })
  })

  it('an option changes the statuses of the token errors, because the specification gives none (§5)', async () => {
    const fake = await startFake({ tokenErrorStatuses: { 110: 400 } })
    const response = await askForToken(fake, { form: GRANT, authorization: basic('nobody', 'x') })
    expect(response).toMatchObject({ status: 400, body: { code: '110' } })
  })

  it('the token service has its paths under /auth and at the root (§5)', async () => {
    const fake = await startFake()
    const response = await fetch(`${fake.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': FORM, authorization: RIGHT },
      body: 'grant_type=client_credentials',
    })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  })
})

describe('the refresh grant (§5)', () => {
  it('a refresh token works once (§5)', async () => {
    const fake = await startFake()
    const first = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    const form = { grant_type: 'refresh_token', refresh_token: String(first.body['refresh_token']) }
    const second = await askForToken(fake, { form })
    expect(second.status).toBe(200)
    expect(second.body['refresh_token']).not.toBe(first.body['refresh_token'])
    expect(await askForToken(fake, { form })).toMatchObject({ status: 400, body: { code: '108' } })
    const next = { ...form, refresh_token: String(second.body['refresh_token']) }
    expect(await askForToken(fake, { form: next })).toMatchObject({ status: 200 })
    const headers = { authorization: `Bearer ${first.body['access_token']}` }
    expect((await read(await fetch(`${fake.baseUrl}/v1/vendors`, { headers }))).status).toBe(200)
  })

  it('a refresh token that has expired on the fake clock gives error 108 (§5)', async () => {
    const fake = await startFake({ refreshTokenSeconds: 60 })
    const { body } = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    await fake.clock.advance({ seconds: 60 })
    const form = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }
    expect(await askForToken(fake, { form })).toMatchObject({ status: 400, body: { code: '108' } })
  })

  it('a revoked refresh token gives error 108 (§5)', async () => {
    const fake = await startFake()
    const { refresh_token } = await fake.tokens.issue()
    fake.tokens.revokeRefreshTokens()
    const response = await askForToken(fake, { form: { grant_type: 'refresh_token', refresh_token } })
    expect(response).toMatchObject({ status: 400, body: { code: '108' } })
  })

  it('the refresh grant checks credentials that are sent with it (§5)', async () => {
    const fake = await startFake()
    const { refresh_token } = await fake.tokens.issue()
    const form = { grant_type: 'refresh_token', refresh_token }
    const wrong = await askForToken(fake, { form, authorization: basic('fake-client-id', 'wrong') })
    expect(wrong).toMatchObject({ body: { code: '123' } })
    expect(await askForToken(fake, { form, authorization: RIGHT })).toMatchObject({ status: 200 })
  })
})

describe('access tokens at the API (§5, §7)', () => {
  async function askWith(fake: FakePathologyService, authorization?: string) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    return read(await fetch(`${fake.baseUrl}/v1/vendors`, { headers }))
  }
  const rejected = (code: string, message: string) => ({
    status: 401,
    body: { error: true, code, message, errorList: [] },
  })
  const INVALID = rejected('INVALID_JWT', 'Invalid access token')
  const FOREIGN = rejected('INVALID_JWT_SIGNATURE', 'Invalid JWT signature')

  it.each(['Basic abc', 'Bearer', 'Bearer a.b.c d', 'Token x'])(
    'a request with %s gets 401 INVALID_JWT (§7)',
    async (authorization) => {
      const fake = await startFake()
      expect(await askWith(fake, authorization)).toEqual(INVALID)
    },
  )

  it('a well-formed JWT of another key gets 401 INVALID_JWT_SIGNATURE (§7)', async () => {
    const fake = await startFake()
    const token = await new SignJWT({ number: 1 })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('pathology-fake')
      .setExpirationTime(new Date('2030-01-01'))
      .sign(new TextEncoder().encode('some other key of sufficient length'))
    expect(await askWith(fake, `Bearer ${token}`)).toEqual(FOREIGN)
  })

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const OWN = part({ iss: 'pathology-fake', number: 1, exp: 4_000_000_000 })

  it.each<[string, (token: readonly string[]) => string, object]>([
    ['no signature', ([head, claims]) => `${head}.${claims}`, INVALID],
    ['an empty signature', ([head, claims]) => `${head}.${claims}.`, FOREIGN],
    ['another signature', ([head, claims, end = '']) => `${head}.${claims}.A${end.slice(1)}_`, FOREIGN],
    ['other claims', ([head, , end]) => `${head}.${OWN}.${end}`, FOREIGN],
    ['the algorithm none', () => `${part({ alg: 'none' })}.${OWN}.`, FOREIGN],
    ['a fourth part', (parts) => `${parts.join('.')}.x`, INVALID],
  ])('an access token with %s gets a 401 (§7)', async (_name, change, rejection) => {
    const fake = await startFake()
    const { access_token } = await fake.tokens.issue()
    expect(await askWith(fake, `bearer ${access_token}`)).toMatchObject({ status: 200 })
    expect(await askWith(fake, `Bearer ${change(access_token.split('.'))}`)).toEqual(rejection)
  })

  it('credentials of staging do not work in production (§1)', async () => {
    const staging = await startFake()
    const production = await startFake({ environment: 'production' })
    const { access_token } = await staging.tokens.issue()
    expect(await askWith(production, `Bearer ${access_token}`)).toEqual(FOREIGN)
    expect(await askWith(staging, `Bearer ${access_token}`)).toMatchObject({ status: 200 })
  })

  it('a token gets 401 INVALID_JWT exactly when it expires on the fake clock (§5, §7)', async () => {
    const fake = await startFake({ accessTokenSeconds: 90 })
    const { access_token } = await fake.tokens.issue()
    await fake.clock.advance({ seconds: 89, milliseconds: 999 })
    expect(await askWith(fake, `Bearer ${access_token}`)).toMatchObject({ status: 200 })
    await fake.clock.advance({ milliseconds: 1 })
    expect(await askWith(fake, `Bearer ${access_token}`)).toEqual(INVALID)
  })

  it('a revoked token gets 401 INVALID_JWT, used before or not, and no other token does (§7)', async () => {
    const fake = await startFake()
    const { access_token: seen } = await fake.tokens.issue()
    const { access_token: unseen } = await fake.tokens.issue()
    await askWith(fake, `Bearer ${seen}`)
    fake.tokens.revokeAll()
    const { access_token: later } = await fake.tokens.issue()
    expect(await askWith(fake, `Bearer ${seen}`)).toEqual(INVALID)
    expect(await askWith(fake, `Bearer ${unseen}`)).toEqual(INVALID)
    expect(await askWith(fake, `Bearer ${later}`)).toMatchObject({ status: 200 })
    await fake.tokens.revoke(later)
    expect(await askWith(fake, `Bearer ${later}`)).toEqual(INVALID)
  })

  it('after the signing key changed, an older token gets 401 INVALID_JWT_SIGNATURE (§7)', async () => {
    const fake = await startFake()
    const { access_token } = await fake.tokens.issue()
    await askWith(fake, `Bearer ${access_token}`)
    fake.tokens.rotateSigningKey()
    expect(await askWith(fake, `Bearer ${access_token}`)).toEqual(FOREIGN)
  })
})

describe('access tokens after reset() and restore()', () => {
  const statusWith = async (fake: FakePathologyService, token: string) =>
    (await fake.fetch(`${fake.baseUrl}/v1/vendors`, { headers: { authorization: `Bearer ${token}` } })).status

  it('an access token stays valid after a reset, until every token is revoked', async () => {
    const fake = createFake()
    const { access_token } = await fake.tokens.issue()
    fake.reset()
    expect(await statusWith(fake, access_token)).toBe(200)
    fake.tokens.revokeAll()
    expect(await statusWith(fake, access_token)).toBe(401)
    const { access_token: later } = await fake.tokens.issue()
    expect(await statusWith(fake, later)).toBe(200)
  })

  it('a reset does not make a rejected token valid', async () => {
    const fake = createFake()
    const { access_token: one } = await fake.tokens.issue()
    await fake.tokens.revoke(one)
    fake.reset()
    expect(await statusWith(fake, one)).toBe(401)
    const { access_token: all } = await fake.tokens.issue()
    fake.tokens.revokeAll()
    fake.reset()
    expect(await statusWith(fake, all)).toBe(401)
    const { access_token: earlierKey } = await fake.tokens.issue()
    fake.tokens.rotateSigningKey()
    fake.reset()
    expect(await statusWith(fake, earlierKey)).toBe(401)
  })

  it('a refresh token from before a reset does not become valid again with later tokens', async () => {
    const fake = createFake()
    const { refresh_token: before } = await fake.tokens.issue()
    fake.reset()
    const { refresh_token: after } = await fake.tokens.issue()
    expect(after).not.toBe(before)
  })

  it('revokeAll() also rejects tokens that were issued after a restored snapshot', async () => {
    const fake = createFake()
    const snapshot = fake.snapshot()
    const { access_token } = await fake.tokens.issue()
    fake.restore(snapshot)
    expect(await statusWith(fake, access_token)).toBe(200)
    fake.tokens.revokeAll()
    expect(await statusWith(fake, access_token)).toBe(401)
  })
})
