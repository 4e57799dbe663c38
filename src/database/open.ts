import { ConfigurationError, ignore } from '../common/errors.js'
import { loaded } from '../common/lazy-import.js'
import type { Database } from './database.js'
import { isPGlite, isPool } from './drivers.js'
import { PGliteDatabase, type PGliteInstance } from './pglite.js'
import { lockFolder } from './pglite-lock.js'
import { type PgPool, PoolDatabase } from './pool.js'

/** A pg `Pool`, a `PGlite`, a `postgres://` URL, or the directory of a PGlite. */
export type DatabaseSource = PgPool | PGliteInstance | string

/**
 * PGlite objects that were passed to `openDatabase` before. A second mirror on the same object does not own the
 * database alone, because the first mirror can hold leases in it.
 */
const opened = new WeakSet<PGliteInstance>()

const POSTGRES_URL = /^postgres(ql)?:\/\//i

/**
 * Any other URL than those of `postgres`, `postgresql`, `memory` and `file`: for example `mysql://…`, a misspelt scheme,
 * or a URL in quotes. Such a URL is not used as the name of a directory, because the name would contain the password.
 */
const OTHER_URL = /^(?!(postgres(ql)?|memory|file):\/\/)(.*:\/\/|postgres(ql)?:)/is

/** Options of a pool that is created from a URL. The timeout ends a connection attempt if the server never responds. */
const OWN_POOL = { connectionTimeoutMillis: 5_000, keepAlive: true }

/** Minimum size of a pool that is created from a URL. */
const MIN_OWN_CONNECTIONS = 10

/**
 * Checks that `source` is one of the accepted kinds of database. Opens nothing.
 *
 * @throws {@link ConfigurationError} for any other value.
 */
export function checkSource(owner: string, source: unknown): asserts source is DatabaseSource {
  const isFolder = typeof source === 'string' && source.trim() !== '' && !OTHER_URL.test(source)
  if (isFolder || isPool(source) || isPGlite(source)) return
  throw new ConfigurationError(
    `${owner}: database must be a pg Pool, a PGlite, a postgres:// URL, or a directory for PGlite`,
  )
}

/**
 * Opens a database. A pool or a PGlite of the caller stays open when the database is closed.
 *
 * @param connections - Required size of a pool that is created from a URL. The pool has at least 10 connections.
 * @throws {@link ConfigurationError} if the driver is not installed, or another process or mirror uses the directory.
 */
export async function openDatabase(source: DatabaseSource, connections = 0): Promise<Database> {
  if (typeof source !== 'string') {
    if (isPool(source)) return new PoolDatabase(source, false)
    const isFirst = !opened.has(source)
    opened.add(source)
    return PGliteDatabase.of(source, { isExclusive: isFirst, close: async () => undefined })
  }
  return POSTGRES_URL.test(source) ? openPool(source, connections) : openFolder(source)
}

async function openPool(connectionString: string, connections: number): Promise<Database> {
  const { default: pg } = await loaded(import('pg'), notInstalled('pg'))
  const max = Math.max(connections, MIN_OWN_CONNECTIONS)
  return new PoolDatabase(new pg.Pool({ ...OWN_POOL, max, connectionString }), true)
}

async function openFolder(folder: string): Promise<Database> {
  const { PGlite } = await loaded(import('@electric-sql/pglite'), notInstalled('@electric-sql/pglite'))
  if (folder.startsWith('memory://')) {
    const pglite = await PGlite.create(folder)
    return PGliteDatabase.of(pglite, { isExclusive: true, close: () => pglite.close() })
  }
  const { confirm, release } = await lockFolder(folder)
  try {
    const pglite = await PGlite.create(folder)
    const close = async (): Promise<void> => {
      // `close` of PGlite writes to the folder, so it is not called if another process uses the folder now.
      const isHeld = await confirm().then(() => true, ignore)
      try {
        if (isHeld === true) await pglite.close()
      } finally {
        await release()
      }
    }
    return await PGliteDatabase.of(pglite, { isExclusive: true, close, confirm })
  } catch (error) {
    await release()
    throw error
  }
}

function notInstalled(name: string): string {
  return `the package ${name} could not be loaded; no database was opened. Install it: npm install ${name}`
}
