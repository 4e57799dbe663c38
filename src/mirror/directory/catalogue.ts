import type { PathologyClient } from '../../client/client.js'
import { isPathologyError } from '../../common/errors.js'
import { booleanField, type PreparedRecord, prepareRecord, textField, timeField } from '../copy/digest.js'
import { ReadJob } from '../copy/fetch-failures.js'
import { organisationOf } from '../core/context.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { goneLimit } from '../sweep/gone.js'
import { CATALOGUE, PROVIDERS } from '../work/kinds.js'
import type { Claim } from '../work/work-table.js'

/** One list of the service, and the table of its copy. */
interface Directory {
  readonly table: 'test' | 'bundle' | 'catalogue_biomarker' | 'vendor' | 'provider'
  readonly read: (client: PathologyClient, signal: AbortSignal) => AsyncIterable<object>
}

const DIRECTORIES: Readonly<Record<string, readonly Directory[]>> = {
  [CATALOGUE]: [
    { table: 'test', read: ({ tests }, signal) => tests.list({ include: ['biomarkers'] }, { signal }) },
    { table: 'bundle', read: ({ bundles }, signal) => bundles.list({ includeUnlisted: true }, { signal }) },
    { table: 'catalogue_biomarker', read: ({ biomarkers }, signal) => biomarkers.list({}, { signal }) },
    { table: 'vendor', read: ({ vendors }, signal) => vendors.list({}, { signal }) },
  ],
  [PROVIDERS]: [{ table: 'provider', read: readProviders }],
}

/** Reads each provider by its number, because a record of a list can lack fields such as the signature. */
async function* readProviders({ providers }: PathologyClient, signal: AbortSignal): AsyncGenerator<object> {
  for await (const { providerNumber } of providers.list({}, { signal })) {
    try {
      yield await providers.retrieve(providerNumber, { signal })
    } catch (error) {
      // The provider was retired after the list was read.
      if (!isPathologyError(error, 'PROVIDER_NOT_FOUND')) throw error
    }
  }
}

interface DirectoryRow {
  readonly key: string
  readonly name: string | null
  readonly body: PreparedRecord['body']
  readonly digest: string
  readonly has_signature: boolean | null
  readonly updated_at: string | null
}

/** Inserts or replaces rows ($2) of an organisation ($1), except those of a read after $3. */
const UPSERT = (table: Directory['table']): string => `
INSERT INTO {schema}.${table} AS stored (organisation, id, name, body, digest, read_at)
SELECT $1, key, name, body, digest, $3::timestamptz
FROM json_to_recordset($2::json) AS row (key text, name text, body jsonb, digest text)
ORDER BY key
ON CONFLICT (organisation, id) DO UPDATE SET name = EXCLUDED.name, body = EXCLUDED.body, digest = EXCLUDED.digest,
  read_at = EXCLUDED.read_at, missing_at = NULL, retired_at = NULL,
  stored_at = CASE WHEN stored.digest = EXCLUDED.digest THEN stored.stored_at ELSE now() END
WHERE stored.read_at <= EXCLUDED.read_at`

/** Inserts or replaces providers, like {@link UPSERT}. */
const UPSERT_PROVIDERS = `
INSERT INTO {schema}.provider AS stored
  (organisation, provider_number, name, body, digest, read_at, has_signature, updated_at)
SELECT $1, key, name, body, digest, $3::timestamptz, has_signature, updated_at
FROM json_to_recordset($2::json)
  AS row (key text, name text, body jsonb, digest text, has_signature boolean, updated_at timestamptz)
ORDER BY key
ON CONFLICT (organisation, provider_number) DO UPDATE SET name = EXCLUDED.name, body = EXCLUDED.body,
  digest = EXCLUDED.digest, read_at = EXCLUDED.read_at, missing_at = NULL, retired_at = NULL,
  has_signature = EXCLUDED.has_signature, updated_at = EXCLUDED.updated_at,
  stored_at = CASE WHEN stored.digest = EXCLUDED.digest THEN stored.stored_at ELSE now() END
WHERE stored.read_at <= EXCLUDED.read_at`

