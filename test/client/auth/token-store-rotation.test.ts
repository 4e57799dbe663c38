import type { TokenLock, TokenStore } from 'pathology-sdk'
import { expect, it } from 'vitest'
import { TokenManager } from '../../../src/client/auth/token-manager.js'
import { call, SharedClients } from '../../support/shared-clients.js'
import { SkippingClock } from '../../support/skipping-clock.js'

/** A Map that can ignore writes, like a stale replica or a store that loses writes. */
class LaggingStore extends Map<string, string> implements TokenStore {
  frozen = false
  writes = 0

  override set(key: string, value: string): this {
    this.writes += 1
    return this.frozen ? this : super.set(key, value)
  }

  override delete(key: string): boolean {
    return this.frozen ? false : super.delete(key)
  }

  get tokens(): Record<string, unknown> {
    return JSON.parse([...this.values()][0] ?? '{}')
  }

  change(tokens: object): void {
    for (const key of this.keys()) super.set(key, JSON.stringify({ ...this.tokens, ...tokens }))
  }
}

/** Every process gets it at once, so processes continue at the same time, as without a working lock. */
const NO_TURNS: TokenLock = { acquire: () => () => undefined }

const CREDENTIALS = 'client_credentials 200'

/** Two clients that have the same tokens. */
async function setUp(tokenLock?: TokenLock) {
  const shared = await SharedClients.start(new SkippingClock())
  const tokenStore = new LaggingStore()
  const open = () => shared.client({ tokenStore, ...(tokenLock && { tokenLock }) })
  const [one, other] = [open(), open()]
  await call(one)
  await call(other)
  return { shared, tokenStore, one, other }
}

it('an older entry of a store that lost the last write is ignored', async () => {
  const { shared, tokenStore, one } = await setUp()
  tokenStore.frozen = true
  for (let hour = 0; hour < 2; hour += 1) {
    shared.expire()
    await call(one)
  }
  expect(shared.asked).toEqual([CREDENTIALS, 'refresh_token 200', 'refresh_token 200'])
})

it.each([
  ['of the same millisecond are used', 0, []],
  ['that are a millisecond older are not used', -1, ['refresh_token 200']],
])('after a 401, tokens of another process %s', async (_, ageMs, expected) => {
  const { shared, tokenStore, one } = await setUp()
  tokenStore.change({ accessToken: 'other', issuedAt: shared.clock.now() + ageMs })
  shared.service.revokeAccess()
  shared.service.accept('other')
  shared.service.clear()
  await call(one)
  expect(shared.asked).toEqual(expected)
  expect(shared.service.apiStatuses).toEqual([401, 200])
})

it('a late response does not replace newer tokens', async () => {
  const { shared, tokenStore, one, other } = await setUp(NO_TURNS)
  shared.expire()
  shared.service.settings.delayMs = 200
  const late = call(one)
  await expect.poll(() => shared.asked.at(-1)).toBe('refresh_token 200')
  shared.service.settings.delayMs = 0
  shared.clock.advance(5)
  await call(other)
  const newest = shared.service.issued.at(-1)?.accessToken
  await late
  expect(tokenStore.tokens).toMatchObject({ accessToken: newest })
  expect(shared.asked).toEqual([CREDENTIALS, 'refresh_token 200', 'refresh_token 400', CREDENTIALS])
})

it('a client whose refresh token another process has used uses the tokens of that process', async () => {
  const { shared, tokenStore, one, other } = await setUp(NO_TURNS)
  shared.service.clear()
  shared.expire()
  tokenStore.writes = 0
  await Promise.all([one, other].map(call))
  expect(shared.asked.toSorted()).toEqual(['refresh_token 200', 'refresh_token 400'])
  expect(tokenStore.writes).toBe(1)
})

it('after a response without a refresh token, the earlier one is still used, unless it was rejected', async () => {
  const { shared, one } = await setUp()
  shared.service.settings.refreshTokens = false
  const [first] = shared.service.issued
  for (const isAccepted of [false, true, false, false]) {
    if (isAccepted) shared.service.acceptRefresh(first?.refreshToken ?? '')
    shared.expire()
    await call(one)
  }
  expect(shared.asked).toEqual([
    ...[CREDENTIALS, 'refresh_token 200', 'refresh_token 200'],
    ...['refresh_token 400', CREDENTIALS, CREDENTIALS],
  ])
})

