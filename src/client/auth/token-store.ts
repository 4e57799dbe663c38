import type { Clock } from '../../common/clock.js'
import { Deadline } from '../core/deadline.js'
import type { SharedHealth } from './shared-health.js'
import { parseStoredTokens, type StoredTokens } from './token.js'

/**
 * Where tokens can be kept for a fleet of processes. Any Keyv instance fits as it is, and so does a `Map`. Values are
 * JSON text and hold secrets: wrap a store that others can read with `encryptedTokenStore`.
 *
 * The client never depends on it: what throws, takes longer than two seconds or holds something else counts as empty,
 * with one warning.
 */
export interface TokenStore {
  /** The value, or a promise of it; `undefined` or `null` when there is none. */
  get(key: string): unknown
  /**
   * Keeps a value.
   *
   * @param ttl - Milliseconds after which the value is of no use any more.
   */
  set(key: string, value: string, ttl?: number): unknown
  /** Forgets a value. */
  delete(key: string): unknown
}

/** Milliseconds that one operation of a store or a lock may take. */
export const SHARED_OPERATION_MS = 2_000

/** Longest time to live asked of a store, in milliseconds: some refuse what they cannot count. */
const LONGEST_TTL_MS = 90 * 24 * 3_600_000

/** What a look into the store found. */
export interface SlotReading {
  /** The store could not be read at all. */
  readonly failed: boolean
  readonly tokens: StoredTokens | undefined
}

/** Waits for an operation that someone else wrote, but not for ever. Rejects when it throws or is too slow. */
export async function withinLimit<T>(clock: Clock, operation: () => T | PromiseLike<T>): Promise<T> {
  const deadline = new Deadline(clock, SHARED_OPERATION_MS, undefined)
  try {
    return await deadline.race(Promise.resolve(operation()))
  } finally {
    deadline.dispose()
  }
}

/** Before a value that could not be read is read again, in milliseconds. */
const REREAD_MS = 30

/** Reads twice: a connection may have gone stale, a file may be half written. */
export async function readPatiently(store: TokenStore, key: string, clock: Clock): Promise<unknown> {
  try {
    return await store.get(key)
  } catch {
    await new Promise<void>((resolve) => clock.schedule(resolve, REREAD_MS))
    return store.get(key)
  }
}

/** The tokens of one client in a store. Nothing here rejects: a store that fails is as good as an empty one. */
export class StoredTokenSlot {
  readonly #store: TokenStore
  readonly #key: string
  readonly #clock: Clock
  readonly #health: SharedHealth
  #readable = true

  constructor(store: TokenStore, key: string, clock: Clock, health: SharedHealth) {
    this.#store = store
    this.#key = key
    this.#clock = clock
    this.#health = health
  }

  async read(): Promise<SlotReading> {
    const read = await this.#attempt('get', () => readPatiently(this.#store, this.#key, this.#clock))
    this.#readable = read.done
    if (!read.done) return { failed: true, tokens: undefined }
    const tokens = parseStoredTokens(read.value)
    if (tokens !== undefined) this.#health.worked('content')
    else if (read.value !== undefined && read.value !== null) this.#health.failed('content')
    return { failed: false, tokens }
  }

  /**
   * Puts new tokens in the place of `replaced`. Newer ones that another process has put there meanwhile stay, so that
   * a late answer never takes the fleet back to an older refresh token.
   */
  async write(tokens: StoredTokens, replaced: StoredTokens | undefined): Promise<void> {
    const present = this.#readable ? (await this.read()).tokens : undefined
    const passed = present !== undefined && present.accessToken !== replaced?.accessToken
    if (passed && present.issuedAt > tokens.issuedAt) return
    const life = (tokens.refreshExpiresAt ?? tokens.expiresAt) - this.#clock.now()
    const ttl = Math.min(Math.max(1, Math.ceil(life)), LONGEST_TTL_MS)
    await this.#attempt('set', () => this.#store.set(this.#key, JSON.stringify(tokens), ttl))
  }

  /** Deletes tokens that nobody can use any more, unless others have taken their place. */
  async drop(tokens: StoredTokens): Promise<void> {
    const { tokens: present } = await this.read()
    if (present?.accessToken !== tokens.accessToken) return
    await this.#attempt('delete', () => this.#store.delete(this.#key))
  }

  async #attempt(
    operation: 'get' | 'set' | 'delete',
    run: () => unknown,
  ): Promise<{ readonly done: boolean; readonly value?: unknown }> {
    try {
      const value = await withinLimit(this.#clock, run)
      // Keyv reports a write that failed with false.
      if (operation === 'set' && value === false) throw new Error('the store did not keep the value')
      this.#health.worked(operation)
      return { done: true, value }
    } catch {
      this.#health.failed(operation)
      return { done: false }
    }
  }
}
