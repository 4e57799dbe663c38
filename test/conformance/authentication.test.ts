import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { expectError } from './support/check.js'
import { endpointRows } from './support/endpoints.js'
import { at, str } from './support/json.js'
import { startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const grant = {
  grant_type: 'client_credentials',
  client_id: service.clientId,
  client_secret: service.clientSecret,
}
const granted = await service.tokens(grant)
const refreshToken = str(at(granted.body, 'refresh_token'))

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const [header = '', claims = '', signature = ''] = service.token.split('.')
const now = Math.floor(Date.now() / 1000)
const ownClaims = encoded({ sub: 'someone', iat: now, exp: now + 3600 })

const hmac = (head: string, payload: string): string =>
  `${head}.${payload}.${createHmac('sha256', 'a key of ours').update(`${head}.${payload}`).digest('base64url')}`

const rsa = (payload: string): string => {
  const head = encoded({ alg: 'RS256', typ: 'JWT' })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const made = sign('sha256', Buffer.from(`${head}.${payload}`), privateKey).toString('base64url')
  return `${head}.${payload}.${made}`
}

const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
const invalid = ['INVALID_JWT']
const unsigned = ['INVALID_JWT_SIGNATURE']
const jwtEither = ['INVALID_JWT', 'INVALID_JWT_SIGNATURE']
const headerEither = ['INVALID_JWT', 'MISSING_AUTHORIZATION_HEADER']

const refusals: readonly (readonly [string, string | null, readonly string[]])[] = [
  ['no header', null, ['MISSING_AUTHORIZATION_HEADER']],
  ['an empty header', '', ['MISSING_AUTHORIZATION_HEADER']],
  ['Bearer and nothing', 'Bearer ', headerEither],
  ['a Basic header', `Basic ${Buffer.from('a:b').toString('base64')}`, headerEither],
  ['garbage', 'Bearer garbage', invalid],
  ['three random parts', 'Bearer a.b.c', invalid],
  ['a token without its signature', `Bearer ${header}.${claims}`, invalid],
  ['a token with an empty signature', `Bearer ${header}.${claims}.`, jwtEither],
  ['a refresh token', `Bearer ${refreshToken}`, invalid],
  ["a JWT with another key and the service's claims", `Bearer ${hmac(header, claims)}`, unsigned],
  [
    'a JWT with another key and other claims',
    `Bearer ${hmac(encoded({ alg: 'HS256', typ: 'JWT' }), ownClaims)}`,
    unsigned,
  ],
  ['a JWT signed with RSA', `Bearer ${rsa(ownClaims)}`, jwtEither],
  ['a JWT with one letter of its signature changed', `Bearer ${header}.${claims}.${flipped}`, unsigned],
  ['a JWT with other claims and the old signature', `Bearer ${header}.${ownClaims}.${signature}`, unsigned],
  ['a JWT with alg none', `Bearer ${encoded({ alg: 'none' })}.${ownClaims}.`, jwtEither],
  ['the token and more words', `Bearer ${service.token} more`, invalid],
]

const messages: Readonly<Record<string, string>> = {
  MISSING_AUTHORIZATION_HEADER: 'Missing Authorization header',
  INVALID_JWT: 'Invalid access token',
  INVALID_JWT_SIGNATURE: 'Invalid JWT signature',
}

describe('§5 without an access token of the service', () => {
  it.each(refusals)('a request with %s gets a 401', async (_name, authorization, codes) => {
    const answer = await service.call('GET', '/v1/vendors', { authorization })
    expectError(answer, 401, codes)
    expect(at(answer.body, 'message')).toBe(messages[str(at(answer.body, 'code'))])
    expect(at(answer.body, 'errorList')).toEqual([])
  })
  it.each(endpointRows)('%s accepts the token', async (_name, { method, path, body }) => {
    const answer = await service.call(method, path, body === undefined ? {} : { body })
    expect(answer.status).not.toBe(401)
    expect(answer.status).toBeLessThan(500)
  })
})

describe('§5 the header', () => {
  it('the scheme may be written in any case, but only Bearer is accepted', async () => {
    const answer = await service.call('GET', '/v1/vendors', { authorization: `bearer ${service.token}` })
    expect([200, 401]).toContain(answer.status)
  })
  it('a 401 never repeats the token that was sent', async () => {
    const answer = await service.call('GET', '/v1/vendors', { authorization: 'Bearer secret-guess' })
    expect(answer.text).not.toContain('secret-guess')
  })
})

const oneOfEachMethod = endpointRows.filter(
  ([, { method }], index) => index === endpointRows.findIndex(([, other]) => other.method === method),
)

describe('§5 tokens that are no longer valid', () => {
  it.each(oneOfEachMethod)(
    'an expired token on %s gets INVALID_JWT',
    async (_name, { method, path, body }) => {
      const { body: pair } = await service.tokens(grant)
      const options = {
        authorization: `Bearer ${str(at(pair, 'access_token'))}`,
        ...(body === undefined ? {} : { body }),
      }
      await service.control('POST', '/clock/advance', { seconds: 3601 })
      expectError(await service.call(method, path, options), 401, 'INVALID_JWT')
    },
  )
  it('a revoked token gets INVALID_JWT', async () => {
    const { body: pair } = await service.tokens(grant)
    const accessToken = str(at(pair, 'access_token'))
    await service.control('POST', '/tokens/revoke', { accessToken })
    const answer = await service.call('GET', '/v1/vendors', { authorization: `Bearer ${accessToken}` })
    expectError(answer, 401, 'INVALID_JWT')
  })
  it('a token of a replaced signing key gets INVALID_JWT_SIGNATURE', async () => {
    const { body: pair } = await service.tokens(grant)
    await service.control('POST', '/tokens/rotate-signing-key')
    const authorization = `Bearer ${str(at(pair, 'access_token'))}`
    expectError(await service.call('GET', '/v1/vendors', { authorization }), 401, 'INVALID_JWT_SIGNATURE')
    const { body: fresh } = await service.tokens(grant)
    const again = await service.call('GET', '/v1/vendors', {
      authorization: `Bearer ${str(at(fresh, 'access_token'))}`,
    })
    expect(again.status).toBe(200)
  })
})
