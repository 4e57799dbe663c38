import { ConfigurationError } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { CANARIES } from '../../support/canaries.js'
import { clientOf, rejection } from '../../support/clients.js'
import { page, referral, UUID, webhook } from '../../support/samples.js'
import { accessToken, type Reply, refreshToken, ScriptedServer } from '../../support/scripted-server.js'
import { grant, REFERRAL, refusal, setUp } from './token-world.js'

it('the credentials are sent in a Basic header (§5)', async () => {
  const { service, call, forms, bearers } = await setUp()
  await call()
  const [request] = service.tokenRequests
  expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(forms()).toEqual([{ grant_type: 'client_credentials' }])
  expect(bearers()).toEqual([`Bearer ${accessToken(1)}`])
})

it("with clientAuthentication 'body' the credentials are fields of the form (§5)", async () => {
  const { service, call, forms } = await setUp([], { clientAuthentication: 'body', clientId: 'a:b' })
  await call()
  expect(service.tokenRequests[0]?.headers).not.toHaveProperty('authorization')
  expect(forms()).toEqual([
    { grant_type: 'client_credentials', client_id: 'a:b', client_secret: CANARIES.clientSecret },
  ])
})

it('a secret of any characters is sent unchanged, in a header and in a form', async () => {
  const clientSecret = 'pä+ss %&=?/"\\ö'
  const basic = await setUp([], { clientSecret })
  await basic.call()
  const header = basic.service.tokenRequests[0]?.headers.authorization?.replace(/^Basic /, '') ?? ''
  expect(Buffer.from(header, 'base64').toString()).toBe(`client-1:${clientSecret}`)
  const body = await setUp([], { clientAuthentication: 'body', clientSecret })
  await body.call()
  expect(body.forms()[0]).toMatchObject({ client_secret: clientSecret })
})

it('authUrl may have a path', async () => {
  const service = await ScriptedServer.start()
  service.on('POST /tenant/a/oauth/token', grant(1)).on(REFERRAL, { json: referral() })
  const client = clientOf(service.origin, { authUrl: `${service.origin}/tenant/a/` })
  await client.referrals.retrieve(UUID)
  expect(service.count('POST /tenant/a/oauth/token')).toBe(1)
})

const CREDENTIALS = { grant_type: 'client_credentials' }
const refreshBy = (nth: number) => ({ grant_type: 'refresh_token', refresh_token: refreshToken(nth) })

it.each<[string, readonly Reply[], object[]]>([
  ['rotates: each one is sent once', [], [CREDENTIALS, refreshBy(1), refreshBy(2)]],
  [
    'stays in use after a response without a new one',
    [grant(1), grant(2, { refresh_token: undefined }), grant(3)],
    [CREDENTIALS, refreshBy(1), refreshBy(1)],
  ],
  [
    'that has expired is not sent',
    [grant(1, { refresh_expires_in: 3_000 }), grant(2, { refresh_expires_in: 3_000 }), grant(3)],
    [CREDENTIALS, CREDENTIALS, CREDENTIALS],
  ],
])('a refresh token %s (§5)', async (_, replies, expected) => {
  const { clock, call, forms } = await setUp(replies)
  for (const _ of expected) {
    await call()
    clock.advance(3_600_000)
  }
  expect(forms()).toEqual(expected)
})

it.each<[string, Reply]>([
  ['108', refusal('108')],
  ['503', { status: 503, text: '' }],
  ['a reset', { reset: 'before' }],
  ['HTML', { text: '<html>' }],
  ['no expires_in', grant(7, { expires_in: undefined })],
  ['a redirect', { status: 307, headers: { location: '/elsewhere' } }],
])('a refresh that fails with %s is sent once, and followed by the credentials (§5)', async (_, failure) => {
  const { clock, call, forms, bearers } = await setUp([grant(1), failure, grant(3)])
  await call()
  clock.advance(3_600_000)
  await call()
  expect(forms()).toEqual([CREDENTIALS, refreshBy(1), CREDENTIALS])
  expect(bearers().at(-1)).toBe(`Bearer ${accessToken(3)}`)
})

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

it('a thousand callers share one token request, at the start and after the expiry', async () => {
  const { service, clock, call, bearers } = await setUp()
  for (const nth of [1, 2]) {
    await Promise.all(Array.from({ length: 1_000 }, call))
    expect(service.tokenRequests).toHaveLength(nth)
    expect(new Set(bearers().slice(-1_000))).toEqual(new Set([`Bearer ${accessToken(nth)}`]))
    clock.advance(3_600_000)
  }
})

it('a token request continues for the others when one caller aborts and one reaches its time limit', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { service, clock, client, call } = await setUp([{ ...grant(1), after: held }])
  const abort = new AbortController()
  const aborted = rejection(client.referrals.retrieve(UUID, { signal: abort.signal }))
  const hasty = rejection(client.referrals.retrieve(UUID, { timeout: 16_000 }))
  const others = [call(), call()]
  await expect.poll(() => service.tokenRequests.length).toBe(1)
  abort.abort()
  expect(await aborted).toMatchObject({ name: 'AbortError' })
  clock.advance(16_000)
  expect(await hasty).toMatchObject({ name: 'TimeoutError', outcome: 'not-sent', attempts: 0 })
  release()
  await Promise.all(others)
  expect(service.tokenRequests).toHaveLength(1)
})

it('two clients have a token each', async () => {
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
])('the options %o are rejected at construction', (options, message) => {
  const untyped: object = options
  expect(() => clientOf('http://127.0.0.1:9', { ...untyped })).toThrow(new ConfigurationError(message))
})
