import { ORGANISATION_TABLES } from './row-security.js'

const VIEWS = [
  'current_referral',
  'current_result',
  'biomarker_trend',
  'open_referral',
  'mirror_health',
] as const

const DIRECTORIES = ['test', 'bundle', 'catalogue_biomarker', 'vendor', 'centre'] as const

const RECORD_STATISTICS =
  'organisation, status, product_id, has_attachment, created_at, updated_at, deleted_at, gone_at'

export interface GrantOptions {
  readonly schema: string
  /** `true` when `rowSecurity` is set. The writer then needs a policy that permits all rows. */
  readonly rowSecurity: boolean
}

/**
 * Returns statements for a database administrator. The statements create three roles:
 * - a writer for the mirror
 * - a reader of the health data
 * - a role for statistics without personal data
 *
 * The mirror never creates roles.
 */
export function printGrants({ schema, rowSecurity }: GrantOptions): string {
  const [writer, reader, statistics] = ['writer', 'reader', 'statistics'].map((role) => `${schema}_${role}`)
  const policies = ORGANISATION_TABLES.flatMap((table) => [
    `DROP POLICY IF EXISTS writer ON {schema}.${table};`,
    `CREATE POLICY writer ON {schema}.${table} TO ${writer} USING (true) WITH CHECK (true);`,
  ])
  const lines = [
    '-- Run these statements in each database that has a copy. Then grant each login one of the roles, such as:',
    `--   GRANT ${writer} TO clinic_mirror;`,
    '',
    '-- Role for the mirror. Only the owner of the schema can apply migrations.',
    createRole(writer),
    `GRANT USAGE ON SCHEMA {schema} TO ${writer};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO ${writer};`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO ${writer};`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${writer};`,
    ...(rowSecurity ? policies : []),
    '',
    '-- Role for people and programs that may see health data.',
    createRole(reader),
    `GRANT USAGE ON SCHEMA {schema} TO ${reader};`,
    `GRANT SELECT ON ${[...VIEWS, 'biomarker', 'document', 'change', 'provider', ...DIRECTORIES].map((name) => `{schema}.${name}`).join(', ')} TO ${reader};`,
    '',
    '-- Role for reports and monitoring, without personal data.',
    createRole(statistics),
    `GRANT USAGE ON SCHEMA {schema} TO ${statistics};`,
    `GRANT SELECT ON ${['mirror_health', 'iteration', 'schedule', ...DIRECTORIES].map((name) => `{schema}.${name}`).join(', ')} TO ${statistics};`,
    `GRANT SELECT (${RECORD_STATISTICS}, referral_type, origin, medicare) ON {schema}.referral TO ${statistics};`,
    `GRANT SELECT (${RECORD_STATISTICS}, provenance, result_date) ON {schema}.result TO ${statistics};`,
    '',
  ]
  return lines.join('\n').replaceAll('{schema}', schema)
}

/** Roles belong to the server, so another database of the server can already have created this role. */
function createRole(name: string | undefined): string {
  return `DO $$ BEGIN CREATE ROLE ${name} NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;`
}
