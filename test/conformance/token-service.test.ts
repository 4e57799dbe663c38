import { afterAll, describe, expect, it } from 'vitest'
import { expectShape, filled, integer, is, matches, type Shape } from './support/check.js'
import { at, obj, parseJson, str } from './support/json.js'
import { type Answer, startService } from './support/service.js'

const service = await startService()
afterAll(() => service.stop())

const types: Readonly<Record<string, string>> = {
  102: 'UserNotFound',
  108: 'RefreshTokenInvalid',
  109: 'InvalidGrantType',
  110: 'InvalidClientId',
  111: 'MissingClientId',
  117: 'AuthorizationTokenNotFound',
  118: 'AuthorizationHeaderInvalid',
  123: 'InvalidCredentials',
}

const expectTokenError = (answer: Answer, ...codes: readonly string[]): void => {
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(String(answer.headers['content-type'])).toMatch(/json/)
  const body = obj(answer.body)
  expect(body['error']).toBe(true)
  expect(body['code']).toEqual(expect.stringMatching(/^\d+$/))
  expect(body['message']).toEqual(expect.stringMatching(/\S/))
  expect(codes, answer.text).toContain(body['code'])
  expect(body['type']).toBe(types[str(body['code'])])
}

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
const { clientId, clientSecret } = service
const grant = { grant_type: 'client_credentials' }
const whole = { ...grant, client_id: clientId, client_secret: clientSecret }
const works = async (accessToken: string): Promise<number> =>
  (await service.call('GET', '/v1/vendors', { authorization: `Bearer ${accessToken}` })).status

const refreshToken = async (): Promise<string> => str(at((await service.tokens(whole)).body, 'refresh_token'))
const refresh = (token: string): Promise<Answer> =>
  service.tokens({ grant_type: 'refresh_token', refresh_token: token })

