import { setTimeout as sleep } from 'node:timers/promises'

import { type ConfigurationError, PathologyError } from '../../common/errors.js'
import { sqlState } from '../../database/failures.js'
import type { MirrorDatabase, MirrorTransaction } from './mirror-database.js'

/** Number of the advisory lock that lets only one process change the schema at a time. */
const SCHEMA_LOCK = '7309264410391701'

const ATTEMPTS = 12
const PAUSE_MS = 500

const INSUFFICIENT_PRIVILEGE = '42501'
const LOCK_NOT_AVAILABLE = '55P03'
/** SQLSTATE of a session that has waited for another process's change, and then tries to create the same schema. */
const UNIQUE_VIOLATION = '23505'
const REPEATED: ReadonlySet<string | undefined> = new Set([LOCK_NOT_AVAILABLE, UNIQUE_VIOLATION])

/** Handling of missing changes of the schema: `auto` makes them, `manual` fails and names them. */
export type MigrationMode = 'auto' | 'manual'

/**
 * Changes the schema in a transaction, in one process at a time. Each of 12 attempts waits at most 5 s for a lock.
 *
 * @param refusal - Returns the error for a reason why the schema may not be changed: the mode, or the database role.
 */
export async function changeSchema(
  database: MirrorDatabase,
  mode: MigrationMode,
  change: (tx: MirrorTransaction) => Promise<void>,
  refusal: (reason: string) => ConfigurationError,
): Promise<void> {
  if (mode === 'manual') throw refusal("migrations is 'manual'")
  try {
    await withLock(database, '5s', `SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`, change)
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    throw refusal('the database role may not change the schema')
  }
}

/**
 * Runs a transaction that starts with the exclusive lock of a table. Each of 12 attempts waits at most 500 ms for the
 * lock.
 *
 * @throws {@link PathologyError} with the code `DATABASE_UNAVAILABLE` if no attempt gets the lock.
 */
export async function withTableLock<T>(
  database: MirrorDatabase,
  table: string,
  work: (tx: MirrorTransaction) => Promise<T>,
): Promise<T> {
  const lock = `LOCK TABLE {schema}.${table} IN ACCESS EXCLUSIVE MODE`
  try {
    return await withLock(database, '500ms', lock, work)
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    throw new PathologyError(
      `The table ${table} of the copy is locked, for example by a backup. Nothing was changed. Try again later.`,
      { code: 'DATABASE_UNAVAILABLE', cause: error, retryable: true },
    )
  }
}

/**
 * Runs a transaction that needs locks. Repeats the transaction while another session, such as a backup, holds one of
 * the locks. Each wait is short, because all later statements on the table wait too.
 *
 * @param timeout - Maximum wait for each lock, as an interval of Postgres.
 */
async function withLock<T>(
  database: MirrorDatabase,
  timeout: string,
  lock: string,
  work: (tx: MirrorTransaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction(work, { first: `SET LOCAL lock_timeout = '${timeout}'; ${lock}` })
    } catch (error) {
      if (!REPEATED.has(sqlState(error)) || attempt === ATTEMPTS) throw error
    }
    await sleep(PAUSE_MS)
  }
}
