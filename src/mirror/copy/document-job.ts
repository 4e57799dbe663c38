import { isoTime } from '../../database/values.js'
import { organisationOf } from '../core/context.js'
import { MirrorJob } from '../core/job.js'
import { recordLocks } from '../core/locks.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import type { Claim } from '../work/work-table.js'
import { prepareRecord, timeField } from './digest.js'
import type { Documents, Owner } from './documents.js'
import { classifyFailure, classifyRecordFailure, type FetchFailure, recordFailure } from './fetch-failures.js'
import { ObjectStoreError } from './object-store.js'
import { type RecordKind, readRecord } from './record-kinds.js'

const RECORD = (kind: RecordKind): string => `
SELECT group_key AS "group", ${isoTime('updated_at')} AS "updatedAt" FROM {schema}.${kind}
WHERE organisation = $1 AND uuid = $2 AND has_attachment AND deleted_at IS NULL AND gone_at IS NULL`

interface DocumentJobOptions {
  readonly documents: Documents
  readonly kind: RecordKind
}

/** Job that downloads the PDF of a record that was stored without its PDF. */
export class DocumentJob extends MirrorJob<DocumentJobOptions> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table, point } = this.context
    const known = await this.#owner(claim, database)
    if (known === undefined) return table.finish(database, claim)
    const owner = organisationOf(this.context, claim.organisation)
    const record = await readRecord(owner, known.kind, known.uuid, signal)
    await point('document:read')
    await this.context.contact.reached(claim.organisation)
    const { hasAttachment, body } = prepareRecord(record ?? {})
    const updatedAt = timeField(body, 'updatedAt')
    const isOlder = known.updatedAt !== null && !(Date.parse(updatedAt ?? '') >= Date.parse(known.updatedAt))
    // Either this read or the copy is out of date. If the copy is out of date, a later read of the record updates it.
    if (record === undefined || !hasAttachment || isOlder) throw new StaleReadError()
    const pdf = { ...known, updatedAt }
    const content = await this.#download(pdf, record, signal)
    // Not before the download: the host of the PDFs can be down while the service is not.
    if (claim.attempts > 0) await table.pullForward(claim.organisation)
    await point('document:downloaded')
    const first = recordLocks(database.schema, [pdf])
    await database.transaction(
      async (tx) => {
        // In the meantime, the record may have been erased, or stored without a PDF.
        const isStored =
          (await this.#owner(claim, tx)) === undefined ||
          (await this.options.documents.storeContent(tx, pdf, content))
        if (!isStored) throw new ObjectStoreError()
        await point('document:stored')
        await table.finish(tx, claim)
      },
      { first, signal },
    )
    await point('document:committed')
  }

  async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    const cause = error instanceof DownloadFailure ? error.cause : error
    await recordFailure(this.context, claim, cause, failureOf(error, signal))
  }

  async #download(owner: Owner, record: object, signal: AbortSignal): Promise<Uint8Array> {
    try {
      return await this.options.documents.download(owner, record, signal)
    } catch (cause) {
      throw new DownloadFailure(cause)
    }
  }

  async #owner(
    { organisation, key }: Claim,
    database: Pick<MirrorTransaction, 'query'>,
  ): Promise<Owner | undefined> {
    const kind = this.options.kind
    const { rows } = await database.query<Pick<Owner, 'group' | 'updatedAt'>>(RECORD(kind), [
      organisation,
      key,
    ])
    return rows[0] && { organisation, kind, uuid: key, ...rows[0] }
  }
}

/** The service returned no record, an older state of it, or a state without a PDF. The job is repeated. */
class StaleReadError extends Error {
  override readonly name = 'StaleReadError'
}

/** Failed download of a PDF. `cause` is its error. */
class DownloadFailure extends Error {
  override readonly name = 'DownloadFailure'

  constructor(cause: unknown) {
    super('the PDF could not be downloaded', { cause })
  }
}

/** Classifies a failure. An outage of the host of a PDF says nothing about the service. */
function failureOf(error: unknown, signal: AbortSignal): FetchFailure {
  if (!(error instanceof DownloadFailure)) return classifyRecordFailure(error, signal)
  const failure = classifyFailure(error.cause, signal)
  return ['rejected', 'outage', 'unclear'].includes(failure.kind) ? { kind: 'retry' } : failure
}