it('a client uses the token that another process has stored meanwhile, without a token request', async () => {
  const { shared, one, other } = await setUp()
  shared.service.revokeAccess()
  await call(one)
  shared.service.clear()
  await call(other)
  expect(shared.asked).toEqual([])
  expect(shared.service.apiStatuses).toEqual([401, 200])
})

it("a request is repeated once more when the other process's token is rejected too", async () => {
  const { shared, one, other } = await setUp()
  shared.service.revokeAccess()
  await call(one)
  shared.service.revokeAccess()
  shared.service.clear()
  await Promise.all(Array.from({ length: 20 }, () => call(other)))
  expect(shared.asked).toEqual(['refresh_token 200'])
  expect(shared.service.apiStatuses.filter((status) => status === 200)).toHaveLength(20)
})

it('a request that gets a 401 every time is sent at most three times, with tokens of other processes in between', async () => {
  const { shared, one, other } = await setUp()
  shared.service.settings.acceptNothing = true
  await expect(call(one)).rejects.toMatchObject({ status: 401 })
  shared.service.clear()
  await expect(call(other)).rejects.toMatchObject({ status: 401 })
  expect(shared.service.apiStatuses).toEqual([401, 401, 401])
})

it('the last four tokens of other processes are known after they were replaced', async () => {
  const clock = new SkippingClock()
  let count = 0
  const source = async () => {
    count += 1
    const times = { issuedAt: clock.now(), expiresAt: clock.now() + 3_600_000, refreshExpiresAt: undefined }
    const tokens = { accessToken: `access-${count}`, refreshToken: undefined, ...times }
    return { tokens, ofOtherProcess: count !== 3 }
  }
  const manager = new TokenManager({ source, clock, random: () => 0 })
  for (let nth = 1; nth <= 6; nth += 1) manager.invalidate(await manager.get())
  const known = [1, 2, 3, 4, 5, 6].map((nth) => manager.isOfOtherProcess(`access-${nth}`))
  expect(known).toEqual([false, true, false, true, true, true])
})

it.each([
  ['usable until its end', 3_590_000, [200, 200, 200]],
  ['not usable after its end', 3_600_000, [200, 200]],
])('while the token service is unavailable, a stored token is %s (§5)', async (_, ageMs, statuses) => {
  const { shared, tokenStore } = await setUp()
  shared.clock.advance(ageMs)
  shared.service.settings.refuse.set('refresh_token', { status: 400, code: '108' })
  shared.service.settings.refuse.set('client_credentials', { status: 401, code: '110' })
  const late = shared.client({ tokenStore })
  await call(late).catch(() => undefined)
  shared.clock.advance(10_000)
  await expect(call(late)).rejects.toMatchObject({ name: 'TokenError', code: '110' })
  expect(shared.service.apiStatuses).toEqual(statuses)
})

async function withoutLock() {
  const shared = await SharedClients.start()
  const tokenStore = new LaggingStore()
  return { shared, tokenStore, open: () => shared.client({ tokenStore, tokenLock: undefined }) }
}

it('without a lock only access tokens are stored, and each process that finds an expired one uses the credentials', async () => {
  const { shared, tokenStore, open } = await withoutLock()
  const [one, other] = [open(), open()]
  for (let hour = 0; hour < 2; hour += 1) {
    await call(one)
    await call(other)
    shared.expire()
  }
  expect(tokenStore.size).toBe(1)
  expect(tokenStore.tokens).not.toHaveProperty('refreshToken')
  expect(shared.asked).toEqual([CREDENTIALS, CREDENTIALS])
  expect(shared.service.apiTokens.slice(2)).toEqual(Array(2).fill(shared.service.issued[1]?.accessToken))
})

it('without a lock, processes that start together get one token each, and all of them work', async () => {
  const { shared, open } = await withoutLock()
  shared.service.settings.delayMs = 20
  await Promise.all(Array.from({ length: 4 }, () => call(open())))
  expect(shared.asked).toEqual(Array(4).fill(CREDENTIALS))
  expect(shared.warnings).toEqual([])
})
