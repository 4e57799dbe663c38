import { ConfigurationError } from '../../common/errors.js'
import { tables } from './migrations/001-tables.js'
import { dueIndex } from './migrations/002-due-index.js'
import type { Migration } from './migrations/migration.js'
import type { MirrorDatabase, MirrorTransaction } from './mirror-database.js'
import { changeSchema, type MigrationMode } from './schema-change.js'

const MIGRATIONS: readonly Migration[] = [tables, dueIndex]

const MIGRATION_TABLE = `
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.migration (
  version integer PRIMARY KEY,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`

const newest = MIGRATIONS.at(-1)?.version ?? 0

/**
 * Applies the missing migrations. Several processes may call this function at the same time: one of them migrates.
 *
 * @throws {@link ConfigurationError} if migrations are missing, and `mode` or the database role does not permit them.
 * @throws {@link ConfigurationError} if the schema is more than one version newer than this release.
 */
export async function migrate(database: MirrorDatabase, mode: MigrationMode): Promise<void> {
  const version = await schemaVersion(database)
  checkNotNewer(database, version)
  if (version >= newest) return
  await changeSchema(database, mode, applyMissing, (reason) => missing(database, version, reason))
}

/** Returns the version of the schema; 0 if it does not exist. */
export async function schemaVersion(database: MirrorDatabase): Promise<number> {
  const table = await database.first<{ found: boolean }>(
    `SELECT to_regclass('{schema}.migration') IS NOT NULL AS found`,
  )
  return table?.found === true ? readVersion(database) : 0
}

/**
 * Returns all migrations as one script for a database administrator. The script applies only the migrations that the
 * schema lacks.
 */
export function printMigrations(schema: string): string {
  const steps = MIGRATIONS.map(unlessApplied)
  const text = ['BEGIN;', MIGRATION_TABLE, ...steps, 'COMMIT;', ''].join('\n')
  return text.replaceAll('{schema}', schema)
}

async function applyMissing(tx: MirrorTransaction): Promise<void> {
  await tx.execute(MIGRATION_TABLE)
  const version = await readVersion(tx)
  const steps = MIGRATIONS.filter((migration) => migration.version > version)
  for (const step of steps) await tx.execute(stepOf(step))
}

async function readVersion(database: Pick<MirrorDatabase, 'query'>): Promise<number> {
  const { rows } = await database.query<{ version: number }>(
    'SELECT COALESCE(max(version), 0) AS version FROM {schema}.migration',
  )
  return rows[0]?.version ?? 0
}

function stepOf({ version, name, sql }: Migration): string {
  return `${sql}\nINSERT INTO {schema}.migration (version, name) VALUES (${version}, '${name}');`
}

function unlessApplied(migration: Migration): string {
  return `
DO $migration$ BEGIN
IF NOT EXISTS (SELECT 1 FROM {schema}.migration WHERE version = ${migration.version}) THEN
${stepOf(migration)}
END IF;
END $migration$;`
}

function checkNotNewer({ schema }: MirrorDatabase, version: number): void {
  if (version <= newest + 1) return
  throw new ConfigurationError(
    `createMirror: the schema ${schema} has version ${version}, and this release of pathology-sdk supports versions up to ${newest + 1}. Nothing was changed. Update pathology-sdk on this machine`,
    { code: 'SCHEMA_TOO_NEW' },
  )
}

function missing({ schema }: MirrorDatabase, version: number, reason: string): ConfigurationError {
  const numbers = MIGRATIONS.filter((migration) => migration.version > version)
    .map((migration) => `${migration.version} (${migration.name})`)
    .join(', ')
  return new ConfigurationError(
    `createMirror: the schema ${schema} lacks the migrations ${numbers}, and ${reason}. Nothing was changed. Print them for a database administrator with: pathology mirror migrate --print`,
    { code: 'MIGRATIONS_MISSING' },
  )
}
