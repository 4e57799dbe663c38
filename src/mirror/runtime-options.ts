import { ConfigurationError } from '../common/errors.js'
import type { Database } from '../database/database.js'
import type { ResolvedMirrorOptions } from './resolve-options.js'

/** Connections for receiving, claiming and listening, apart from the work. */
const OTHER_CONNECTIONS = 3

const DEFAULTS = {
  postgres: { concurrency: 4, handlerTimeoutMs: 30_000 },
  // A handler holds the only connection: receiving must get it within 2.5 s.
  pglite: { concurrency: 1, handlerTimeoutMs: 1_000 },
} as const

/** The options of a mirror whose database is open: all have values. */
export interface OpenedOptions extends ResolvedMirrorOptions {
  readonly concurrency: number
  readonly handlerTimeoutMs: number
}

/** Adds the defaults that depend on the database. */
export function openedOptions(options: ResolvedMirrorOptions, { kind }: Database): OpenedOptions {
  const { concurrency, handlerTimeoutMs } = DEFAULTS[kind]
  return {
    ...options,
    concurrency: options.concurrency ?? concurrency,
    handlerTimeoutMs: options.handlerTimeoutMs ?? handlerTimeoutMs,
  }
}

/** @throws {@link ConfigurationError} if the pool has too few connections, so that work would wait for itself. */
export function checkPool({ maxConnections }: Database, { concurrency }: OpenedOptions): void {
  const least = concurrency + OTHER_CONNECTIONS
  if (maxConnections === undefined || maxConnections >= least) return
  throw new ConfigurationError(
    `createMirror: the pool has at most ${maxConnections} connections, and concurrency ${concurrency} requires at least ${least}. Nothing was started. Increase max of the pool, or reduce concurrency`,
    { code: 'POOL_TOO_SMALL' },
  )
}
