import { TokenError } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { type StoredTokens, TokenRenewal } from '../../../src/client/auth/token-renewal.js'
import { SharedTokens } from '../../../src/client/auth/token-sharing.js'
import { SharedHealth, StoredTokenSlot } from '../../../src/client/auth/token-store.js'
import { SafeLogger } from '../../../src/common/logger.js'
import { VirtualClock } from '../../support/virtual-clock.js'

const KEY = 'tokens'

function setUp() {
  const clock = new VirtualClock()
  const store = new Map<string, string>()
  const grants: string[] = []
  const tokens = (name: string, issuedAt = clock.now()): StoredTokens => ({
    accessToken: name,
    issuedAt,
    expiresAt: issuedAt + 3_600_000,
    refreshToken: `refresh-${name}`,
    refreshExpiresAt: undefined,
  })
  const put = (stored: StoredTokens): void => void store.set(KEY, JSON.stringify(stored))
  const world = { clock, put, tokens, grants, whileRefreshing: (): void => undefined }
  const renewal = new TokenRenewal(async (refreshToken) => {
    grants.push(refreshToken === undefined ? 'credentials' : 'refresh')
    if (refreshToken === undefined) return tokens('own')
    world.whileRefreshing()
    throw new TokenError('used up', { outcome: 'refused', attempts: 1, status: 400, code: '108' })
  }, clock)
  const health = new SharedHealth(new SafeLogger(undefined), clock)
  const lock = { acquire: () => () => undefined }
  const sharing = new SharedTokens({
    renewal,
    slot: new StoredTokenSlot(store, KEY, clock, health),
    lock,
    key: 'turn',
    clock,
    random: () => 0,
    health,
  })
  const obtain = (held: StoredTokens) => clock.run(sharing.obtain({ tokens: held, needsToken: true }))
  return { ...world, world, obtain }
}

describe('§5 another process has used the refresh token', () => {
  it('its new tokens are in the store already: they are used at once', async () => {
    const { clock, put, tokens, grants, world, obtain } = setUp()
    const old = tokens('old')
    world.whileRefreshing = () => put(tokens('other'))
    const startedAt = clock.now()
    const { tokens: got, ofOtherProcess } = await obtain(old)
    expect(got.accessToken).toBe('other')
    expect(ofOtherProcess).toBe(true)
    expect(grants).toEqual(['refresh'])
    expect(clock.now()).toBe(startedAt)
  })

  it('new tokens are not stored: the client uses the credentials', async () => {
    const { tokens, grants, obtain } = setUp()
    const { tokens: got, ofOtherProcess } = await obtain(tokens('old'))
    expect(got.accessToken).toBe('own')
    expect(ofOtherProcess).toBe(false)
    expect(grants).toEqual(['refresh', 'credentials'])
  })
})

describe('§5 which of two tokens is newer', () => {
  it.each([
    ['one of the same millisecond is', 0, 'other'],
    ['an older one is not', -1, 'own'],
  ])('%s', async (_, ageMs, expected) => {
    const { clock, put, tokens, obtain } = setUp()
    put(tokens('other', clock.now() + ageMs))
    const { tokens: got } = await obtain(tokens('old'))
    expect(got.accessToken).toBe(expected)
  })
})