const body: Shape = {
  access_token: matches(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  refresh_token: filled,
  token_type: is('Bearer'),
  expires_in: is(3600),
  refresh_expires_in: is(2592000),
}

const ways: readonly (readonly [string, () => Promise<Answer>])[] = [
  ['form fields', () => service.tokens(whole)],
  ['Basic header', () => service.tokens(grant, { authorization: basic(clientId, clientSecret) })],
  ['refresh token', async () => refresh(await refreshToken())],
  [
    'form fields with a charset in the content type',
    () => service.tokens(whole, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
  ],
  ['form fields and Accept', () => service.tokens(whole, { accept: 'application/json' })],
]

describe.each(ways)('§5 grant by %s', (_way, ask) => {
  it('each field of the response has its type', async () => {
    const answer = await ask()
    expect(answer.status).toBe(200)
    expectShape([answer.body], body)
  })
  it('gives an access token that works', async () => {
    expect(await works(str(at((await ask()).body, 'access_token')))).toBe(200)
  })
  it('is JSON', async () => {
    expect(String((await ask()).headers['content-type'])).toMatch(/application\/json/)
  })
})

describe('§5 the tokens', () => {
  it.each([0, 1])('part %i of the access token is JSON in base64url', async (part) => {
    const token = str(at((await service.tokens(whole)).body, 'access_token'))
    const text = Buffer.from(token.split('.')[part] ?? '', 'base64url').toString('utf8')
    expect(typeof obj(parseJson(text))).toBe('object')
  })
  it('exp, if there is one, agrees with expires_in', async () => {
    const answer = await service.tokens(whole)
    const payload = str(at(answer.body, 'access_token')).split('.')[1] ?? ''
    const claims = obj(parseJson(Buffer.from(payload, 'base64url').toString('utf8')))
    if (integer(claims['exp']) && integer(claims['iat']))
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3600)
  })
  it('each grant gives another access and refresh token', async () => {
    const [one, two] = await Promise.all([service.tokens(whole), service.tokens(whole)])
    expect(at(one?.body, 'access_token')).not.toBe(at(two?.body, 'access_token'))
    expect(at(one?.body, 'refresh_token')).not.toBe(at(two?.body, 'refresh_token'))
  })
  it('an older access token works next to a newer one', async () => {
    await service.tokens(whole)
    expect(await works(service.token)).toBe(200)
  })
  it('a refresh gives a new refresh token', async () => {
    const old = await refreshToken()
    expect(at((await refresh(old)).body, 'refresh_token')).not.toBe(old)
  })
  it('the new refresh token works, five times in a row', async () => {
    let token = await refreshToken()
    for (let turn = 0; turn < 5; turn += 1) {
      const answer = await refresh(token)
      expect(answer.status).toBe(200)
      token = str(at(answer.body, 'refresh_token'))
    }
  })
  it('a used refresh token is rejected with 108', async () => {
    const old = await refreshToken()
    await refresh(old)
    expectTokenError(await refresh(old), '108')
  })
  it('a refresh with Basic credentials works too', async () => {
    const answer = await service.tokens(
      { grant_type: 'refresh_token', refresh_token: await refreshToken() },
      { authorization: basic(clientId, clientSecret) },
    )
    expect(answer.status).toBe(200)
  })
  it('a refresh with client_id and client_secret in the form works too', async () => {
    const token = await refreshToken()
    const answer = await service.tokens({ ...whole, grant_type: 'refresh_token', refresh_token: token })
    expect(answer.status).toBe(200)
  })
  it('scopes and other fields of OAuth are accepted', async () => {
    expect((await service.tokens({ ...whole, scope: 'api' })).status).toBe(200)
  })
})

const refused: readonly (readonly [string, Record<string, string>, Record<string, string>, string[]])[] = [
  ['grant_type=password', { ...whole, grant_type: 'password' }, {}, ['109']],
  ['grant_type=authorization_code', { ...whole, grant_type: 'authorization_code' }, {}, ['109']],
  ['grant_type in capitals', { ...whole, grant_type: 'CLIENT_CREDENTIALS' }, {}, ['109']],
  ['an empty grant_type', { ...whole, grant_type: '' }, {}, ['109']],
  ['no grant_type', { client_id: clientId, client_secret: clientSecret }, {}, ['109']],
  ['no body', {}, {}, ['109']],
  [
    'grant_type=password with a Basic header',
    { grant_type: 'password' },
    { authorization: basic(clientId, clientSecret) },
    ['109'],
  ],
  ['no credentials', grant, {}, ['111', '117']],
  ['no client_id', { ...grant, client_secret: clientSecret }, {}, ['111']],
  ['an empty client_id', { ...whole, client_id: '' }, {}, ['111', '110']],
  ['an unknown client_id', { ...whole, client_id: 'nobody' }, {}, ['110']],
  ['an unknown client_id in Basic', grant, { authorization: basic('nobody', clientSecret) }, ['110']],
  ['a client_id with a space', { ...whole, client_id: `${clientId} ` }, {}, ['110']],
  ['a wrong secret', { ...whole, client_secret: 'wrong' }, {}, ['123']],
  ['an empty secret', { ...whole, client_secret: '' }, {}, ['123']],
  ['no secret', { ...grant, client_id: clientId }, {}, ['123', '117']],
  ['a secret in other case', { ...whole, client_secret: clientSecret.toUpperCase() }, {}, ['123']],
  ['a wrong secret in Basic', grant, { authorization: basic(clientId, 'wrong') }, ['123']],
  ['an empty secret in Basic', grant, { authorization: basic(clientId, '') }, ['123']],
  [
    'Basic without a colon',
    grant,
    { authorization: `Basic ${Buffer.from('nocolon').toString('base64')}` },
    ['118'],
  ],
  ['Basic that is not base64', grant, { authorization: 'Basic %%%' }, ['118']],
  ['Basic with nothing behind it', grant, { authorization: 'Basic ' }, ['118', '117']],
  ['a Bearer header', grant, { authorization: `Bearer ${service.token}` }, ['118']],
  ['a Digest header', grant, { authorization: 'Digest username="a"' }, ['118']],
  ['a header of one word', grant, { authorization: 'nonsense' }, ['118']],
  ['refresh without refresh_token', { grant_type: 'refresh_token' }, {}, ['108']],
  ['refresh with an empty one', { grant_type: 'refresh_token', refresh_token: '' }, {}, ['108']],
  ['refresh with an invalid token', { grant_type: 'refresh_token', refresh_token: 'garbage' }, {}, ['108']],
  [
    'refresh with an access token',
    { grant_type: 'refresh_token', refresh_token: service.token },
    {},
    ['108'],
  ],
  [
    'refresh with a very long token',
    { grant_type: 'refresh_token', refresh_token: 'a'.repeat(5000) },
    {},
    ['108'],
  ],
]

describe('§5 token errors {error, code, type, message}', () => {
  it.each(refused)('%s', async (_what, form, headers, codes) => {
    expectTokenError(await service.tokens(form, headers), ...codes)
  })
  it('an account that no longer exists is rejected with 102', async () => {
    await service.control('POST', '/tokens/close-account')
    const answer = await service.tokens(whole)
    await service.control('POST', '/tokens/reopen-account')
    expectTokenError(answer, '102')
  })
  it.each(['GET', 'PUT', 'DELETE'] as const)('%s of the token path is rejected as JSON', async (method) => {
    const answer = await service.send(`${service.authUrl}/oauth/token`, method)
    expect([404, 405]).toContain(answer.status)
    expect(at(answer.body, 'error')).toBe(true)
  })
  it('a JSON body is accepted or rejected, and never causes a crash', async () => {
    const answer = await service.send(`${service.authUrl}/oauth/token`, 'POST', { body: whole })
    expect(answer.status).toBeLessThan(500)
    if (answer.status !== 200) expectTokenError(answer, ...Object.keys(types))
  })
  it('errors contain no secret', async () => {
    const answer = await service.tokens({ ...whole, client_secret: 'very-secret-guess' })
    expect(answer.text).not.toContain('very-secret-guess')
    expect(answer.text).not.toContain(clientSecret)
  })
})

describe('§5 lifetimes, on the clock of the service', () => {
  it('an access token older than 3600 seconds gets INVALID_JWT, and its refresh token still works', async () => {
    const granted = obj((await service.tokens(whole)).body)
    const authorization = `Bearer ${str(granted['access_token'])}`
    await service.control('POST', '/clock/advance', { seconds: 3590 })
    expect((await service.call('GET', '/v1/vendors', { authorization })).status).toBe(200)
    await service.control('POST', '/clock/advance', { seconds: 15 })
    const late = await service.call('GET', '/v1/vendors', { authorization })
    expect(late.status).toBe(401)
    expect(at(late.body, 'code')).toBe('INVALID_JWT')
    const again = await refresh(str(granted['refresh_token']))
    expect(again.status).toBe(200)
    expect(await works(str(at(again.body, 'access_token')))).toBe(200)
  })
  it('a refresh token older than 2592000 seconds is rejected with 108', async () => {
    const token = await refreshToken()
    await service.control('POST', '/clock/advance', { seconds: 2592001 })
    expectTokenError(await refresh(token), '108')
  })
})
