import type { TokenLock } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { TokenRenewal } from '../../../src/client/auth/token-renewal.js'
import { SharedTokens } from '../../../src/client/auth/token-sharing.js'
import { SharedHealth, StoredTokenSlot } from '../../../src/client/auth/token-store.js'
import { SafeLogger } from '../../../src/common/logger.js'
import { VirtualClock } from '../../support/virtual-clock.js'

type Acquire = TokenLock['acquire']

function turnsWith(acquire: Acquire, random = 0, closing?: AbortSignal) {
  const clock = new VirtualClock()
  const warnings: string[] = []
  const health = new SharedHealth(new SafeLogger({ warn: (message) => warnings.push(message) }), clock)
  const empty = { get: () => undefined, set: () => undefined, delete: () => undefined }
  const issuedAt = clock.now()
  const tokens = { accessToken: 'own', issuedAt, expiresAt: issuedAt + 3_600_000 }
  const sharing = new SharedTokens({
    renewal: new TokenRenewal(
      async () => ({ ...tokens, refreshToken: undefined, refreshExpiresAt: undefined }),
      clock,
    ),
    slot: new StoredTokenSlot(empty, 'tokens', clock, health),
    lock: { acquire },
    key: 'turn',
    clock,
    random: () => random,
    health,
    closing,
  })
  /** Requests tokens in a turn of its own. */
  const take = async (): Promise<void> => {
    await clock.run(sharing.obtain({ tokens: undefined, needsToken: true }))
  }
  return { clock, warnings, take }
}

describe('§5 pauses before the next try for the lock, and warnings', () => {
  it.each([
    [0, [60, 90, 135, 202.5]],
    [0.5, [45, 67.5, 101.25, 151.875]],
  ])('random number %d: the pauses grow, and each is shortened by up to half', async (random, first) => {
    const tries: number[] = []
    const { clock, take } = turnsWith(() => void tries.push(clock.now()), random)
    await take()
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    expect(pauses.slice(0, 4)).toEqual(first)
    expect(pauses.at(-1)).toBe(500 * (1 - random / 2))
  })

  const fails: Acquire = () => Promise.reject(new Error('no lock'))
  const works: Acquire = () => () => undefined
  const keeps: Acquire = () => () => Promise.reject(new Error('not given back'))

  it.each([
    ['cannot be had', fails],
    ['cannot be given back', keeps],
  ])(
    'a lock that %s causes one warning, and a second one only after it has worked in between',
    async (_, faulty) => {
      const states = [faulty, faulty, works, faulty]
      const { warnings, take } = turnsWith((...args) => (states.shift() ?? works)(...args))
      const counts: number[] = []
      for (let turn = 0; turn < 4; turn += 1) {
        await take()
        counts.push(warnings.length)
      }
      expect(counts).toEqual([1, 1, 1, 2])
    },
  )

  it('the wait for the lock ends when the client closes', async () => {
    const closing = new AbortController()
    let tries = 0
    const { take } = turnsWith(
      () => {
        tries += 1
        if (tries === 3) closing.abort()
        return undefined
      },
      0,
      closing.signal,
    )
    await take()
    expect(tries).toBe(3)
  })

  it('a lock whose acquire rejects after the time limit is not released, and counts as failing only until then', async () => {
    const states: Acquire[] = [() => late, works, fails]
    const { clock, warnings, take } = turnsWith((...args) => (states.shift() ?? works)(...args))
    const late = clock.sleep(3_000).then(() => undefined)
    await take()
    await clock.run(late)
    await take()
    await take()
    expect(warnings).toHaveLength(2)
  })
})
