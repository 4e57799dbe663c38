import type { Clock } from '../../common/clock.js'
import { isPathologyError } from '../../common/errors.js'
import type { SafeLogger } from '../../common/logger.js'
import { waitWithin } from '../../common/time-limit.js'
import { fieldOf, jsonOf } from '../../contract/read.js'
import type { StoredTokens } from './token-manager.js'
import { isSendable } from './token-response.js'

/**
 * Store for tokens that several processes share, such as a Keyv instance with an adapter for a database. A `Map`, or a
 * Keyv instance without an adapter, shares tokens only between the clients of one process. Values are JSON text with
 * secrets: if others can read the store, use `encryptedTokenStore`.
 *
 * The client continues without the store in these cases:
 * - An operation throws or takes longer than two seconds.
 * - `get` returns data that is not tokens.
 * - `set` returns `false`.
 *
 * The client then logs one warning. It logs another one only if an operation fails after all failed operations have
 * worked again.
 */
export interface TokenStore {
  /** Returns the value or a promise of it; `undefined` or `null` when there is none. */
  get(key: string): unknown
  /**
   * Stores a value.
   *
   * @param ttl - Time to live, in milliseconds.
   */
  set(key: string, value: string, ttl?: number): unknown
  /** Deletes a value. */
  delete(key: string): unknown
}

/** Time limit of one operation of a store or a lock, in milliseconds. */
const SHARED_OPERATION_MS = 2_000

/** Maximum time to live, in milliseconds: some stores reject large numbers. */
const LONGEST_TTL_MS = 90 * 24 * 3_600_000

/** Tokens of one account in a store. No method rejects: a failing store counts as empty. */
export class StoredTokenSlot {
  readonly #store: TokenStore
  readonly #key: string
  readonly #clock: Clock
  readonly #health: SharedHealth
  /** `false` when the last read failed. */
  isReadable = true

  constructor(store: TokenStore, key: string, clock: Clock, health: SharedHealth) {
    this.#store = store
    this.#key = key
    this.#clock = clock
    this.#health = health
  }

  async read(): Promise<StoredTokens | undefined> {
    const { done, value } = await this.#health.attempt('get', () => this.#store.get(this.#key))
    this.isReadable = done
    const tokens = parseStoredTokens(value)
    if (tokens !== undefined) this.#health.worked('content')
    else if (value !== undefined && value !== null) this.#health.failed('content')
    return tokens
  }

  /**
   * Replaces the tokens `replaced`. Keeps newer tokens of another process if the store can be read. A late response
   * must not restore an older refresh token.
   */
  async write(tokens: StoredTokens, replaced: StoredTokens | undefined): Promise<void> {
    const present = this.isReadable ? await this.read() : undefined
    const passed = present !== undefined && present.accessToken !== replaced?.accessToken
    if (passed && present.issuedAt > tokens.issuedAt) return
    const life = (tokens.refreshExpiresAt ?? tokens.expiresAt) - this.#clock.now()
    const ttl = Math.min(Math.max(1, Math.ceil(life)), LONGEST_TTL_MS)
    await this.#health.attempt('set', async () => {
      const isStored = await this.#store.set(this.#key, JSON.stringify(tokens), ttl)
      // Keyv returns false for a failed write.
      if (isStored === false) throw new Error('the store did not keep the value')
    })
  }

  /** Deletes tokens that no process can use, unless other tokens have replaced them. */
  async drop(tokens: StoredTokens): Promise<void> {
    const present = await this.read()
    if (present?.accessToken !== tokens.accessToken) return
    await this.#health.attempt('delete', () => this.#store.delete(this.#key))
  }
}

/** Returns a stored value; some stores parse JSON themselves. */
function contentOf(value: unknown): unknown {
  return typeof value === 'string' ? jsonOf(value) : value
}

/** Reads tokens of a store; `undefined` when the value does not have the form that this package writes. */
export function parseStoredTokens(value: unknown): StoredTokens | undefined {
  const stored = contentOf(value)
  const accessToken = fieldOf(stored, 'accessToken')
  const issuedAt = fieldOf(stored, 'issuedAt')
  const expiresAt = fieldOf(stored, 'expiresAt')
  if (!isSendable(accessToken) || typeof issuedAt !== 'number' || typeof expiresAt !== 'number')
    return undefined
  if (!(issuedAt <= expiresAt && expiresAt < Number.POSITIVE_INFINITY)) return undefined
  const refreshToken = fieldOf(stored, 'refreshToken')
  const refreshExpiresAt = fieldOf(stored, 'refreshExpiresAt')
  return {
    accessToken,
    issuedAt,
    expiresAt,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
    refreshExpiresAt: typeof refreshExpiresAt === 'number' ? refreshExpiresAt : undefined,
  }
}

/** Releases a lock. After the `ttlMs` of `acquire`, it must not release a lock that another process has acquired. */
export type ReleaseTokenLock = () => unknown

/**
 * Lock for processes that share a token store: a refresh token is valid once, so only one process should use it.
 * Without a lock, refresh tokens are not stored. In Redis, use `SET … NX PX` and compare-and-delete. In Postgres, use a row that expires: an advisory lock does
 * not expire.
 *
 * The lock saves requests but is not required for safety. The client continues without a lock that throws,
 * hangs or is held for too long: a second token request does no harm.
 */
export interface TokenLock {
  /**
   * Acquires the lock if it is free; does not wait.
   *
   * @param key - Name of the lock: one for each set of credentials.
   * @param ttlMs - Time in milliseconds after which the lock must expire.
   * @returns Function that releases the lock; `undefined` when another process holds it.
   */
  acquire(
    key: string,
    ttlMs: number,
  ): PromiseLike<ReleaseTokenLock | undefined> | ReleaseTokenLock | undefined
}

const PROBLEMS = {
  get: 'reading the token store failed',
  set: 'writing to the token store failed',
  delete: 'writing to the token store failed',
  content: 'the token store contains data that is not tokens',
  lock: 'acquiring the token lock failed',
  release: 'releasing the token lock failed',
} as const

type SharedProblem = keyof typeof PROBLEMS

/** Warns once when a shared store or lock fails, and again only after each failed operation has worked. */
export class SharedHealth {
  readonly #logger: SafeLogger
  readonly #clock: Clock
  readonly #failing = new Set<SharedProblem>()

  constructor(logger: SafeLogger, clock: Clock) {
    this.#logger = logger
    this.#clock = clock
  }

  /** Runs an operation of the user's store or lock with a time limit. Never rejects. */
  async attempt<T>(
    operation: SharedProblem,
    run: () => T | PromiseLike<T>,
  ): Promise<{ readonly done: boolean; readonly value?: Awaited<T> }> {
    try {
      const value = await waitWithin(Promise.resolve(run()), {
        clock: this.#clock,
        limitMs: SHARED_OPERATION_MS,
      })
      this.worked(operation)
      return { done: true, value }
    } catch (error) {
      // Only the message of a `ConfigurationError` is shown, because any other message may contain a token.
      const isOwn = isPathologyError(error) && error.name === 'ConfigurationError'
      this.failed(operation, isOwn ? ` (${error.message})` : '')
      return { done: false }
    }
  }

  /** @param reason - Reason in brackets, with a space before it; empty if it is not known. */
  failed(problem: SharedProblem, reason = ''): void {
    if (this.#failing.size === 0) {
      this.#logger.warn(`pathology-sdk: ${PROBLEMS[problem]}${reason}; the client continues without it`)
    }
    this.#failing.add(problem)
  }

  worked(problem: SharedProblem): void {
    this.#failing.delete(problem)
  }
}
