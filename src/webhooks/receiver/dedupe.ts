/**
 * Where a receiver remembers which events it has dealt with, by `eventUuid` (§6: duplicates are possible).
 *
 * Processes that share a store share its memory. `memoryDedupeStore`, `redisDedupeStore` and `postgresDedupeStore` are such
 * stores; a store of your own needs `claim` and `release`, and should have the other two.
 *
 * Without `confirm` and `isConfirmed`, an event is claimed for the whole time before it is handled: when the
 * process dies in between, its next delivery counts as a duplicate, and so does one that reaches another
 * process meanwhile. With them, a claim is a short lease that is made to last only once the event was handled.
 */
export interface DedupeStore {
  /**
   * Claims an event, atomically: of any number of calls at the same time, exactly one gets `true`.
   *
   * @param ttlMs - Milliseconds after which the claim is forgotten.
   * @returns `false` when the event is claimed already.
   */
  claim(eventUuid: string, ttlMs: number): boolean | PromiseLike<boolean>
  /** Gives up a claim that was not confirmed, so that the event can be claimed again. */
  release(eventUuid: string): unknown
  /**
   * Records that the event was handled, whether it is still claimed or not.
   *
   * @param ttlMs - Milliseconds to remember it for, from now on.
   */
  confirm?(eventUuid: string, ttlMs: number): unknown
  /** Whether the event was confirmed and is still remembered. */
  isConfirmed?(eventUuid: string): boolean | PromiseLike<boolean>
}
