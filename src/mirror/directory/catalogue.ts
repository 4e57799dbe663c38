import type { PathologyClient } from '../../client/client.js'
import { isPathologyError } from '../../common/errors.js'
import { type PreparedRecord, prepareRecord, textField, timeField } from '../copy/digest.js'
import { classifyRecordFailure, recordFailure } from '../copy/fetch-failures.js'
import { organisationOf } from '../core/context.js'
import { MirrorJob } from '../core/job.js'
import { CATALOGUE, PROVIDERS } from '../inbox/event-target.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { goneLimit } from '../sweep/gone.js'
import type { Claim } from '../work/work-table.js'

/** One list of the service, and the table of its copy. */
interface Directory {
  readonly table: 'test' | 'bundle' | 'catalogue_biomarker' | 'vendor' | 'provider'
  /** Column of the key. */
  readonly key: 'id' | 'provider_number'
  readonly read: (client: PathologyClient, signal: AbortSignal) => AsyncIterable<object>
}

const DIRECTORIES: Readonly<Record<string, readonly Directory[]>> = {
  [CATALOGUE]: [
    {
      table: 'test',
      key: 'id',
      read: ({ tests }, signal) => tests.list({ include: ['biomarkers'] }, { signal }),
    },
    {
      table: 'bundle',
      key: 'id',
      read: ({ bundles }, signal) => bundles.list({ includeUnlisted: true }, { signal }),
    },
    {
      table: 'catalogue_biomarker',
      key: 'id',
      read: ({ biomarkers }, signal) => biomarkers.list({}, { signal }),
    },
    { table: 'vendor', key: 'id', read: ({ vendors }, signal) => vendors.list({}, { signal }) },
  ],
  [PROVIDERS]: [{ table: 'provider', key: 'provider_number', read: readProviders }],
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

const ROWS = `json_to_recordset($2::json) AS row (
  key text, name text, body jsonb, digest text, has_signature boolean, updated_at timestamptz)`

function upsert({ table, key }: Directory): string {
  const isProvider = table === 'provider'
  const more = isProvider ? ', has_signature, updated_at' : ''
  const values = isProvider ? ', row.has_signature, row.updated_at' : ''
  const updates = isProvider
    ? ', has_signature = EXCLUDED.has_signature, updated_at = EXCLUDED.updated_at'
    : ''
  return `
INSERT INTO {schema}.${table} AS stored (organisation, ${key}, name, body, digest, read_at${more})
SELECT $1, row.key, row.name, row.body, row.digest, $3::timestamptz${values} FROM ${ROWS} ORDER BY row.key
ON CONFLICT (organisation, ${key}) DO UPDATE SET name = EXCLUDED.name, body = EXCLUDED.body, digest = EXCLUDED.digest,
  read_at = EXCLUDED.read_at, missing_at = NULL, retired_at = NULL${updates},
  stored_at = CASE WHEN stored.digest = EXCLUDED.digest THEN stored.stored_at ELSE now() END
WHERE stored.read_at <= EXCLUDED.read_at`
}

const MISSING = 'organisation = $1 AND retired_at IS NULL AND read_at < $2::timestamptz'

const markMissing = ({ table }: Directory): string =>
  `UPDATE {schema}.${table} SET missing_at = $2::timestamptz WHERE ${MISSING} AND missing_at IS NULL`

const counts = ({ table }: Directory): string => `
SELECT count(*) AS all, count(*) FILTER (WHERE read_at < $2::timestamptz) AS missing
FROM {schema}.${table} WHERE organisation = $1 AND retired_at IS NULL`

const retire = ({ table }: Directory): string =>
  `UPDATE {schema}.${table} SET retired_at = now() WHERE ${MISSING}`

const retireLongMissing = (directory: Directory): string =>
  `${retire(directory)} AND missing_at <= $2::timestamptz - interval '7 days'`

/**
 * Job that reads complete directories of one organisation. Marks as retired the rows that the service no longer lists.
 * If there are more of them than {@link goneLimit} permits, marks only the rows that have been missing for a week. An
 * empty list marks rows only if it is the list of providers.
 */
export class CatalogueJob extends MirrorJob<{ readonly attempts: number }> {
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

  async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    await recordFailure(
      this.context,
      claim,
      error,
      classifyRecordFailure(error, signal),
      this.options.attempts,
    )
  }

  async #store(
    tx: MirrorTransaction,
    { organisation, claimedAt }: Claim,
    directory: Directory,
    rows: readonly DirectoryRow[],
  ): Promise<void> {
    if (rows.length > 0) await tx.query(upsert(directory), [organisation, JSON.stringify(rows), claimedAt])
    const values = [organisation, claimedAt]
    const isEmpty = rows.length === 0 && directory.table !== 'provider'
    if (!isEmpty) await tx.query(markMissing(directory), values)
    const found = await tx.query<{ all: number; missing: number }>(counts(directory), values)
    const { all = 0, missing = 0 } = found.rows[0] ?? {}
    if (missing === 0 || (missing <= goneLimit(all) && !isEmpty)) {
      await tx.query(retire(directory), values)
      return
    }
    const retired = isEmpty ? 0 : (await tx.query(retireLongMissing(directory), values)).rowCount
    const kept = missing - retired
    if (kept === 0) return
    this.context.logger.error(
      `mirror: the service no longer lists ${kept} of ${all} rows of the table ${directory.table} of organisation ${organisation}. None of them was marked as retired, because the list may be incomplete. ${isEmpty ? 'Check the credentials' : 'They are marked when they have been missing for a week'}.`,
    )
  }
}

function rowOf(record: object, { key }: Directory): DirectoryRow | undefined {
  const { body, digest } = prepareRecord(record)
  const value = textField(body, key === 'id' ? 'id' : 'providerNumber')
  if (value === null) return undefined
  const signature = body['hasSignature']
  return {
    key: value,
    name: textField(body, 'name'),
    body,
    digest,
    updated_at: timeField(body, 'updatedAt'),
    has_signature: typeof signature === 'boolean' ? signature : null,
  }
}
