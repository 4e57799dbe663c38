import { type Clock, sleep } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import {
  type ReleaseTokenLock,
  readWithRetry,
  type SharedHealth,
  type TokenLock,
  type TokenStore,
  withinLimit,
} from './token-store.js'

/** Wait between writing a claim and reading it back, in milliseconds. The duration of the write is added. */
const CLAIM_WAIT_MS = 40

/**
 * Lock over a store without atomic operations (Fischer's algorithm). A process writes a claim, waits so that concurrent
 * claims are written too, and reads which claim remained. If a process is slower than this wait, two processes may
 * request tokens. The client option `tokenLock` prevents that.
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
    await sleep(this.#clock, CLAIM_WAIT_MS + this.#clock.monotonic() - startedAt)
    const winner = await this.#owner(key, ttlMs)
    // No owner: the winner has finished, or the store loses its values. This process then requests tokens without a
    // wait.
    if (winner !== undefined && winner !== owner) return undefined
    return async () => {
      if ((await this.#owner(key, ttlMs)) === owner) await this.#store.delete(key)
    }
  }

  /** Returns the owner of the lease. Ignores a claim that has expired, or that would last longer than any lease. */
  async #owner(key: string, ttlMs: number): Promise<string | undefined> {
    const claim = parseClaim(await readWithRetry(this.#store, key, this.#clock))
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

export interface TurnParts {
  readonly lock: TokenLock
  readonly key: string
  readonly clock: Clock
  readonly random: () => number
  readonly health: SharedHealth
}

/** Maximum time to hold the lock, in milliseconds: about the longest time of a token request. */
const LOCK_MS = 30_000

/** Maximum wait for the lock, in milliseconds. The process then continues without it. */
const LONGEST_WAIT_MS = 10_000

/** First and longest pause between attempts, in milliseconds. A random part of up to half is subtracted. */
const PAUSE_MS = { first: 60, longest: 500 } as const

/** Lets processes request tokens one after another. `take` waits for a limited time and never rejects. */
export class TokenTurns {
  readonly #parts: TurnParts

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /**
   * Waits until this process has the lock, another process has the result, or the time limit expires.
   *
   * @param lookUp - Looks up another process's result. It is called again after the lock is acquired.
   * @returns The last result, and the function that ends the turn.
   */
  async take<T>(
    lookUp: () => Promise<{ readonly done: boolean; readonly found: T }>,
  ): Promise<{ readonly found: T; readonly end: () => Promise<void> }> {
    const { clock, random } = this.#parts
    const until = clock.monotonic() + LONGEST_WAIT_MS
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 1.5, PAUSE_MS.longest)) {
      const end = await this.#acquire()
      const { done, found } = await lookUp()
      if (done || end !== undefined || clock.monotonic() >= until) return { found, end: end ?? nothing }
      await sleep(clock, pause * (1 - random() / 2))
    }
  }

  /**
   * Returns the function that releases the lock; `undefined` while another process holds the lock. If the lock fails,
   * the function does nothing.
   */
  async #acquire(): Promise<(() => Promise<void>) | undefined> {
    const { lock, key, clock, health } = this.#parts
    let attempt: PromiseLike<ReleaseTokenLock | undefined> | ReleaseTokenLock | undefined
    try {
      const release = await withinLimit(clock, () => {
        attempt = lock.acquire(key, LOCK_MS)
        return attempt
      })
      health.worked('lock')
      return typeof release === 'function' ? () => this.#release(release) : undefined
    } catch {
      health.failed('lock')
      // A lock that is acquired after the time limit is released at once.
      Promise.resolve(attempt)
        .then((release) => (typeof release === 'function' ? this.#release(release) : undefined))
        .catch(ignore)
      return nothing
    }
  }

  async #release(release: ReleaseTokenLock): Promise<void> {
    const { clock, health } = this.#parts
    try {
      await withinLimit(clock, release)
      health.worked('release')
    } catch {
      health.failed('release')
    }
  }
}

async function nothing(): Promise<void> {
  // No lock was acquired.
}
