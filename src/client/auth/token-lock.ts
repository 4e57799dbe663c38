/** Gives a lock back. It must leave the lock alone when its time ran out and another process holds it now. */
export type ReleaseTokenLock = () => unknown

/**
 * Lets the processes that share a token store take turns at getting tokens, so that a refresh token, which serves
 * once (§5), is used once. Redis has it with `SET … NX PX` and a compare-and-delete, Postgres with a row that expires
 * or an advisory lock.
 *
 * It is a courtesy and not a safety: a lock that throws, hangs or is held for too long is passed by after a while.
 * Getting tokens twice costs a request and does no harm.
 */
export interface TokenLock {
  /**
   * Takes the lock if it is free; never waits for it.
   *
   * @param key - Names the lock: one for each set of credentials.
   * @param ttlMs - Milliseconds after which it must come free by itself, should its holder have died.
   * @returns How to give it back; `undefined` when another process holds it.
   */
  acquire(
    key: string,
    ttlMs: number,
  ): PromiseLike<ReleaseTokenLock | undefined> | ReleaseTokenLock | undefined
}
