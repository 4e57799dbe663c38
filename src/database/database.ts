export interface QueryResult<Row> {
  /** The returned rows. */
  readonly rows: Row[]
  /** Number of returned or changed rows. */
  readonly rowCount: number
}

/** A database or a transaction that runs SQL statements. */
export interface Queryable {
  /**
   * Runs one statement.
   *
   * @param text - SQL with the parameters `$1`, `$2` and so on.
   * @param values - Values of the parameters. JSON is passed as text.
   */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>
}

/** An open transaction. `query` runs a statement of the application, whose driver gives its values their types. */
export interface Transaction extends Queryable {
  /** Runs a statement like {@link Database.run}. */
  run<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>
  /** Runs several statements without parameters. */
  execute(text: string): Promise<void>
}

export interface TransactionOptions {
  /** Statements without parameters that run in the same round trip as BEGIN. */
  readonly first?: string | undefined
  /**
   * When this signal aborts, the transaction is rolled back, unless its COMMIT was already sent. On Postgres, the
   * present or next statement rejects, and the connection is closed. On PGlite, the rollback comes at the end of
   * `work`.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Maximum idle time in this transaction, in milliseconds. After this time, a Postgres server ends the session.
   * Default: 30,000. PGlite ignores this option.
   */
  readonly idleTimeoutMs?: number | undefined
}

/** A Postgres database, either a server or PGlite in this process. */
export interface Database {
  /** `pglite` has one connection, so transactions of this process run one after another. */
  readonly kind: 'postgres' | 'pglite'
  /** Maximum number of connections of the pool; `undefined` if unknown. */
  readonly maxConnections: number | undefined
  /** `true` when no other process, and no earlier mirror in this process, can use the database at the same time. */
  readonly isExclusive: boolean
  /**
   * Runs one statement of this package outside a transaction, and repeats it after a conflict. Numbers, booleans and
   * JSON are returned as values of JavaScript, everything else as text: select times with `isoTime`, bytes with
   * `encode`. `text` must be a constant of the program, because with PGlite a plan is cached for each text.
   *
   * Rejects as soon as the signal aborts; the statement may still take effect. On Postgres, each statement also rejects
   * after 30 seconds. On PGlite, only a statement with a signal does.
   */
  run<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<QueryResult<Row>>
  /**
   * Runs `work` in a transaction. Commits when `work` resolves, and rolls back when it rejects. Also rolls back and
   * rejects if `work` ignored the error of a statement, because Postgres does not commit such a transaction. In `work`,
   * use only `tx`: with PGlite, the other methods of this object reject there.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Listens to a NOTIFY channel. Resolves when the connection listens. Calls `onLost` once if the connection fails
   * later. `undefined` on PGlite, which has no other process to hear of.
   *
   * @returns A function that stops listening.
   */
  readonly listen?: (
    channel: string,
    onMessage: () => void,
    onLost: () => void,
  ) => Promise<() => Promise<void>>
  /** Closes the pool or the PGlite that this object has opened. A pool or a PGlite of the caller stays open. */
  close(): Promise<void>
}