/** Marks the rows that the read at $2 did not find. */
const MARK_MISSING = (table: Directory['table']): string => `
UPDATE {schema}.${table} SET missing_at = $2::timestamptz
WHERE organisation = $1 AND retired_at IS NULL AND read_at < $2::timestamptz AND missing_at IS NULL`

/** Counts the rows, and those that the read at $2 did not find. */
const COUNT = (table: Directory['table']): string => `
SELECT count(*) AS all, count(*) FILTER (WHERE read_at < $2::timestamptz) AS missing
FROM {schema}.${table} WHERE organisation = $1 AND retired_at IS NULL`

/** Retires the rows that the read at $2 did not find: all of them, or ($3) those that have been missing for a week. */
const RETIRE = (table: Directory['table']): string => `
UPDATE {schema}.${table} SET retired_at = now()
WHERE organisation = $1 AND retired_at IS NULL AND read_at < $2::timestamptz
  AND (NOT $3 OR missing_at <= $2::timestamptz - interval '7 days')`

/**
 * Job that reads complete directories of one organisation. Marks as retired the rows that the service no longer lists.
 * If there are more of them than {@link goneLimit} permits, marks only the rows that have been missing for a week. An
 * empty list marks rows only if it is the list of providers.
 */
export class CatalogueJob extends ReadJob<undefined> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table } = this.context
    const owner = organisationOf(this.context, claim.organisation)
    for (const directory of DIRECTORIES[claim.kind] ?? []) {
      // A list that changes while it is read can contain a record twice.
      const rows = new Map<string, DirectoryRow>()
      for await (const record of directory.read(owner.client, signal)) {
        const row = rowOf(record, directory)
        if (row !== undefined) rows.set(row.key, row)
      }
      await this.context.contact.reached(claim.organisation)
      await database.transaction((tx) => this.#store(tx, claim, directory, [...rows.values()]), { signal })
    }
    await database.transaction((tx) => table.finish(tx, claim), { signal })
  }

  async #store(
    tx: MirrorTransaction,
    { organisation, claimedAt }: Claim,
    directory: Directory,
    rows: readonly DirectoryRow[],
  ): Promise<void> {
    const { table } = directory
    const upsert = table === 'provider' ? UPSERT_PROVIDERS : UPSERT(table)
    if (rows.length > 0) await tx.query(upsert, [organisation, JSON.stringify(rows), claimedAt])
    const values = [organisation, claimedAt]
    const isEmpty = rows.length === 0 && table !== 'provider'
    if (!isEmpty) await tx.query(MARK_MISSING(table), values)
    const found = await tx.query<{ all: number; missing: number }>(COUNT(table), values)
    const { all = 0, missing = 0 } = found.rows[0] ?? {}
    const areTooMany = isEmpty || missing > goneLimit(all)
    const retired = isEmpty ? 0 : (await tx.query(RETIRE(table), [...values, areTooMany])).rowCount
    const kept = missing - retired
    if (kept === 0) return
    this.context.logger.error(
      `mirror: the service no longer lists ${kept} of ${all} rows of the table ${table} of organisation ${organisation}. None of them was marked as retired, because the list may be incomplete. ${isEmpty ? 'Check the credentials' : 'They are marked when they have been missing for a week'}.`,
    )
  }
}

function rowOf(record: object, { table }: Directory): DirectoryRow | undefined {
  const { body, digest } = prepareRecord(record)
  const value = textField(body, table === 'provider' ? 'providerNumber' : 'id')
  if (value === null) return undefined
  return {
    key: value,
    name: textField(body, 'name'),
    body,
    digest,
    updated_at: timeField(body, 'updatedAt'),
    has_signature: booleanField(body, 'hasSignature'),
  }
}
