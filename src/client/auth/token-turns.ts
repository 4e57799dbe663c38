import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/ignore.js'
import { Deadline } from '../core/deadline.js'
import { type ReleaseTokenLock, type SharedHealth, type TokenLock, withinLimit } from './token-store.js'

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

/** Lets processes request tokens in turn. No method rejects or waits without a limit. */
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
    const wait = new Deadline(clock, Number.POSITIVE_INFINITY, undefined)
    const until = clock.monotonic() + LONGEST_WAIT_MS
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 1.5, PAUSE_MS.longest)) {
      const end = await this.#acquire()
      const { done, found } = await lookUp()
      if (done || end !== undefined || clock.monotonic() >= until) return { found, end: end ?? nothing }
      await wait.sleep(pause * (1 - random() / 2))
    }
  }

  /** Returns the function that releases the lock. If the lock fails, the function does nothing. */
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
