import { ConfigurationError } from '../../common/errors.js'
import type { MirrorDatabase, MirrorTransaction } from './mirror-database.js'
import { changeSchema, type MigrationMode } from './schema-change.js'

/** Tables with a column `organisation`. */
export const ORGANISATION_TABLES = [
  'event',
  'work',
  'schedule',
  'iteration',
  'contact',
  'referral',
  'result',
  'biomarker',
  'document',
  'erased',
  'test',
  'bundle',
  'catalogue_biomarker',
  'vendor',
  'provider',
  'change',
  'consumer',
  'delivery',
] as const

const VISIBLE = `CREATE OR REPLACE FUNCTION {schema}.is_visible(organisation text) RETURNS boolean LANGUAGE sql STABLE
AS $$ SELECT $1 = current_setting('pathology.organisation', true) $$;`

/**
 * Statements that show only the rows of the organisation in the setting `pathology.organisation`. The statements
 * are idempotent.
 */
export const ROW_SECURITY = [
  VISIBLE,
  ...ORGANISATION_TABLES.flatMap((table) => [
    `ALTER TABLE {schema}.${table} ENABLE ROW LEVEL SECURITY;`,
    `DROP POLICY IF EXISTS one_organisation ON {schema}.${table};`,
    `CREATE POLICY one_organisation ON {schema}.${table} USING ({schema}.is_visible(organisation));`,
  ]),
].join('\n')

const IS_SECURED = `
SELECT bool_and(relrowsecurity) AS secured FROM pg_class
WHERE oid IN ('{schema}.referral'::regclass, '{schema}.result'::regclass, '{schema}.change'::regclass)`

/**
 * Enables row security, once. This package never disables row security.
 *
 * @throws {@link ConfigurationError} if row security is missing, and `mode` or the database role does not permit it.
 */
export async function secureRows(database: MirrorDatabase, mode: MigrationMode): Promise<void> {
  if (await isSecured(database)) return
  const change = async (tx: MirrorTransaction): Promise<void> => {
    // Another process may have enabled row security while this process waited for the lock.
    if (!(await isSecured(tx))) await tx.execute(ROW_SECURITY)
  }
  await changeSchema(database, mode, change, (reason) => notSecured(database, reason))
}

async function isSecured(database: Pick<MirrorTransaction, 'query'>): Promise<boolean> {
  const { rows } = await database.query<{ secured: boolean }>(IS_SECURED)
  return rows[0]?.secured === true
}

function notSecured({ schema }: MirrorDatabase, reason: string): ConfigurationError {
  return new ConfigurationError(
    `createMirror: rowSecurity is set, but the tables of the schema ${schema} have no row security, and ${reason}. Nothing was changed. Print the statements for a database administrator with: pathology mirror migrate --print --row-security`,
    { code: 'ROW_SECURITY_MISSING' },
  )
}
