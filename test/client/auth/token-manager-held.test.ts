import { describe, expect, it } from 'vitest'
import { TokenManager } from '../../../src/client/auth/token-manager.js'
import type { HeldTokens, StoredTokens } from '../../../src/client/auth/token-renewal.js'
import { SkippingClock } from '../../support/skipping-clock.js'

describe('§5 the function that gets new tokens receives', () => {
  it('the earlier tokens, and whether the service rejected them', async () => {
    const clock = new SkippingClock()
    const asked: HeldTokens[] = []
    const given: StoredTokens[] = []
    const obtain = async (held: HeldTokens) => {
      asked.push(held)
      const issuedAt = clock.now()
      const accessToken = `access-${asked.length}`
      const rest = { expiresAt: issuedAt + 3_600_000, refreshToken: undefined, refreshExpiresAt: undefined }
      given.push({ accessToken, issuedAt, ...rest })
      return { tokens: { accessToken, issuedAt, ...rest }, ofOtherProcess: false }
    }
    const manager = new TokenManager({ source: obtain, clock, random: () => 0 })
    await manager.get()
    clock.advance(3_400_000)
    expect(await manager.get()).toBe('access-1')
    await expect.poll(() => manager.current()).toBe('access-2')
    manager.invalidate('access-2')
    await manager.get()
    expect(asked).toEqual([
      { tokens: undefined, needsToken: true },
      { tokens: given[0], needsToken: false },
      { tokens: given[1], needsToken: true },
    ])
  })
})

describe('§5 the tokens of other processes', () => {
  it('are known after they were replaced, the last four of them', async () => {
    const clock = new SkippingClock()
    let count = 0
    const source = async () => {
      count += 1
      const issuedAt = clock.now()
      const accessToken = `access-${count}`
      const rest = { expiresAt: issuedAt + 3_600_000, refreshToken: undefined, refreshExpiresAt: undefined }
      return { tokens: { accessToken, issuedAt, ...rest }, ofOtherProcess: count !== 3 }
    }
    const manager = new TokenManager({ source, clock, random: () => 0 })
    for (let nth = 1; nth <= 6; nth += 1) manager.invalidate(await manager.get())
    const known = [1, 2, 3, 4, 5, 6].map((nth) => manager.isOfOtherProcess(`access-${nth}`))
    expect(known).toEqual([false, true, false, true, true, true])
  })
})
