import { ConfigurationError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { CANARIES } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { page, referral, UUID, webhook } from '../../support/samples.js'
import { accessToken, type Reply, refreshToken, ScriptedServer } from '../../support/scripted-server.js'
import { grant, REFERRAL, refusal, setUp } from './token-world.js'

describe('tokens: the two grants (§5)', () => {
  it('client credentials by Basic header', async () => {
    const { service, call, forms, bearers } = await setUp()
    await call()
    const [request] = service.tokenRequests
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(request?.headers.authorization).toBe(`Basic ${btoa(`client-1:${CANARIES.clientSecret}`)}`)
    expect(forms()).toEqual([{ grant_type: 'client_credentials' }])
    expect(bearers()).toEqual([`Bearer ${accessToken(1)}`])
  })

  it('client credentials by form fields', async () => {
    const { service, call, forms } = await setUp([], { clientAuthentication: 'body', clientId: 'a:b' })
    await call()
    expect(service.tokenRequests[0]?.headers).not.toHaveProperty('authorization')
    expect(forms()).toEqual([
      { grant_type: 'client_credentials', client_id: 'a:b', client_secret: CANARIES.clientSecret },
    ])
  })

  it('secrets with any characters are sent unchanged, by both ways', async () => {
    const clientSecret = 'pä+ss %&=?/"\\ö'
    for (const clientAuthentication of ['basic', 'body'] as const) {
      const { service, call, forms } = await setUp([], { clientAuthentication, clientSecret })
      await call()
      const header = service.tokenRequests[0]?.headers.authorization?.slice(6) ?? ''
      const sent =
        clientAuthentication === 'body'
          ? forms()[0]?.['client_secret']
          : Buffer.from(header, 'base64').toString()
      expect(sent).toBe(clientAuthentication === 'body' ? clientSecret : `client-1:${clientSecret}`)
    }
  })

  it('authUrl may have a path', async () => {
    const service = await ScriptedServer.start()
    service.on('POST /tenant/a/oauth/token', grant(1)).on(REFERRAL, { json: referral() })
    const client = clientOf(service.origin, { authUrl: `${service.origin}/tenant/a/` })
    await client.referrals.retrieve(UUID)
    expect(service.count('POST /tenant/a/oauth/token')).toBe(1)
  })

  it('refresh with rotation: each refresh token is used once, then the new one', async () => {
    const { clock, call, forms } = await setUp()
    for (let nth = 0; nth < 4; nth += 1) {
      await call()
      clock.advance(3_600_000)
    }
    expect(forms()).toEqual([
      { grant_type: 'client_credentials' },
      { grant_type: 'refresh_token', refresh_token: refreshToken(1) },
      { grant_type: 'refresh_token', refresh_token: refreshToken(2) },
      { grant_type: 'refresh_token', refresh_token: refreshToken(3) },
    ])
  })

  it('after a response without a new refresh token, the old one stays in use', async () => {
    const { clock, call, forms } = await setUp([grant(1), grant(2, { refresh_token: undefined }), grant(3)])
    for (let nth = 0; nth < 3; nth += 1) {
      await call()
      clock.advance(3_600_000)
    }
    expect(forms().map((form) => form['refresh_token'])).toEqual([
      undefined,
      refreshToken(1),
      refreshToken(1),
    ])
  })

  it('an expired refresh token is not sent', async () => {
    const { clock, call, forms } = await setUp([grant(1, { refresh_expires_in: 4_000 }), grant(2)])
    await call()
    clock.advance(5_000_000)
    await call()
    expect(forms().map((form) => form['grant_type'])).toEqual(['client_credentials', 'client_credentials'])
  })

  it.each([
    ['108', refusal('108')],
    ['108 with status 400', refusal('108', 400)],
    ['108 with status 200', refusal('108', 200)],
    ['500', { status: 500, text: '' }],
    ['503', { status: 503, text: '' }],
    ['a reset', { reset: 'before' }],
    ['HTML', { text: '<html>' }],
    ['404', { status: 404 }],
    ['no expires_in', grant(7, { expires_in: undefined })],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' } }],
  ] as const)(
    'a refresh fails with %s: one refresh request, then client credentials',
    async (_, failure: Reply) => {
      const { clock, call, forms, bearers } = await setUp([grant(1), failure, grant(3)])
      await call()
      clock.advance(3_600_000)
      await call()
      expect(forms().map((form) => form['grant_type'])).toEqual([
        'client_credentials',
        'refresh_token',
        'client_credentials',
      ])
      expect(bearers().at(-1)).toBe(`Bearer ${accessToken(3)}`)
    },
  )

  it('a refresh that does not respond does not use up the time of the calls that wait', async () => {
    const { service, clock, call, forms } = await setUp([grant(1), { hang: 'before' }, grant(3)])
    await call()
    clock.advance(3_600_000)
    const pending = call()
    await expect.poll(() => service.tokenRequests.length).toBe(2)
    clock.advance(10_000)
    await pending
    expect(forms()).toHaveLength(3)
  })
})

describe('tokens: one request for all callers', () => {
  it('1,000 callers without a token: one token request', async () => {
    const { service, call } = await setUp()
    await Promise.all(Array.from({ length: 1_000 }, call))
    expect(service.tokenRequests).toHaveLength(1)
    expect(service.calls).toHaveLength(1_000)
  })

  it('1,000 callers after the token has expired: one more token request', async () => {
    const { service, clock, call, bearers } = await setUp()
    await call()
    clock.advance(3_600_000)
    await Promise.all(Array.from({ length: 1_000 }, call))
    expect(service.tokenRequests).toHaveLength(2)
    expect(new Set(bearers().slice(1))).toEqual(new Set([`Bearer ${accessToken(2)}`]))
  })

  it('the first caller aborts: the others get the token', async () => {
    let release: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { service, client, call } = await setUp([{ ...grant(1), after: held }])
    const abort = new AbortController()
    const first = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
    const others = [call(), call()]
    await expect.poll(() => service.tokenRequests.length).toBe(1)
    abort.abort()
    expect(await first).toMatchObject({ name: 'AbortError' })
    release?.()
    await Promise.all(others)
    expect(service.tokenRequests).toHaveLength(1)
  })

  it('one caller reaches its time limit: the token request continues for the others, and that caller sent nothing', async () => {
    let release: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { service, clock, client, call } = await setUp([{ ...grant(1), after: held }])
    const hasty = rejection(client.referrals.retrieve(UUID, { timeout: 16_000 }))
    const patient = call()
    await expect.poll(() => service.tokenRequests.length).toBe(1)
    clock.advance(16_000)
    expect(await hasty).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', attempts: 0 })
    release?.()
    await patient
  })
})

describe('tokens: two clients share nothing', () => {
  it('each has its own token', async () => {
    const { service, call } = await setUp()
    const other = clientOf(service.origin, { clientId: 'client-2' })
    await Promise.all([call(), other.referrals.retrieve(UUID)])
    expect(service.tokenRequests).toHaveLength(2)
  })

  it('two lists that fail because of the same token error each have their own cursor', async () => {
    const { service, clock, client } = await setUp([grant(1), { status: 400 }])
    for (const key of ['referrals', 'webhooks']) {
      service.on(`GET /v1/${key}`, {
        json: page(key, [key === 'referrals' ? referral() : webhook()], `after-${key}`),
      })
    }
    const walks = [client.referrals.list().pages(), client.webhooks.list().pages()]
    for (const walk of walks) await walk.next()
    clock.advance(3_600_000)
    const [first, second] = await Promise.all(walks.map((walk) => rejection(walk.next())))
    expect(first).toMatchObject({ cursor: 'after-referrals' })
    expect(second).toMatchObject({ cursor: 'after-webhooks' })
  })
})

describe('the options for sharing tokens (§1)', () => {
  const method = (): undefined => undefined

  it.each([
    [{ tokenStore: {} }, 'tokenStore must be an object with a function get'],
    [{ tokenStore: null }, 'tokenStore must be an object with a function get'],
    [{ tokenStore: 'redis://cache' }, 'tokenStore must be an object with a function get'],
    [{ tokenStore: { get: method, delete: method } }, 'tokenStore must be an object with a function set'],
    [{ tokenStore: { get: method, set: method } }, 'tokenStore must be an object with a function delete'],
    [{ tokenStore: new Map(), tokenLock: {} }, 'tokenLock must be an object with a function acquire'],
    [
      { tokenLock: { acquire: method } },
      'tokenLock needs a tokenStore: without a store, processes do not share tokens',
    ],
  ])('%o is rejected at construction', (options, message) => {
    const untyped: object = options
    expect(() => clientOf('http://127.0.0.1:9', { ...untyped })).toThrow(new ConfigurationError(message))
  })

  it('a store and a lock with all functions are accepted', () => {
    const tokenStore = { get: method, set: method, delete: method }
    const options = { tokenStore, tokenLock: { acquire: method } }
    expect(() => clientOf('http://127.0.0.1:9', options)).not.toThrow()
  })
})
