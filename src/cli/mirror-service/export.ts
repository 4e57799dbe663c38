import type { Referral, Result } from '../../contract/types.js'
import { openDatabase } from '../../database/open.js'
import { resultBundle } from '../../fhir/index.js'
import { MirrorDatabase } from '../../mirror/schema/mirror-database.js'
import { type FhirOptions, fhirBase, ndjsonOf } from '../shared/fhir.js'
import { EXIT, type ExitCode, type Terminal, UsageError } from '../shared/terminal.js'
import { parseTime, timeZone } from '../shared/times.js'
import { copyLocation } from './environment.js'

export interface ExportOptions extends FhirOptions {
  readonly since?: string
  readonly after?: string
  readonly tz?: string
}

interface Row {
  readonly uuid: string
  readonly body: Result
  readonly referral: Referral | null
}

const BATCH = 100

const READ = `
SELECT result.uuid, result.body, referral.body AS referral FROM {schema}.current_result AS result
LEFT JOIN {schema}.current_referral AS referral
  ON referral.organisation = result.organisation AND referral.uuid = result.referral_uuid
WHERE result.uuid > $1 AND result.stored_at >= $2::timestamptz
ORDER BY result.uuid LIMIT ${BATCH}`

const TESTS = `SELECT DISTINCT ON (id) id, name FROM {schema}.test WHERE name IS NOT NULL ORDER BY id`

/**
 * Writes the results of the copy as NDJSON, in the order of their UUIDs. The lines of a result end with its
 * DiagnosticReport, whose id is the UUID, so that an export can continue after any of them.
 */
export async function exportResults(terminal: Terminal, options: ExportOptions): Promise<ExitCode> {
  const { stdout, stderr, signal } = terminal
  if (options.fhir !== true) throw new UsageError('export writes FHIR only: add --fhir')
  const base = fhirBase(terminal, options)
  const { database, schema } = copyLocation(terminal, options)
  const since = sinceOf(terminal, options)
  const opened = await openDatabase(database)
  const counts = { results: 0, held: 0 }
  let after = options.after?.toLowerCase() ?? ''
  try {
    const copy = new MirrorDatabase(opened, schema)
    const { rows: tests } = await copy.query<{ id: string; name: string }>(TESTS)
    for await (const { uuid, body, referral } of readRows(copy, after, since)) {
      if (signal.aborted) break
      const isHeld = body.status === 'IN_REVIEW'
      if (!isHeld)
        stdout.write(ndjsonOf(resultBundle(body, { base, tests, referral: referral ?? undefined })))
      counts[isHeld ? 'held' : 'results'] += 1
      after = uuid
      if (stderr.isTTY) stderr.write(`\r${counts.results} results`)
    }
  } finally {
    await opened.close()
  }
  return finish(terminal, counts.held, after)
}

function finish({ stderr, signal }: Terminal, held: number, after: string): ExitCode {
  if (stderr.isTTY) stderr.write('\n')
  if (held > 0) stderr.write(`left out, because your organisation holds them back: ${held}\n`)
  if (!signal.aborted) return EXIT.ok
  stderr.write(`Interrupted. Continue with --after ${after}\n`)
  return EXIT.interrupted
}

async function* readRows(copy: MirrorDatabase, start: string, since: string): AsyncGenerator<Row> {
  for (let after: string | undefined = start; after !== undefined; ) {
    const { rows }: { rows: readonly Row[] } = await copy.query<Row>(READ, [after, since])
    yield* rows
    after = rows[BATCH - 1]?.uuid
  }
}

function sinceOf(terminal: Terminal, { since, tz }: ExportOptions): string {
  if (since === undefined) return '-infinity'
  return new Date(parseTime('--since', since, { now: terminal.now(), zone: timeZone(tz) })).toISOString()
}
