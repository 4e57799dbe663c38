/** Options of `prune` in every store. */
export interface PruneOptions {
  /**
   * Entries that ended at this time or later are kept. For an order ledger, pass a time in the past, such as 90 days
   * ago. For the other stores, the present time is suitable.
   */
  readonly before: Date
}

/** Maintenance functions that every store of this package has. */
export interface StoreChores {
  /**
   * Prepares the store: creates its table in Postgres, or checks the connection to Redis. Call `setup` before the first
   * use, in a migration or at the start of each process. Several processes may call it at the same time. `setup` does
   * not change a store that is ready. One exception: `postgresOrderLedger` records a failover. Without the table, the
   * other methods of a store in Postgres reject with a `ConfigurationError`.
   */
  setup(): Promise<void>
  /**
   * Deletes entries that ended before a time. Call `prune` regularly, for example once a day. Entries in use, and
   * orders with an unknown outcome, are never deleted.
   *
   * @returns Number of deleted entries.
   */
  prune(options: PruneOptions): Promise<number>
}
