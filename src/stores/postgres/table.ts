import { ConfigurationError } from '../../common/errors.js'
import { ownOptions, pruneTime } from '../../common/known-options.js'
import { isPGlite, isPool } from '../../database/drivers.js'
import { repeated } from '../../database/failures.js'
import { PGLITE_OPTIONS, pgStatement } from '../../database/values.js'
import type { PruneOptions, StoreChores } from '../chores.js'

/** The part of a pg `Pool` or `Client` that a store uses. PGlite has this part too. */
export interface PostgresClient {
  query(
    text: string,
    values: unknown[],
  ): Promise<{
    /** The returned rows. */
    readonly rows: readonly unknown[]
  }>
}

/** Options of every store in Postgres. */
export interface PostgresStoreOptions {
  /**
   * Name of the table, or `schema.name`. Each part has at most 48 lower-case letters, digits and underscores, and does
   * not start with a digit.
   * @defaultValue a name that the store's function documents
   */
  readonly table?: string | undefined
}

const OPTION_NAMES = new Set(['table'])

const PLAIN_NAME = /^[a-z_][a-z0-9_]{0,47}(\.[a-z_][a-z0-9_]{0,47})?$/

/** SQLSTATE of a statement on a table that does not exist. */
const UNDEFINED_TABLE = '42P01'

export interface TableDefinition {
  /** Name of the function that creates the store. Error messages begin with this name. */
  readonly owner: string
  readonly defaultName: string
  readonly columns: string
  /** Column with the time at which an entry ends. `setup` creates an index on this column. */
  readonly endColumn: string
  /** Condition of the rows that are in use. With it, `setup` creates a second index, of these rows only. */
  readonly open?: string
  readonly comment: string
  /** `true` when the store rejects a client that is inside a transaction. */
  readonly needsOwnTransactions?: boolean
}

export class StoreTable {
  /** Name of the table. It was checked, so it can be part of an SQL text. */
  readonly name: string
  readonly #client: PostgresClient
  readonly #definition: TableDefinition

  constructor(client: PostgresClient, options: PostgresStoreOptions, definition: TableDefinition) {
    const { owner, defaultName } = definition
    const { table = defaultName } = ownOptions(owner, options, OPTION_NAMES)
    if (typeof client?.query !== 'function') {
      throw new ConfigurationError(`${owner}: the client must have a query function, such as a pg Pool`)
    }
    if (typeof table !== 'string' || !PLAIN_NAME.test(table)) {
      throw new ConfigurationError(
        `${owner}: table must be a name or schema.name; each part has at most 48 lower-case letters, digits and underscores, and does not start with a digit`,
      )
    }
    this.name = table
    this.#client = definition.needsOwnTransactions
      ? outsideTransactions(owner, client)
      : withOwnParsers(client)
    this.#definition = definition
  }

