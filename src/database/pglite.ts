import type { AsyncLocalStorage } from 'node:async_hooks'

import { ConfigurationError } from '../common/errors.js'
import type { Database, QueryResult, Transaction, TransactionOptions } from './database.js'
import { within } from './within.js'

/** Result of a statement of PGlite. */
export interface PGliteResult {
  /** The returned rows. */
  readonly rows: readonly unknown[]
  /** Number of changed rows. */
  readonly affectedRows?: number | undefined
}

/** The used part of a transaction of PGlite. */
export interface PGliteTransaction {
  /** Runs a statement. */
  query(text: string, values?: unknown[]): Promise<PGliteResult>
  /** Runs several statements. */
  exec(text: string): Promise<unknown>
}

/** The used part of a `PGlite`. */
export interface PGliteInstance extends PGliteTransaction {
  /** Runs `work` in a transaction. Other statements wait for its end. */
  transaction<T>(work: (tx: PGliteTransaction) => Promise<T>): Promise<T>
  /** Listens to a channel of NOTIFY. */
  listen(channel: string, callback: (payload: string) => void): Promise<unknown>
  /** Closes the database. */
  close(): Promise<void>
  /** Resolves when the database can be used. */
  readonly waitReady: Promise<void>
}

/** Marks the code that runs in a transaction. */
interface Running {
  isActive: boolean
}

/** PGlite in this process. It has one connection. */
export class PGliteDatabase implements Database {
  readonly kind = 'pglite'
  readonly maxConnections = undefined
  readonly isExclusive: boolean
  readonly #pglite: PGliteInstance
  readonly #running: AsyncLocalStorage<Running>
  readonly #close: () => Promise<void>

  constructor(
    pglite: PGliteInstance,
    running: AsyncLocalStorage<Running>,
    { isExclusive, close }: { readonly isExclusive: boolean; readonly close: () => Promise<void> },
  ) {
    this.#pglite = pglite
    this.#running = running
    this.isExclusive = isExclusive
    this.#close = close
  }

  /** @param own - Whether this process alone can open the database, and what `close` does. */
  static async of(
    pglite: PGliteInstance,
    own: { readonly isExclusive: boolean; readonly close: () => Promise<void> },
  ): Promise<PGliteDatabase> {
    const { AsyncLocalStorage } = await import('node:async_hooks')
    await pglite.waitReady
    return new PGliteDatabase(pglite, new AsyncLocalStorage(), own)
  }

  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
    signal?: AbortSignal,
  ): Promise<QueryResult<Row>> {
    this.#refuseInside()
    const pending = this.#pglite.query(text, [...values])
    return resultOf(signal === undefined ? await pending : await within(pending, signal))
  }

  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { first = '', signal }: TransactionOptions = {},
  ): Promise<T> {
    this.#refuseInside()
    signal?.throwIfAborted()
    const running: Running = { isActive: true }
    return this.#pglite.transaction(async (inner) => {
      if (first !== '') await inner.exec(first)
      const tx: Transaction = {
        query: async <Row>(text: string, values: readonly unknown[] = []) =>
          resultOf<Row>(await inner.query(text, [...values])),
        execute: async (text) => void (await inner.exec(text)),
      }
      try {
        const result = await this.#running.run(running, () => work(tx))
        signal?.throwIfAborted()
        return result
      } finally {
        running.isActive = false
      }
    })
  }

  async listen(channel: string, onMessage: () => void): Promise<() => Promise<void>> {
    this.#refuseInside()
    const stop: unknown = await this.#pglite.listen(channel, onMessage)
    return async () => {
      if (typeof stop === 'function') await stop()
    }
  }

  close(): Promise<void> {
    return this.#close()
  }

  /** The statement would wait for its own transaction. */
  #refuseInside(): void {
    if (this.#running.getStore()?.isActive !== true) return
    throw new ConfigurationError(
      'PGlite has one connection, and this code runs inside a transaction of it, so the statement would never run. Nothing was changed. In a handler, use its tx for statements, or use a Postgres server.',
      { code: 'DATABASE_IN_TRANSACTION' },
    )
  }
}

function resultOf<Row>({ rows, affectedRows }: PGliteResult): QueryResult<Row> {
  // The caller names the type of the rows that its statement returns.
  return { rows: rows as Row[], rowCount: rows.length > 0 ? rows.length : (affectedRows ?? 0) }
}
