import type { AsyncLocalStorage } from 'node:async_hooks'

import { ConfigurationError, ignore } from '../common/errors.js'
import { waitWithin } from '../common/time-limit.js'
import type { Database, QueryResult, Transaction, TransactionOptions } from './database.js'
import { databaseLimits } from './failures.js'
import { PGlitePlans, type PGliteResult, type PGliteTransaction } from './pglite-plans.js'
import { PGLITE_OPTIONS } from './values.js'

/** The part of a `PGlite` that this package uses. */
export interface PGliteInstance extends PGliteTransaction {
  /** Runs `work` in a transaction. Other statements wait until the transaction ends. */
  transaction<T>(work: (tx: PGliteTransaction) => Promise<T>): Promise<T>
  /** Closes the database. */
  close(): Promise<void>
  /** Resolves when the database can be used. */
  readonly waitReady: Promise<void>
}

export interface PGliteOwnership {
  /** See {@link Database.isExclusive}. */
  readonly isExclusive: boolean
  /** Closes the database. */
  readonly close: () => Promise<void>
  /**
   * Called before each statement outside a transaction, and before each transaction and its commit. Rejects if this
   * process must not use the database any more.
   */
  readonly confirm?: () => Promise<void>
}

/** State of an open transaction. Code that runs in the transaction reads it from `AsyncLocalStorage`. */
interface OpenTransaction {
  isActive: boolean
}

/** Lets timers and sockets have a turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** PGlite in this process. It has one connection. */
export class PGliteDatabase implements Database {
  readonly kind = 'pglite'
  readonly maxConnections = undefined
  readonly isExclusive: boolean
  readonly #pglite: PGliteInstance
  readonly #running: AsyncLocalStorage<OpenTransaction>
  readonly #own: PGliteOwnership
  readonly #plans = new PGlitePlans()
  #last: Promise<unknown> = Promise.resolve()

  constructor(pglite: PGliteInstance, running: AsyncLocalStorage<OpenTransaction>, own: PGliteOwnership) {
    this.#pglite = pglite
    this.#running = running
    this.#own = own
    this.isExclusive = own.isExclusive
  }

  /** Waits until PGlite is ready, and returns its `PGliteDatabase`. */
  static async of(pglite: PGliteInstance, own: PGliteOwnership): Promise<PGliteDatabase> {
    const { AsyncLocalStorage } = await import('node:async_hooks')
    await pglite.waitReady
    return new PGliteDatabase(pglite, new AsyncLocalStorage(), own)
  }

  async run<Row>(
    text: string,
    values: readonly unknown[] = [],
    signal?: AbortSignal,
  ): Promise<QueryResult<Row>> {
    const result = this.#inTurn(signal, () => this.#plans.run(this.#pglite, text, values))
    return resultOf(
      signal === undefined ? await result : await waitWithin(result, { signal, ...databaseLimits() }),
    )
  }

  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { first = '', signal }: TransactionOptions = {},
  ): Promise<T> {
    return this.#inTurn(signal, () => this.#transaction(work, first, signal))
  }

  #transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    first: string,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const running: OpenTransaction = { isActive: true }
    return this.#pglite.transaction(async (inner) => {
      if (first !== '') await inner.exec(first, PGLITE_OPTIONS)
      const tx: Transaction = {
        query: async <Row>(text: string, values: readonly unknown[] = []) => {
          await nextTurn()
          return resultOf<Row>(await inner.query(text, [...values]))
        },
        run: async <Row>(text: string, values: readonly unknown[] = []) => {
          await nextTurn()
          return resultOf<Row>(await this.#plans.run(inner, text, values))
        },
        execute: async (text) => void (await inner.exec(text, PGLITE_OPTIONS)),
      }
      try {
        const result = await this.#running.run(running, () => work(tx))
        await this.#own.confirm?.()
        signal?.throwIfAborted()
        return result
      } finally {
        running.isActive = false
      }
    })
  }

  async close(): Promise<void> {
    try {
      await this.#own.close()
    } finally {
      // An enabled AsyncLocalStorage is never collected, and in Node 20 it slows down each later promise.
      this.#running.disable()
    }
  }

  /**
   * Runs `work` after all earlier work. PGlite computes on this thread, and without a pause between two statements no
   * timer would fire: a delivery that waits for its statement would not get a response in time. Work whose signal has
   * aborted meanwhile is left out.
   */
  #inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    this.#refuseInside()
    const before = this.#last
    const turn = (async () => {
      await before
      await nextTurn()
      signal?.throwIfAborted()
      await this.#own.confirm?.()
      return work()
    })()
    this.#last = turn.catch(ignore)
    return turn
  }

  /**
   * Throws inside a transaction, because a statement outside `tx` would wait forever for the end of that transaction.
   */
  #refuseInside(): void {
    if (this.#running.getStore()?.isActive !== true) return
    throw new ConfigurationError(
      'This code runs inside a transaction of PGlite, which has one connection, so the statement would never run. Nothing was changed. In a handler, use its tx for statements, or use a Postgres server.',
      { code: 'DATABASE_IN_TRANSACTION' },
    )
  }
}

function resultOf<Row>({ rows, affectedRows }: PGliteResult): QueryResult<Row> {
  // The cast is not checked: the caller names the type of the rows that its statement returns.
  return { rows: rows as Row[], rowCount: rows.length > 0 ? rows.length : (affectedRows ?? 0) }
}
