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

describe('§5 client credentials grant', () => {
  it.each([
    ['the Basic header', { form: GRANT, authorization: RIGHT }],
    ['form fields', { form: { ...GRANT, client_id: 'fake-client-id', client_secret: 'fake-client-secret' } }],
  ])('returns a pair of tokens for %s', async (_name, request) => {
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

  it('issues a JWT with issue and expiry times of the fake clock, and a new one each time', async () => {
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

  it('accepts URL-encoded credentials in the header, as in OAuth', async () => {
    const fake = await startFake({ clientId: 'an id', clientSecret: 's%c+ret' })
    const { status } = await askForToken(fake, { form: GRANT, authorization: basic('an+id', 's%25c%2Bret') })
    expect(status).toBe(200)
  })
})

describe('§5 errors of the token service', () => {
  it.each<[code: string, type: string, status: number, why: string, request: TokenRequest]>([
    [
      '109',
      'InvalidGrantType',
      400,
      'an unknown grant',
      { form: { grant_type: 'password' }, authorization: RIGHT },
    ],
    ['109', 'InvalidGrantType', 400, 'no grant', { authorization: RIGHT }],
    [
      '109',
      'InvalidGrantType',
      400,
      'a body that is not a form',
      { form: GRANT, authorization: RIGHT, contentType: 'text/plain' },
    ],
    [
      '110',
      'InvalidClientId',
      401,
      'an unknown client id',
      { form: GRANT, authorization: basic('nobody', 'fake-client-secret') },
    ],
    ['111', 'MissingClientId', 400, 'no client at all', { form: GRANT }],
    ['111', 'MissingClientId', 400, 'an empty client id', { form: { ...GRANT, client_id: '' } }],
    [
      '117',
      'AuthorizationTokenNotFound',
      401,
      'a scheme with nothing behind it',
      { form: GRANT, authorization: 'Basic' },
    ],
    [
      '118',
      'AuthorizationHeaderInvalid',
      401,
      'another scheme',
      { form: GRANT, authorization: 'Bearer abc' },
    ],
    ['118', 'AuthorizationHeaderInvalid', 401, 'no base64', { form: GRANT, authorization: 'Basic ***' }],
    [
      '118',
      'AuthorizationHeaderInvalid',
      401,
      'no colon',
      { form: GRANT, authorization: `Basic ${btoa('nocolon')}` },
    ],
    [
      '123',
      'InvalidCredentials',
      401,
      'a wrong secret',
      { form: GRANT, authorization: basic('fake-client-id', 'wrong') },
    ],
    [
      '123',
      'InvalidCredentials',
      401,
      'a missing secret',
      { form: { ...GRANT, client_id: 'fake-client-id' } },
    ],
    [
      '108',
      'RefreshTokenInvalid',
      400,
      'an unknown refresh token',
      { form: { grant_type: 'refresh_token', refresh_token: 'x' } },
    ],
    ['108', 'RefreshTokenInvalid', 400, 'no refresh token', { form: { grant_type: 'refresh_token' } }],
  ])('%s %s with status %i for %s', async (code, type, status, _why, request) => {
    const fake = await startFake()
    const response = await askForToken(fake, request)
    expect(response).toEqual({ status, body: { error: true, code, type, message: expect.any(String) } })
  })

  it('102 UserNotFound after the account is closed, for both grants', async () => {
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

  it('has statuses that an option changes, because §5 gives none', async () => {
    const fake = await startFake({ tokenErrorStatuses: { 110: 400 } })
    const response = await askForToken(fake, { form: GRANT, authorization: basic('nobody', 'x') })
    expect(response).toMatchObject({ status: 400, body: { code: '110' } })
  })

  it('the token service has its paths under /auth and at the root', async () => {
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

describe('§5 refresh grant', () => {
  it('rotates: a refresh token works once', async () => {
    const fake = await startFake()
    const first = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    const form = { grant_type: 'refresh_token', refresh_token: String(first.body['refresh_token']) }
    const second = await askForToken(fake, { form })
    expect(second.status).toBe(200)
    expect(second.body['refresh_token']).not.toBe(first.body['refresh_token'])
    expect(await askForToken(fake, { form })).toMatchObject({ status: 400, body: { code: '108' } })
  })

  it('rejects with 108 once the token has expired on the fake clock', async () => {
    const fake = await startFake({ refreshTokenSeconds: 60 })
    const { body } = await askForToken(fake, { form: GRANT, authorization: RIGHT })
    await fake.clock.advance({ seconds: 60 })
    const form = { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }
    expect(await askForToken(fake, { form })).toMatchObject({ status: 400, body: { code: '108' } })
  })

  it('rejects with 108 after every refresh token was revoked', async () => {
    const fake = await startFake()
    const { refresh_token } = await fake.tokens.issue()
    fake.tokens.revokeRefreshTokens()
    const response = await askForToken(fake, { form: { grant_type: 'refresh_token', refresh_token } })
    expect(response).toMatchObject({ status: 400, body: { code: '108' } })
  })

  it('checks credentials that are sent with it', async () => {
    const fake = await startFake()
    const { refresh_token } = await fake.tokens.issue()
    const form = { grant_type: 'refresh_token', refresh_token }
    const wrong = await askForToken(fake, { form, authorization: basic('fake-client-id', 'wrong') })
    expect(wrong).toMatchObject({ body: { code: '123' } })
    expect(await askForToken(fake, { form, authorization: RIGHT })).toMatchObject({ status: 200 })
  })
})

describe('§5, §7 access tokens at the API', () => {
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

  it('401 MISSING_AUTHORIZATION_HEADER without the header', async () => {
    const fake = await startFake()
    expect(await askWith(fake)).toEqual(
      rejected('MISSING_AUTHORIZATION_HEADER', 'Missing Authorization header'),
    )
  })

  it.each([['Basic abc'], ['Bearer'], ['Bearer garbage'], ['Bearer a.b.c'], ['Token x']])(
    '401 INVALID_JWT for %s',
    async (authorization) => {
      const fake = await startFake()
      expect(await askWith(fake, authorization)).toEqual(INVALID)
    },
  )

  it('401 INVALID_JWT_SIGNATURE for a well-formed JWT of another key', async () => {
    const fake = await startFake()
    const token = await new SignJWT({ number: 1 })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('pathology-fake')
      .setExpirationTime(new Date('2030-01-01'))
      .sign(new TextEncoder().encode('some other key of sufficient length'))
    expect(await askWith(fake, `Bearer ${token}`)).toEqual(FOREIGN)
  })

  it('401 INVALID_JWT_SIGNATURE for a JWT without a signature', async () => {
    const fake = await startFake()
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'none' })}.${part({ iss: 'pathology-fake', number: 1 })}.`
    expect(await askWith(fake, `Bearer ${token}`)).toEqual(FOREIGN)
  })

  it('§1 credentials of staging do not work in production', async () => {
    const staging = await startFake()
    const production = await startFake({ environment: 'production' })
    const { access_token } = await staging.tokens.issue()
    expect(await askWith(production, `Bearer ${access_token}`)).toEqual(FOREIGN)
    expect(await askWith(staging, `Bearer ${access_token}`)).toMatchObject({ status: 200 })
  })

  it('401 INVALID_JWT exactly when the token expires on the fake clock', async () => {
    const fake = await startFake({ accessTokenSeconds: 90 })
    const { access_token } = await fake.tokens.issue()
    await fake.clock.advance({ seconds: 89, milliseconds: 999 })
    expect(await askWith(fake, `Bearer ${access_token}`)).toMatchObject({ status: 200 })
    await fake.clock.advance({ milliseconds: 1 })
    expect(await askWith(fake, `Bearer ${access_token}`)).toEqual(INVALID)
  })

  it('401 INVALID_JWT for a revoked token, used before or not, and for no other', async () => {
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

  it('401 INVALID_JWT_SIGNATURE after the signing key changed', async () => {
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

  it('a valid token stays valid after a reset, until every token is revoked', async () => {
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
