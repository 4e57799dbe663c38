import type { Clock } from '../../common/clock.js'
import { Deadline } from '../core/deadline.js'
import { type ReleaseTokenLock, readPatiently, type TokenLock, type TokenStore } from './token-store.js'

/** Wait between writing a claim and reading it back, in milliseconds. The time of the write is added. */
const SETTLE_MS = 40

/**
 * Lock over an ordinary store with only get and set (Fischer's algorithm): write a claim, wait until all
 * concurrent claims are written, and read which claim remained. If a process is slower than the wait, two
 * processes may request tokens; a {@link TokenLock} is exact.
 */
export class StoreLease implements TokenLock {
  readonly #store: TokenStore
  readonly #clock: Clock

  constructor(store: TokenStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async acquire(key: string, ttlMs: number): Promise<ReleaseTokenLock | undefined> {
    if ((await this.#owner(key, ttlMs)) !== undefined) return undefined
    const owner = globalThis.crypto.randomUUID()
    const startedAt = this.#clock.monotonic()
    const claim = JSON.stringify({ owner, until: this.#clock.now() + ttlMs })
    await this.#store.set(key, claim, ttlMs)
    await this.#awaitClaims(startedAt)
    const winner = await this.#owner(key, ttlMs)
    // No owner: the winner has finished, or the store keeps nothing. Do not wait.
    if (winner !== undefined && winner !== owner) return undefined
    return async () => {
      if ((await this.#owner(key, ttlMs)) === owner) await this.#store.delete(key)
    }
  }

  async #awaitClaims(startedAt: number): Promise<void> {
    const wait = new Deadline(this.#clock, Number.POSITIVE_INFINITY, undefined)
    await wait.sleep(SETTLE_MS + this.#clock.monotonic() - startedAt)
  }

  /** Returns the owner of the lease. A claim that expired, or is longer than any lease, has no owner. */
  async #owner(key: string, ttlMs: number): Promise<string | undefined> {
    const claim = parseClaim(await readPatiently(this.#store, key, this.#clock))
    if (claim === undefined) return undefined
    const left = claim.until - this.#clock.now()
    return left > 0 && left <= 2 * ttlMs ? claim.owner : undefined
  }
}

function parseClaim(stored: unknown): { owner: string; until: number } | undefined {
  try {
    const claim: object = Object(typeof stored === 'string' ? JSON.parse(stored) : stored)
    const owner: unknown = Reflect.get(claim, 'owner')
    const until: unknown = Reflect.get(claim, 'until')
    return typeof owner === 'string' && typeof until === 'number' ? { owner, until } : undefined
  } catch {
    return undefined
  }
}
