import fc from 'fast-check'
import type { ReleaseTokenLock, TokenStore } from 'pathology-sdk'
import { describe, expect, it } from 'vitest'
import { type StoredTokens, TokenRenewal } from '../../../src/client/auth/token-renewal.js'
import { SharedTokens } from '../../../src/client/auth/token-sharing.js'
import { SharedHealth, StoredTokenSlot, storeLease } from '../../../src/client/auth/token-store.js'
import { SafeLogger } from '../../../src/common/logger.js'
import { VirtualClock } from '../../support/virtual-clock.js'

const PROCESSES = 8
const TTL_MS = 30_000

/** A store with a network delay in each direction. */
class DistantStore implements TokenStore {
  readonly #clock: VirtualClock
  readonly #wayMs: () => number
  readonly #values = new Map<string, string>()

  constructor(clock: VirtualClock, wayMs: () => number) {
    this.#clock = clock
    this.#wayMs = wayMs
  }

  get = (key: string): Promise<unknown> => this.#there(() => this.#values.get(key))
  set = (key: string, value: string): Promise<unknown> => this.#there(() => this.#values.set(key, value))
  delete = (key: string): Promise<unknown> => this.#there(() => this.#values.delete(key))

  async #there(effect: () => unknown): Promise<unknown> {
    await this.#clock.sleep(this.#wayMs())
    const value = effect()
    await this.#clock.sleep(this.#wayMs())
    return value
  }
}

interface Claim {
  /** Milliseconds from now. */
  readonly until: number
  readonly asText?: boolean
  readonly owner?: unknown
}

/** Parts of a process that gets tokens. Each process has its own view of one store. */
function sharingOf(clock: VirtualClock, store: TokenStore, authenticate: () => Promise<void>): SharedTokens {
  const health = new SharedHealth(new SafeLogger(undefined), clock)
  const request = async (refreshToken: string | undefined): Promise<StoredTokens> => {
    if (refreshToken !== undefined) throw new Error('there is no refresh token')
    await authenticate()
    const issuedAt = clock.now()
    return {
      accessToken: `token-${Math.random()}`,
      issuedAt,
      expiresAt: issuedAt + 3_600_000,
      refreshToken: undefined,
      refreshExpiresAt: undefined,
    }
  }
  return new SharedTokens({
    renewal: new TokenRenewal(request, clock),
    slot: new StoredTokenSlot(store, 'tokens', clock, health),
    lock: storeLease(store, clock),
    key: 'turn',
    clock,
    random: Math.random,
    health,
  })
}

const whole = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })

describe('§5 turns through the store alone', () => {
  it('eight processes make one token request, whenever they start, with a fast or a slow store', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(whole(80), { minLength: PROCESSES, maxLength: PROCESSES }),
        fc.constantFrom(0, 5, 20, 60, 100),
        fc.infiniteStream(fc.boolean()),
        whole(2_000),
        async (arrivals, distanceMs, detours, answerMs) => {
          const clock = new VirtualClock()
          const detourMs = Math.max(19, distanceMs)
          const store = new DistantStore(clock, () => distanceMs + (detours.next().value ? detourMs : 0))
          let requests = 0
          const authenticate = async (): Promise<void> => {
            requests += 1
            await clock.sleep(answerMs)
          }
          const obtained = arrivals.map(async (arrival) => {
            await clock.sleep(arrival)
            return sharingOf(clock, store, authenticate).obtain({ tokens: undefined, needsToken: false })
          })
          const tokens = (await clock.run(Promise.all(obtained))).map((one) => one.tokens.accessToken)
          expect(requests).toBe(1)
          expect(new Set(tokens).size).toBe(1)
        },
      ),
      { numRuns: 600 },
    )
  })

  it('a process that died while it requested a token delays the others by ten seconds at most', async () => {
    const clock = new VirtualClock()
    const store = new DistantStore(clock, () => 1)
    await clock.run(storeLease(store, clock).acquire('turn', TTL_MS))
    let requests = 0
    const sharing = sharingOf(clock, store, async () => {
      requests += 1
    })
    const startedAt = clock.now()
    await clock.run(sharing.obtain({ tokens: undefined, needsToken: false }))
    expect(requests).toBe(1)
    expect(clock.now() - startedAt).toBeLessThan(11_000)
  })

  it('a claim ends when it expires, when it is released, and when its expiry is further away than any claim allows', async () => {
    const clock = new VirtualClock()
    const store = new Map<string, string>()
    const acquire = (): Promise<ReleaseTokenLock | undefined> =>
      clock.run(storeLease(store, clock).acquire('turn', TTL_MS))

    const release = await acquire()
    expect(release).toBeTypeOf('function')
    expect(await acquire()).toBeUndefined()
    await release?.()
    expect(store.size).toBe(0)

    expect(await acquire()).toBeTypeOf('function')
    await clock.run(clock.sleep(TTL_MS))
    const second = await acquire()
    expect(second).toBeTypeOf('function')

    const claim = store.get('turn')
    await release?.()
    expect(store.get('turn')).toBe(claim)

    store.set('turn', JSON.stringify({ owner: 'someone', until: clock.now() + 365 * 24 * 3_600_000 }))
    expect(await acquire()).toBeTypeOf('function')
  })

  it.each(['', 'garbage', '[]', 'null', '{"owner":7,"until":"x"}', '{"owner":"someone"}'])(
    'a value that is not a claim (%j) delays no process',
    async (garbage) => {
      const clock = new VirtualClock()
      const store = new Map([['turn', garbage]])
      expect(await clock.run(storeLease(store, clock).acquire('turn', TTL_MS))).toBeTypeOf('function')
    },
  )

  it.each([
    ['has no end yet to come', { until: 0 }, false],
    ['ends in a millisecond', { until: 1 }, true],
    ['ends as late as any can', { until: 2 * TTL_MS }, true],
    ['ends later', { until: 2 * TTL_MS + 1 }, false],
    ['ends at a time that is text', { until: 1_000, asText: true }, false],
    ['has a number for its owner', { until: 1_000, owner: 7 }, false],
  ])(
    'a claim that %s: whether it delays other processes',
    async (_, { until, asText, owner = 'someone' }: Claim, held) => {
      const clock = new VirtualClock()
      const end = clock.now() + until
      const claim = JSON.stringify({ owner, until: asText === true ? String(end) : end })
      const turn = await clock.run(storeLease(new Map([['turn', claim]]), clock).acquire('turn', TTL_MS))
      expect(turn === undefined).toBe(held)
    },
  )

  it('a store that keeps no entries delays no process', async () => {
    const clock = new VirtualClock()
    const store = { get: () => undefined, set: () => false, delete: () => false }
    const startedAt = clock.now()
    expect(await clock.run(storeLease(store, clock).acquire('turn', TTL_MS))).toBeTypeOf('function')
    expect(clock.now() - startedAt).toBeLessThan(1_000)
  })
})
