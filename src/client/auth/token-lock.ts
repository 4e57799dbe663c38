/** Releases a lock. It must not release the lock of another process after the time limit. */
export type ReleaseTokenLock = () => unknown

/**
 * Lock for processes that share a token store: a refresh token is valid once, so only one process should use
 * it. In Redis, use `SET … NX PX` and compare-and-delete; in Postgres, a row that expires or an advisory lock.
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
