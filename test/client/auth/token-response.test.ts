import { SignJWT } from 'jose'
import { TokenError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
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

describe('§5 a token response', () => {
  it('contains the tokens, with their expiry by the local clock', async () => {
    await expect(read(good)).resolves.toEqual({
      accessToken: 'access-1',
      issuedAt: NOW,
      expiresAt: NOW + 3_600_000,
      refreshToken: 'refresh-1',
      refreshExpiresAt: NOW + 7_200_000,
    })
  })

  it('contains the numbers of seconds as numbers or as strings of digits', async () => {
    const asText = { ...good, expires_in: '3600', refresh_expires_in: '7200' }
    expect(await read(asText)).toEqual(await read(good))
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

  it.each([
    ['null', 'null'],
    ['a number', '7'],
    ['a text', '"access-1"'],
    ['cut short', '{"access_token":'],
    ['nothing', ''],
  ])('that is %s did not come from the token service', async (_, text) => {
    expect(await refusal(200, text)).toMatchObject({
      code: 'TOKEN_RESPONSE_NOT_JSON',
      outcome: 'failed',
      status: 200,
      attempts: 2,
    })
  })

  it.each([
    ['an access token that no header may hold', { ...good, access_token: 'a b' }],
    ['no life', { ...good, expires_in: 0 }],
    ['no life, as a string', { ...good, expires_in: '0' }],
    ['a life that is not a number', { ...good, expires_in: '3600 s' }],
    ['an empty life', { ...good, expires_in: '' }],
    ['an endless life, as a string', { ...good, expires_in: '9'.repeat(400) }],
    ['an endless life', JSON.stringify(good).replace('3600', '1e400')],
  ])('with %s is rejected', async (_, body) => {
    expect(await refusal(200, body)).toMatchObject({ code: 'TOKEN_RESPONSE_INVALID', outcome: 'failed' })
  })
})

describe('§5 the exp of a token', () => {
  const lifeOf = async (claims: Record<string, unknown>, date?: string): Promise<number> => {
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))
    const stored = await read({ ...good, access_token: token }, date === undefined ? {} : { date })
    return (stored.expiresAt - stored.issuedAt) / 1_000
  }

  it('is measured from its iat, whatever the time of the response', async () => {
    expect(await lifeOf({ iat: SECONDS - 500, exp: SECONDS + 100 })).toBe(600)
  })

  it('is measured from the Date of the response when the token has no iat', async () => {
    expect(await lifeOf({ exp: SECONDS + 700 }, 'Mon, 02 Mar 2026 01:01:40 GMT')).toBe(600)
    expect(await lifeOf({ exp: SECONDS + 700, iat: 'now' }, 'Mon, 02 Mar 2026 01:01:40 GMT')).toBe(600)
  })

  it('is measured from the local clock when the response has no time', async () => {
    expect(await lifeOf({ exp: SECONDS + 700 }, 'today')).toBe(700)
  })

  it.each([[undefined], ['soon'], [null]])('exp %j is ignored', async (exp) => {
    expect(await lifeOf({ iat: SECONDS, exp })).toBe(3_600)
  })

  it.each(['opaque', 'three.opaque.parts', 'eyJhbGciOiJub25lIn0.bm90IEpTT04.'])(
    '%s has no readable exp',
    async (token) => {
      const stored = await read({ ...good, access_token: token })
      expect(stored.expiresAt - stored.issuedAt).toBe(3_600_000)
    },
  )

  it('after the end of expires_in does not extend the lifetime', async () => {
    expect(await lifeOf({ iat: SECONDS, exp: SECONDS + 7_200 })).toBe(3_600)
  })

  it.each([
    ['before iat', { iat: SECONDS, exp: SECONDS - 600 }],
    ['equal to iat', { iat: SECONDS, exp: SECONDS }],
    ['less than a second after iat', { iat: SECONDS, exp: SECONDS + 0.5 }],
    ['before the response, without iat', { exp: SECONDS - 1 }],
    ['after iat, and past by both clocks', { iat: SECONDS - 900, exp: SECONDS - 300 }],
    ['after iat, and the present moment by both clocks', { iat: SECONDS - 900, exp: SECONDS }],
    ['zero', { iat: 0, exp: 0 }],
    ['text', { iat: SECONDS, exp: String(SECONDS + 60) }],
    ['a truth value', { iat: SECONDS, exp: true }],
    ['a list', { iat: SECONDS, exp: [SECONDS + 60] }],
  ])('an exp that is %s: only expires_in is used', async (_, claims) => {
    expect(await lifeOf(claims)).toBe(3_600)
  })

  it.each([
    ['the service', 'Mon, 02 Mar 2026 00:30:00 GMT'],
    ['the client', 'Mon, 02 Mar 2026 01:30:00 GMT'],
  ])(
    'that is in the past by one clock, but not by the clock of %s: the lifetime is measured from iat',
    async (_, date) => {
      const exp = date.includes('00:30') ? SECONDS - 300 : SECONDS + 300
      expect(await lifeOf({ iat: exp - 600, exp }, date)).toBe(600)
    },
  )

  it.each([1, 60])('a lifetime of %i s is accepted', async (life) => {
    expect(await lifeOf({ iat: SECONDS, exp: SECONDS + life })).toBe(life)
  })
})

describe('§5 a rejection by the token service', () => {
  it('has its status, its code, its type and their meaning in the message', async () => {
    const error = await refusal(401, { error: true, code: '110', message: 'secret-canary' })
    expect(error).toMatchObject({ code: '110', type: 'InvalidClientId', outcome: 'refused', status: 401 })
    for (const part of ['401', '110', 'InvalidClientId', 'the client id is invalid or unknown']) {
      expect(error.message).toContain(part)
    }
    expect(error.message).not.toContain('secret-canary')
  })

  it('may have a number as its code', async () => {
    expect(await refusal(401, { code: 110 })).toMatchObject({ code: '110', type: 'InvalidClientId' })
  })

  it('may have the form of an OAuth error', async () => {
    const body = { error: 'invalid_client', error_description: 'secret-canary' }
    const error = await refusal(401, body)
    expect(error).toMatchObject({ code: 'invalid_client', outcome: 'refused', status: 401 })
    expect(error.message).toContain('check that clientId, clientSecret and authUrl belong together')
    expect(error.message).not.toContain('secret-canary')
  })

  it("has the specification's type for a known code, and otherwise the service's type, by its shape", async () => {
    expect(await refusal(401, { code: '110', type: 'TokenExpired' })).toHaveProperty(
      'type',
      'InvalidClientId',
    )
    const error = await refusal(400, { code: '999', type: 'TokenExpired' })
    expect(error).toMatchObject({ code: '999', type: 'TokenExpired' })
    expect(error.message).toMatch(/400 999 TokenExpired$/)
  })

  it.each(['TokenExpired', 'OAuth2Failure', 'Quarrington'])(
    'keeps %s: it has the shape of a type',
    async (type) => {
      expect(await refusal(400, { code: '999', type })).toMatchObject({ code: '999', type })
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
  ])('omits the type %j', async (type) => {
    const error = await refusal(400, { code: '999', type })
    expect(error).toMatchObject({ code: '999', type: undefined })
    expect(error.message).toMatch(/400 999$/)
  })

  it.each([
    [undefined],
    [''],
    ['a b'],
    ['110\r\ncanary'],
    ['\r\n110'],
    ['x'.repeat(41)],
    ['the-secret'],
    ['Quarrington'],
    ['QUARRINGTON'],
    ['1104'],
    [{}],
    [null],
  ])('with code %j has only its status in the message', async (code) => {
    const error = await refusal(403, { code, type: 'TokenExpired' })
    expect(error).toMatchObject({ outcome: 'failed', status: 403, attempts: 2, type: undefined })
    expect(error.code).toBeUndefined()
    expect(error.message).toBe(
      'the token service at https://auth.example/oauth/token returned 403 without a known error code; if this persists, check authUrl',
    )
  })

  it('is a rejection with any status, when the body has the code of a rejection', async () => {
    expect(await refusal(200, { error: true, code: '108' })).toMatchObject({
      code: '108',
      outcome: 'refused',
    })
  })

  it('is not retryable with status 200 either, unless the body has no code', async () => {
    expect(await refusal(200, { error: true, code: '123' })).toHaveProperty('retryable', false)
    expect(await refusal(200, { error: true })).toHaveProperty('retryable', true)
    expect(await refusal(200, '<html></html>')).toHaveProperty('retryable', true)
  })

  it('with a status of 500 is a rejection if its code is documented, and otherwise a failure', async () => {
    expect(await refusal(499, { code: '999' })).toHaveProperty('outcome', 'refused')
    expect(await refusal(500, { code: '999' })).toHaveProperty('outcome', 'failed')
    expect(await refusal(500, { code: '110' })).toHaveProperty('outcome', 'refused')
    expect(await refusal(503, { error: 'invalid_client' })).toHaveProperty('outcome', 'refused')
  })
})
