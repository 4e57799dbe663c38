import type { Clock } from '../../common/clock.js'
import { Deadline } from '../core/deadline.js'
import type { ReleaseTokenLock, TokenLock } from './token-lock.js'
import { readPatiently, type TokenStore } from './token-store.js'

/** Between claiming the lease and looking whose it became, in milliseconds; and as long again as the claim took. */
const SETTLE_MS = 40

/**
 * Turns by means of an ordinary store, which knows only get and set: claim, wait until every claim that was under way
 * has been written, and look whose claim stayed (Fischer's algorithm). Where a process is slower than the wait, two
 * get tokens: {@link TokenLock} exists for those who want it exact.
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
    await this.#settle(startedAt)
    const winner = await this.#owner(key, ttlMs)
    // Nobody: the winner has finished already, or the store keeps nothing. There is nothing to wait for.
    if (winner !== undefined && winner !== owner) return undefined
    return async () => {
      if ((await this.#owner(key, ttlMs)) === owner) await this.#store.delete(key)
    }
  }

  async #settle(startedAt: number): Promise<void> {
    const wait = new Deadline(this.#clock, Number.POSITIVE_INFINITY, undefined)
    await wait.sleep(SETTLE_MS + this.#clock.monotonic() - startedAt)
  }

  /** Whose lease it is; a claim that has run out, or that would outlast any lease, is nobody's. */
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
