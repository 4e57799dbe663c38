import { ConfigurationError } from '../../common/errors.js'
import type { MirrorDatabase } from './mirror-database.js'

/** Encodings that store every text. A database with SQL_ASCII stores the bytes as they are. */
const ENCODINGS: ReadonlySet<string> = new Set(['UTF8', 'SQL_ASCII'])

/**
 * Checks that the database stores every text, and that the driver returns values as the mirror reads them.
 *
 * @throws {@link ConfigurationError} if it does not.
 */
export async function checkDatabase(database: MirrorDatabase): Promise<void> {
  const row = await database.first<{ encoding: string; one: unknown }>(
    "SELECT current_setting('server_encoding') AS encoding, $1::bigint AS one",
    ['1'],
  )
  if (row?.one !== 1) {
    throw new ConfigurationError(
      'createMirror: the pool does not use the parsers that are passed with a statement, so no record was stored. Use a Pool of pg without binary: true, not pg.native',
      { code: 'DATABASE_DRIVER' },
    )
  }
  if (ENCODINGS.has(row.encoding)) return
  throw new ConfigurationError(
    `createMirror: the database has the encoding ${row.encoding}, which cannot store every name, so no record was stored. Create a database with ENCODING 'UTF8' and TEMPLATE template0`,
    { code: 'DATABASE_ENCODING' },
  )
}
