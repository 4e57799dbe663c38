import { openDatabase } from '../../database/open.js'
import { migrate, printMigrations, schemaVersion } from '../../mirror/schema/migrate.js'
import { MirrorDatabase } from '../../mirror/schema/mirror-database.js'
import { ROW_SECURITY, secureRows } from '../../mirror/schema/row-security.js'
import type { CopyLocation } from './environment.js'

/** Versions of the schema before and after the migration. */
export interface MigrationReport {
  readonly schema: string
  readonly before: number
  readonly after: number
}

/** Applies the missing migrations, and with `rowSecurity` enables row security. Needs no credentials of the service. */
export async function applyMigrations({
  database,
  schema,
  rowSecurity,
}: CopyLocation): Promise<MigrationReport> {
  const opened = await openDatabase(database)
  try {
    const named = new MirrorDatabase(opened, schema)
    const before = await schemaVersion(named)
    await migrate(named, 'auto')
    if (rowSecurity) await secureRows(named, 'auto')
    return { schema, before, after: await schemaVersion(named) }
  } finally {
    await opened.close()
  }
}

/**
 * Returns all migrations as one script, which applies the migrations that the schema lacks. With `rowSecurity`, the
 * script also enables row security.
 */
export function migrationScript({ schema, rowSecurity }: CopyLocation): string {
  const security = rowSecurity ? `${ROW_SECURITY.replaceAll('{schema}', schema)}\n` : ''
  return `${printMigrations(schema)}${security}`
}
