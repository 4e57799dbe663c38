import { SignJWT } from 'jose'
import { TokenError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { readTokenResponse } from '../../../src/client/auth/token-response.js'
import { rejection } from '../../support/clients.js'

const NOW = Date.parse('2026-03-02T01:00:00Z')
const DATE = 'Mon, 02 Mar 2026 01:00:00 GMT'
const SECONDS = NOW / 1_000

const good = {
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  token_type: 'Bearer',
  expires_in: 3_600,
  refresh_expires_in: 7_200,
}

const read = (body: unknown, { status = 200, date = DATE }: { status?: number; date?: string } = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readTokenResponse(
    { status, headers: { date }, body: text },
    NOW,
    2,
    'https://auth.example/oauth/token',
  )
}

/** Responses of the service: a status and an error body. */
async function refusal(status: number, body: object | string): Promise<TokenError> {
  const error = await rejection(read(body, { status }))
  if (error instanceof TokenError) return error
  throw error
}

it('a token response contains the tokens, with their expiry by the local clock (§5)', async () => {
  const expected = {
    ...{ accessToken: 'access-1', issuedAt: NOW, expiresAt: NOW + 3_600_000 },
    ...{ refreshToken: 'refresh-1', refreshExpiresAt: NOW + 7_200_000 },
  }
  expect(await read(good)).toEqual(expected)
  expect(await read({ ...good, expires_in: '3600', refresh_expires_in: '7200' })).toEqual(expected)
})

it.each([
  [0],
  [-1],
  ['0'],
  ['7200 s'],
  ['-7200'],
  ['1e3'],
  [''],
  ['9'.repeat(400)],
  [null],
  [undefined],
  [true],
])('refresh_expires_in %j means that the expiry of the refresh token is unknown', async (value) => {
  const stored = await read({ ...good, refresh_expires_in: value })
  expect(stored).toMatchObject({ refreshToken: 'refresh-1', refreshExpiresAt: undefined })
})

it.each([7, null, '', {}])('a refresh token %j is treated as missing', async (value) => {
  expect(await read({ ...good, refresh_token: value })).toMatchObject({ refreshToken: undefined })
})

it.each(['null', '7', '"access-1"', '{"access_token":', ''])(
  'a token response %j is not that of a token service',
  async (text) => {
    expect(await refusal(200, text)).toMatchObject({
      ...{ code: 'TOKEN_RESPONSE_NOT_JSON', outcome: 'failed', status: 200, attempts: 2 },
      message: expect.stringContaining('it must be a JSON object; check authUrl'),
    })
  },
)

it.each([
  ...['a b', 'abc\r\nx-evil: 1', 'abcdé', '', 7, null, { token: 'x' }].map(
    (value) => ['access_token', value] as const,
  ),
  ...[0, -1, '0', '3600 s', '', '9'.repeat(400), null, undefined, true].map(
    (value) => ['expires_in', value] as const,
  ),
])('a token response with the %s %j is rejected', async (field, value) => {
  const error = await refusal(200, { ...good, [field]: value })
  expect(error).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID', outcome: 'failed' })
  expect(error.message).toContain(field)
})

it('a token response with an infinite life is rejected', async () => {
  const body = JSON.stringify(good).replace('3600', '1e400')
  expect(await refusal(200, body)).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID' })
})

/** Life of a token with these claims, in seconds. */
const lifeOf = async (claims: Record<string, unknown>, date?: string): Promise<number> => {
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))
  const stored = await read({ ...good, access_token: token }, date === undefined ? {} : { date })
  return (stored.expiresAt - stored.issuedAt) / 1_000
}

it.each<[string, Record<string, unknown>, string | undefined, number]>([
  [
    'from its iat, whatever the time of the response',
    { iat: SECONDS - 500, exp: SECONDS + 100 },
    undefined,
    600,
  ],
  [
    'from the Date of the response without an iat',
    { exp: SECONDS + 700 },
    'Mon, 02 Mar 2026 01:01:40 GMT',
    600,
  ],
  [
    'from the Date of the response with an unreadable iat',
    { exp: SECONDS + 700, iat: 'now' },
    'Mon, 02 Mar 2026 01:01:40 GMT',
    600,
  ],
  ['from the local clock without a Date', { exp: SECONDS + 700 }, 'today', 700],
  [
    'from iat in the past of the local clock',
    { iat: SECONDS - 900, exp: SECONDS - 300 },
    'Mon, 02 Mar 2026 00:30:00 GMT',
    600,
  ],
  [
    'from iat in the past of the service',
    { iat: SECONDS - 300, exp: SECONDS + 300 },
    'Mon, 02 Mar 2026 01:30:00 GMT',
    600,
  ],
  ['at least a second', { iat: SECONDS, exp: SECONDS + 1 }, undefined, 1],
  ['at most to the end of expires_in', { iat: SECONDS, exp: SECONDS + 7_200 }, undefined, 3_600],
])('the exp of a token is measured %s (§5)', async (_, claims, date, seconds) => {
  expect(await lifeOf(claims, date)).toBe(seconds)
})

