import { createHmac } from 'node:crypto'
import { sleep } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import type { SafeLogger } from '../../common/logger.js'
import {
  type HeldTokens,
  type LiveTokens,
  liveTokens,
  type RenewedTokens,
  type StoredTokens,
  type TokenRenewal,
} from './token-manager.js'
import type { TokenOptions } from './token-request.js'
import {
  type ReleaseTokenLock,
  SharedHealth,
  StoredTokenSlot,
  type TokenLock,
  type TokenStore,
} from './token-store.js'

export interface SharingParts {
  readonly store: TokenStore
  /** Without a lock, only access tokens are shared: each process gets its own ones with the credentials. */
  readonly lock: TokenLock | undefined
  readonly options: TokenOptions
  readonly renewal: TokenRenewal
  readonly logger: SafeLogger
  /** Aborts when the client has closed. */
  readonly closing: AbortSignal | undefined
}

/** Time after which an unreleased lock expires, in milliseconds: the longest time limit of a token request. */
const LOCK_MS = 30_000

/** Maximum wait for the lock, in milliseconds. The process then continues without it. */
const LONGEST_WAIT_MS = 10_000

/** First and longest pause between attempts to get the lock, in milliseconds. Up to half is subtracted at random. */
const PAUSE_MS = { first: 60, longest: 500 } as const

/** Tokens of processes that share a store. With a lock, one process requests tokens, and the others read them. */
export class SharedTokens {
  readonly #parts: SharingParts
  readonly #health: SharedHealth
  readonly #slot: StoredTokenSlot
  readonly #lockName: string

  constructor(parts: SharingParts) {
    const { store, options, logger } = parts
    const name = nameOf(options)
    this.#parts = parts
    this.#health = new SharedHealth(logger, options.clock)
    this.#slot = new StoredTokenSlot(store, `pathology-sdk:tokens:${name}`, options.clock, this.#health)
    this.#lockName = `pathology-sdk:token-lock:${name}`
  }

  async obtain(held: HeldTokens): Promise<RenewedTokens> {
    const { lock } = this.#parts
    const stored = await this.#slot.read()
    const found = this.#ready(stored, held)
    if (found !== undefined) return ofOtherProcess(found)
    if (lock === undefined || !this.#slot.isReadable) return this.#renew(stored, held)
    const { shared, unlock } = await this.#waitForLock(lock, held)
    try {
      const ready = this.#ready(shared, held)
      return ready === undefined ? await this.#renew(shared, held) : ofOtherProcess(ready)
    } finally {
      await unlock()
    }
  }

  /**
   * Waits until this process has the lock, the lock fails, another process has stored usable tokens, the time limit
   * expires, or the client closes. Never rejects. Returns the tokens in the store, and the function that releases the
   * lock.
   */
  async #waitForLock(
    lock: TokenLock,
    held: HeldTokens,
  ): Promise<{ shared: StoredTokens | undefined; unlock: Unlock }> {
    const { options, closing } = this.#parts
    const { clock, random } = options
    const until = clock.monotonic() + LONGEST_WAIT_MS
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 1.5, PAUSE_MS.longest)) {
      const unlock = await this.#acquire(lock)
      const shared = await this.#slot.read()
      const isReady = this.#ready(shared, held) !== undefined
      if (isReady || unlock !== undefined || clock.monotonic() >= until || closing?.aborted === true)
        return { shared, unlock: unlock ?? ignore }
      await sleep(clock, pause * (1 - random() / 2))
    }
  }

  /**
   * Returns the function that releases the lock; `undefined` while another process holds the lock. If the lock fails,
   * the function does nothing.
   */
  async #acquire(lock: TokenLock): Promise<Unlock | undefined> {
    const health = this.#health
    let attempt: ReturnType<TokenLock['acquire']>
    const { done, value } = await health.attempt('lock', () => {
      attempt = lock.acquire(this.#lockName, LOCK_MS)
      return attempt
    })
    const endOf = (release: ReleaseTokenLock | undefined): Unlock | undefined =>
      typeof release === 'function' ? () => health.attempt('release', release) : undefined
    if (done) return endOf(value)
    // A lock that is acquired after the time limit is released at once.
    Promise.resolve(attempt)
      .then((release) => endOf(release)?.())
      .catch(ignore)
    return ignore
  }

  async #renew(shared: StoredTokens | undefined, held: HeldTokens): Promise<RenewedTokens> {
    const { renewal, lock } = this.#parts
    try {
      const newest = shared === undefined || isOlder(shared, held.tokens) ? held.tokens : shared
      const { tokens, ofOtherProcess } =
        lock === undefined
          ? withoutRefreshToken(await renewal.renew(undefined, async () => undefined))
          : await renewal.renew(newest, async () => this.#ready(await this.#slot.read(), held))
      if (!ofOtherProcess) await this.#slot.write(tokens, shared)
      return { tokens, ofOtherProcess }
    } catch (error) {
      const isUsable = shared !== undefined && this.#live(shared).unusableAfterMs > 0
      // While the token service fails, tokens of another process are used until they expire.
      if (isUsable && isUpdate(shared, held.tokens)) return ofOtherProcess(shared)
      const isWanted = isUsable && !held.needsToken
      if (shared !== undefined && !isWanted && renewal.isRejected(shared.refreshToken))
        await this.#slot.drop(shared)
      throw error
    }
  }

  /** Returns the shared tokens if they differ from the held ones, are not older, and are not due for a refresh. */
  #ready(shared: StoredTokens | undefined, held: HeldTokens): StoredTokens | undefined {
    if (shared === undefined || !isUpdate(shared, held.tokens)) return undefined
    return this.#live(shared).refreshAfterMs > 0 ? shared : undefined
  }

  /**
   * Adds times to stored tokens, with the earliest possible refresh time. The token manager chooses the refresh time at
   * random. With a later time here, tokens that are fresh here could be due as soon as the token manager uses them.
   */
  #live(stored: StoredTokens): LiveTokens {
    return liveTokens(stored, this.#parts.options.clock, 1)
  }
}

function withoutRefreshToken({ tokens, ofOtherProcess }: RenewedTokens): RenewedTokens {
  return { tokens: { ...tokens, refreshToken: undefined, refreshExpiresAt: undefined }, ofOtherProcess }
}

function ofOtherProcess(tokens: StoredTokens): RenewedTokens {
  return { tokens, ofOtherProcess: true }
}

/**
 * Returns `true` when the shared tokens are older than the held ones. Old tokens come from a store that lost a write,
 * or from a stale replica, and must not be used again.
 */
function isOlder(shared: StoredTokens, held: StoredTokens | undefined): boolean {
  return held !== undefined && shared.issuedAt < held.issuedAt
}

/** Returns `true` when the shared tokens differ from the held ones and are not older. */
function isUpdate(shared: StoredTokens, held: StoredTokens | undefined): boolean {
  return shared.accessToken !== held?.accessToken && !isOlder(shared, held)
}

/**
 * Returns the name of the account in stores and locks. Only clients with the same URLs, client ID and secret compute
 * the same name. The name has a fixed length and reveals neither the secret nor the client ID.
 */
function nameOf({ auth, base, clientId, clientSecret }: TokenOptions): string {
  const account = JSON.stringify([base.origin + base.prefix, auth.origin + auth.prefix, clientId])
  return createHmac('sha256', clientSecret).update(account).digest('hex')
}

/** Releases the lock if it was acquired. */
type Unlock = () => unknown