  async rows(text: string, ...values: unknown[]): Promise<readonly unknown[]> {
    try {
      return (await repeated(() => this.#client.query(text, values))).rows
    } catch (error) {
      if (errorCode(error) !== UNDEFINED_TABLE) throw error
      const { owner } = this.#definition
      const message = `${owner}: the table ${this.name} does not exist; call setup() once before the first use`
      throw new ConfigurationError(message, { cause: error })
    }
  }

  async count(text: string, ...values: unknown[]): Promise<number> {
    return (await this.rows(text, ...values)).length
  }

  /**
   * Creates the table if it does not exist. If the table exists, the role needs no permission to create tables.
   */
  async create(): Promise<void> {
    const { columns, comment, endColumn, open } = this.#definition
    const index = `${this.name.split('.').at(-1)}_${endColumn}`
    const ofOpen =
      open === undefined ? '' : `CREATE INDEX ${index}_open ON ${this.name} (${endColumn}) WHERE ${open};`
    // Simultaneous CREATE TABLE IF NOT EXISTS statements can fail without the lock.
    await this.rows(`DO $$ BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('${this.name}'));
      IF to_regclass('${this.name}') IS NULL THEN
        CREATE TABLE ${this.name} (${columns});
        CREATE INDEX ${index} ON ${this.name} (${endColumn});
        ${ofOpen}
        COMMENT ON TABLE ${this.name} IS '${comment}';
      END IF;
    END $$`)
  }

  /** Returns `setup` and `prune` of a store whose entries expire at their `expires_at`. */
  choresOfExpiring(): StoreChores {
    return {
      setup: () => this.create(),
      prune: async (options: PruneOptions) => {
        const before = pruneTime(this.#definition.owner, options)
        return this.count(
          `DELETE FROM ${this.name} WHERE expires_at < LEAST(now(), ${instant('$1')}) RETURNING 1`,
          before,
        )
      },
    }
  }
}

/**
 * Returns the SQL that converts a parameter from milliseconds since 1970 to a time. The parameter is not a `Date`,
 * because drivers encode a `Date` in different ways.
 */
export function instant(parameter: string): string {
  return `to_timestamp(${parameter}::double precision / 1000)`
}

/** Returns the SQL of a time after now, by the clock of the database. The parameter is the delay in milliseconds. */
export function timeAfter(parameter: string): string {
  return `now() + ${parameter}::double precision * interval '1 millisecond'`
}

/** Returns the SQLSTATE of a database error, or `'undefined'` if the error has none. */
export function errorCode(error: unknown): string {
  return String(Reflect.get(Object(error), 'code'))
}

/** Name of a setting. The value of the setting lasts until the end of the transaction that sets it. */
const PROBE = 'pathology_sdk.probe'

/** SQLSTATE of a statement in a transaction in which an earlier statement has failed. */
const FAILED_TRANSACTION = '25P02'

/**
 * Returns a client whose values do not depend on the parsers of the application. An object of another kind than pg or
 * PGlite gets plain statements.
 */
function withOwnParsers(client: PostgresClient): PostgresClient {
  const given: unknown = client
  if (isPGlite(given)) return { query: (text, values) => given.query(text, values, PGLITE_OPTIONS) }
  if (isPool(given)) return { query: (text, values) => given.query(pgStatement(text, values)) }
  return client
}

/**
 * Returns a client that rejects statements inside a transaction of the caller. A pool needs no check, because each of
 * its statements is a transaction of its own. Any other client has one connection, so the store's statements wait for
 * one another: none may run between a check and its statement.
 */
function outsideTransactions(owner: string, given: PostgresClient): PostgresClient {
  const client = withOwnParsers(given)
  if (typeof Reflect.get(given, 'totalCount') === 'number') return client
  let last: Promise<unknown> = Promise.resolve()
  const checked = async (text: string, values: unknown[]): ReturnType<PostgresClient['query']> => {
    if (await isInTransaction(client)) {
      throw new ConfigurationError(
        `${owner}: the client is inside a transaction, so other processes would not see the change and a rollback would undo it; nothing was written. Pass a Pool, or a client that no other code uses`,
      )
    }
    return client.query(text, values)
  }
  return {
    query(text, values) {
      const result = last.then(() => checked(text, values))
      last = result.catch(() => undefined)
      return result
    },
  }
}

/**
 * The first statement sets a value that lasts until the end of its transaction, so the second one sees it only if both
 * are in the same. Comparing `now()` with `statement_timestamp()` fails in the extended protocol.
 */
async function isInTransaction(client: PostgresClient): Promise<boolean> {
  const probe = globalThis.crypto.randomUUID()
  try {
    await client.query('SELECT set_config($1, $2, true)', [PROBE, probe])
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === FAILED_TRANSACTION) return true
    throw error
  }
  const { rows } = await client.query('SELECT current_setting($1, true) AS probe', [PROBE])
  return Reflect.get(Object(rows[0]), 'probe') === probe
}
