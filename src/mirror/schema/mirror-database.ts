import { ConfigurationError, isPathologyError } from '../../common/errors.js'
import { sourceLocation } from '../../common/logger.js'
import type {
  Database,
  Queryable,
  QueryResult,
  Transaction,
  TransactionOptions,
} from '../../database/database.js'
import { sqlState } from '../../database/failures.js'
import { schemaNames } from '../../database/names.js'

/** For each error of a handler's statement, an error with the stack of the call. */
const callers = new WeakMap<Error, Error>()

/** Returns the line of code that ran a failed statement of a handler, or else the line where an error was created. */
export function placeOf(error: unknown): string | undefined {
  try {
    return error instanceof Error ? sourceLocation(callers.get(error) ?? error) : undefined
  } catch {
    // Any value can be thrown, such as an error whose properties throw.
    return undefined
  }
}

/** A transaction whose statements name the schema as `{schema}`. */
export interface MirrorTransaction extends Omit<Transaction, 'run'> {
  /** The same transaction for a handler. `{schema}` is not replaced in the statements of a handler. */
  readonly plain: Queryable
}

/** The database of a mirror. This class replaces `{schema}` in all statements by the name of the schema. */
export class MirrorDatabase implements Queryable {
  readonly database: Database
  readonly schema: string
  readonly #named: (text: string) => string

  constructor(database: Database, schema: string) {
    this.database = database
    this.schema = schema
    this.#named = schemaNames(schema)
  }

  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<QueryResult<Row>> {
    return this.database.run(this.#named(text), values, signal)
  }

  /** Returns the first row of a statement; `undefined` if it returned none. */
  async first<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined> {
    return (await this.query<Row>(text, values)).rows[0]
  }

  /** Runs `work` in a transaction. Commits when it resolves, and rolls back when it rejects. */
  transaction<T>(work: (tx: MirrorTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { first } = options
    const named = first === undefined ? options : { ...options, first: this.#named(first) }
    const state = { isOpen: true }
    return this.database.transaction(async (plain) => {
      try {
        return await work(this.#transactionOf(plain, state))
      } finally {
        state.isOpen = false
      }
    }, named)
  }

  #transactionOf(plain: Transaction, state: { readonly isOpen: boolean }): MirrorTransaction {
    const query: Queryable['query'] = async (text, values) => {
      // A statement that a handler does not await could otherwise run in the next transaction of the connection.
      if (!state.isOpen) throw transactionEnded()
      const caller = new Error('a statement of a handler')
      Error.captureStackTrace(caller, query)
      try {
        return await plain.query(text, values)
      } catch (error) {
        if (error instanceof Error) callers.set(error, caller)
        throw error
      }
    }
    return {
      plain: { query },
      query: (text, values) => plain.run(this.#named(text), values),
      execute: (text) => plain.execute(this.#named(text)),
    }
  }
}

function transactionEnded(): ConfigurationError {
  return new ConfigurationError(
    'The transaction of this handler has ended, so the statement was not run. Await every statement inside the handler, and stop when its signal aborts.',
    { code: 'TRANSACTION_ENDED' },
  )
}

/**
 * SQLSTATE classes of temporary server errors, in this order: connection, transaction state, lost prepared statements,
 * rollback, resources, locks, operator intervention, system.
 */
const TEMPORARY_STATE = /^(08|25|26|40|53|55|57|58)/

/** Returns `true` when an error is temporary, so that the same statement can succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const isConnectionError =
    isPathologyError(error, 'DATABASE_UNAVAILABLE') || isPathologyError(error, 'DATABASE_TIMEOUT')
  return isConnectionError || TEMPORARY_STATE.test(sqlState(error) ?? '')
}

/** SQLSTATEs of conflicts with other transactions: serialization failure, deadlock, expired `lock_timeout`. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '55P03'])

/** Returns `true` when another transaction was in the way. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error))
}
