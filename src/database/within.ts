import { PathologyError } from '../common/errors.js'
import { waitWithin } from '../common/time-limit.js'

/** Maximum time for a statement, and for the wait for a connection, in milliseconds. */
export const STATEMENT_MS = 30_000

/** Waits for a promise of the database until the signal aborts or the time limit expires. */
export function within<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  limitMs = STATEMENT_MS,
): Promise<T> {
  return waitWithin(work, { signal, limitMs, timeoutError: () => timeoutError(limitMs) })
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

function timeoutError(limitMs: number): PathologyError {
  return new PathologyError(
    `The database did not respond within ${limitMs / 1000} s. A statement outside a transaction may still take effect. An open transaction was rolled back, unless its COMMIT was already sent. Check the database and the network.`,
    { code: 'DATABASE_TIMEOUT', retryable: true },
  )
}