it.each([
  ['missing', { iat: SECONDS }],
  ['before iat', { iat: SECONDS, exp: SECONDS - 600 }],
  ['less than a second after iat', { iat: SECONDS, exp: SECONDS + 0.5 }],
  ['before the response, without iat', { exp: SECONDS - 1 }],
  ['after iat, and the present moment by both clocks', { iat: SECONDS - 900, exp: SECONDS }],
  ['text', { iat: SECONDS, exp: String(SECONDS + 60) }],
  ['null', { iat: SECONDS, exp: null }],
  ['a truth value', { iat: SECONDS, exp: true }],
  ['a list', { iat: SECONDS, exp: [SECONDS + 60] }],
])('an exp that is %s has no effect', async (_, claims) => {
  expect(await lifeOf(claims)).toBe(3_600)
})

it.each(['opaque', 'three.opaque.parts', 'eyJhbGciOiJub25lIn0.bm90IEpTT04.'])(
  'the token %s has no readable exp',
  async (token) => {
    const stored = await read({ ...good, access_token: token })
    expect(stored.expiresAt - stored.issuedAt).toBe(3_600_000)
  },
)

it('a rejection by the token service has its status, its code, its type and their meaning in the message (§5)', async () => {
  const error = await refusal(401, {
    error: true,
    code: '110',
    type: 'TokenExpired',
    message: 'secret-canary',
  })
  expect(error).toMatchObject({ code: '110', type: 'InvalidClientId', outcome: 'refused', status: 401 })
  expect(error.message).toBe(
    'the token service returned 401 110 InvalidClientId: the client id is invalid or unknown; check that clientId, clientSecret and authUrl belong together',
  )
  expect(await refusal(401, { code: 110 })).toMatchObject({ code: '110', type: 'InvalidClientId' })
})

it('a rejection may have the form of an OAuth error', async () => {
  const error = await refusal(401, { error: 'invalid_client', error_description: 'secret-canary' })
  expect(error).toMatchObject({ code: 'invalid_client', outcome: 'refused', status: 401 })
  expect(error.message).toMatch(
    /401 invalid_client; check that clientId, clientSecret and authUrl belong together$/,
  )
})

it.each([
  ['102', true],
  ['109', false],
  ['111', false],
  ['123', true],
])('code %s asks whether the credentials belong together: %s', async (code, isAsked) => {
  expect((await refusal(401, { code })).message.includes('belong together')).toBe(isAsked)
})

it.each(['TokenExpired', 'OAuth2Failure', 'Quarrington'])(
  'a type %s of an unknown code is shown',
  async (type) => {
    const error = await refusal(400, { code: '999', type })
    expect(error).toMatchObject({ code: '999', type })
    expect(error.message).toMatch(new RegExp(`400 999 ${type}$`))
  },
)

it.each([
  [7],
  ['two words'],
  ['<b>'],
  ['canary-1'],
  ['Expired'.repeat(9)],
  ['Expired canary!'],
  ['!Expired'],
  [null],
])('a type %j is not shown', async (type) => {
  const error = await refusal(400, { code: '999', type })
  expect(error).toMatchObject({ code: '999', type: undefined })
  expect(error.message).toMatch(/400 999$/)
})

it.each([
  ...[undefined, null, '', 'a b', '110\r\ncanary', '\r\n110', 'x'.repeat(41), 'the-secret'],
  ...['Quarrington', 'QUARRINGTON', '1104', {}],
])('a rejection with the code %j has only its status in the message', async (code) => {
  const error = await refusal(403, { code, type: 'TokenExpired' })
  expect(error).toMatchObject({
    outcome: 'failed',
    status: 403,
    attempts: 2,
    type: undefined,
    code: undefined,
  })
  expect(error.message).toBe(
    'the token service at https://auth.example/oauth/token returned 403 without a known error code; if this persists, check authUrl',
  )
})

it.each<[number, object | string, string, boolean]>([
  [200, { error: true, code: '108' }, 'refused', false],
  [200, { error: true }, 'failed', true],
  [200, '<html></html>', 'failed', true],
  [499, { code: '999' }, 'refused', false],
  [500, { code: '999' }, 'failed', true],
  [500, { code: '110' }, 'refused', false],
  [503, { error: 'invalid_client' }, 'refused', false],
])('status %i with %j is %s, and retryable: %s', async (status, body, outcome, retryable) => {
  expect(await refusal(status, body)).toMatchObject({ outcome, retryable })
})
