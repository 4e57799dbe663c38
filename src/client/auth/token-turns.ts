import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/ignore.js'
import { Deadline } from '../core/deadline.js'
import type { SharedHealth } from './shared-health.js'
import type { ReleaseTokenLock, TokenLock } from './token-lock.js'
import { withinLimit } from './token-store.js'

export interface TurnParts {
  readonly lock: TokenLock
  readonly key: string
  readonly clock: Clock
  readonly random: () => number
  readonly health: SharedHealth
}

/** How long a process may hold the lock: about as long as getting tokens can take, in milliseconds. */
const LOCK_MS = 30_000

/** How long a process waits for its turn before it goes on without, in milliseconds. */
const LONGEST_WAIT_MS = 10_000

/** Between two tries, in milliseconds: the first pause and the longest, each shortened at random by up to half. */
const PAUSE_MS = { first: 60, longest: 500 } as const

/** The turns of processes at getting tokens. Nothing here rejects, and nothing waits for ever. */
export class TokenTurns {
  readonly #parts: TurnParts

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /**
   * Waits for this process's turn, or until there is nothing left to do, or until it has waited for long enough.
   *
   * @param look - Looks whether another process has done it meanwhile; called once more when the turn has come.
   * @returns What the last look found, and how to end the turn.
   */
  async take<T>(
    look: () => Promise<{ readonly done: boolean; readonly found: T }>,
  ): Promise<{ readonly found: T; readonly end: () => Promise<void> }> {
    const { clock, random } = this.#parts
    const wait = new Deadline(clock, Number.POSITIVE_INFINITY, undefined)
    const until = clock.monotonic() + LONGEST_WAIT_MS
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 1.5, PAUSE_MS.longest)) {
      const end = await this.#acquire()
      const { done, found } = await look()
      if (done || end !== undefined || clock.monotonic() >= until) return { found, end: end ?? nothing }
      await wait.sleep(pause * (1 - random() / 2))
    }
  }

  /** How to give the lock back; also where there is no lock to be had, and nothing to give back. */
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
  // There is no turn to end.
}
