import { PathologyError } from '../common/errors.js'
import type { WaitLimits } from '../common/time-limit.js'

/** Maximum time for a statement, and for the wait for a connection, in milliseconds. */
export const STATEMENT_MS = 30_000

/** Limits of a wait for the database: a time, and the error after it. */
export function databaseLimits(limitMs = STATEMENT_MS): WaitLimits {
  return {
    limitMs,
    timeoutError: () =>
      new PathologyError(
        `The database did not respond within ${limitMs / 1000} s. A statement outside a transaction may still take effect. An open transaction was rolled back, unless its COMMIT was already sent. Check the database and the network.`,
        { code: 'DATABASE_TIMEOUT', retryable: true },
      ),
  }
}

/** Messages of pg's own connection errors. These errors have no code. */
const CONNECTION_MESSAGE =
  /^(Connection terminated|Client (was closed|has encountered)|timeout exceeded when)/

/** Converts a connection error to a `PathologyError`. Returns any other error unchanged. */
export function connectionError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PathologyError) return error
  const code: unknown = Reflect.get(error, 'code')
  const isSystem = typeof code === 'string' && /^E[A-Z_]+$/.test(code)
  if (!isSystem && !CONNECTION_MESSAGE.test(error.message)) return error
  return new PathologyError(
    `The database cannot be reached, or the connection was lost${isSystem ? ` (${code})` : ''}. A statement outside a transaction may have taken effect. An open transaction was rolled back, unless its COMMIT was already sent. Check the database, its address and the network.`,
    { code: 'DATABASE_UNAVAILABLE', cause: error, retryable: true },
  )
}

/** Returns the SQLSTATE of an error of the server; `undefined` for any other error. */
export function sqlState(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** SQLSTATEs of conflicts between simultaneous statements. The failed statement had no effect and can be repeated. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01'])

/** Maximum attempts of a statement that fails with a conflict. */
const TRIES = 5

/**
 * Runs a statement outside a transaction, and repeats it after a conflict with another statement. At the isolation level
 * that a database sets by `default_transaction_isolation`, conflicts can be frequent.
 */
export async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries === TRIES || !CONFLICTS.has(sqlState(error))) throw error
    }
  }
}
