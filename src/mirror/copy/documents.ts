import { createHash } from 'node:crypto'
import { waitWithin } from '../../common/time-limit.js'
import type { Referral, Result } from '../../contract/types.js'
import { type MirrorContext, organisationOf } from '../core/context.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { DOCUMENT, OBJECT } from '../work/kinds.js'
import type { Want } from '../work/work-table.js'
import { lockObject, type ObjectStore, STORE_LIMITS } from './object-store.js'
import type { RecordKind, RecordRead } from './record-kinds.js'
import type { PrepareHook } from './refetch.js'
import type { StoreHook } from './store-batch.js'

/** Maximum time of a download before its record is stored. A slower PDF is downloaded afterwards. */
const INLINE_MS = 10_000

/** The record to which a PDF belongs. */
export type Owner = Pick<RecordRead, 'organisation' | 'kind' | 'uuid' | 'group' | 'updatedAt'>

const IS_KNOWN = `
SELECT 1 FROM {schema}.document WHERE organisation = $1 AND kind = $2 AND uuid = $3 AND removed_at IS NULL
  AND record_updated_at >= $4::timestamptz`

const UNKNOWN = `
SELECT wanted.uuid FROM json_to_recordset($3::json) AS wanted (uuid text, updated_at timestamptz)
WHERE NOT EXISTS (SELECT 1 FROM {schema}.document AS document WHERE document.organisation = $1 AND document.kind = $2
  AND document.uuid = wanted.uuid AND document.removed_at IS NULL AND document.record_updated_at >= wanted.updated_at)`

const REMOVED = `
UPDATE {schema}.document SET removed_at = now()
WHERE organisation = $1 AND kind = $2 AND uuid = ANY($3::text[]) AND removed_at IS NULL`

const STORE = `
WITH old AS (SELECT sha256 FROM {schema}.document WHERE organisation = $1 AND kind = $2 AND uuid = $3)
INSERT INTO {schema}.document AS document
  (organisation, kind, uuid, group_key, sha256, bytes, content, record_updated_at)
VALUES ($1, $2, $3, $4, $5, $6::integer, $7::bytea, $8::timestamptz)
ON CONFLICT (organisation, kind, uuid) DO UPDATE SET sha256 = EXCLUDED.sha256, bytes = EXCLUDED.bytes,
  content = EXCLUDED.content, record_updated_at = EXCLUDED.record_updated_at, removed_at = NULL, stored_at = now()
WHERE document.record_updated_at IS NULL OR EXCLUDED.record_updated_at IS NULL
  OR EXCLUDED.record_updated_at >= document.record_updated_at
RETURNING (SELECT sha256 FROM old) AS "oldSha256"`

/**
 * Delay of the deletion that is planned before an object is stored. After the delay, the transaction of the record has
 * ended.
 */
const UNUSED_MS = 3_600_000

// A claimed deletion is not removed: it waits for the lock of the object, and then finds that the object is used.
const KEEP = `DELETE FROM {schema}.work WHERE organisation = $1 AND kind = 'object' AND key = $2 AND lease IS NULL`

// A dead download is obsolete when its record was stored with the PDF, or when the record has no PDF any more.
const FORGET_DEAD = `
DELETE FROM {schema}.work WHERE organisation = $1 AND kind = $2 AND key = ANY($3::text[]) AND dead`

const WANT_LACKING = `
INSERT INTO {schema}.work (organisation, kind, key, source, run_at)
SELECT organisation, 'document:' || kind, uuid, 'backfill',
  now() + row_number() OVER (PARTITION BY organisation) * $2::double precision * interval '1 millisecond'
FROM (
  SELECT 'referral' AS kind, organisation, uuid FROM {schema}.referral
  WHERE has_attachment AND deleted_at IS NULL AND gone_at IS NULL
  UNION ALL SELECT 'result', organisation, uuid FROM {schema}.result
  WHERE has_attachment AND deleted_at IS NULL AND gone_at IS NULL
) AS record
WHERE organisation = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM {schema}.document AS document
  WHERE document.organisation = record.organisation AND document.kind = record.kind AND document.uuid = record.uuid)
ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`

/**
 * Schedules downloads of the PDFs that the copy lacks, for example because `documents` was `none` before. Omits deleted
 * and gone records. Does not change a download that is already scheduled, or that is dead.
 *
 * @param paceMs - Time between two downloads of one organisation, in milliseconds, so that other work is not delayed.
 */
export async function wantLackingDocuments(
  { database, organisations }: MirrorContext,
  paceMs: number,
): Promise<void> {
  await database.query(WANT_LACKING, [[...organisations.keys()], paceMs])
}

export class Documents {
  readonly #context: MirrorContext
  readonly #store: ObjectStore | undefined
  /** PDFs downloaded before the transaction of their record; `known` if the copy has the PDF already. */
  readonly #downloaded = new WeakMap<RecordRead, Uint8Array | 'known'>()

  /** @param store - `undefined` stores the PDFs in the database. */
  constructor(context: MirrorContext, store: ObjectStore | undefined) {
    this.#context = context
    this.#store = store
  }

  /** Downloads a new PDF before its record is stored. If the download fails, {@link store} schedules it again. */
  readonly prepare: PrepareHook = async (read, record, signal) => {
    if (!read.prepared.hasAttachment) return
    const { organisation, kind, uuid, updatedAt } = read
    const known = await this.#context.database.first(IS_KNOWN, [organisation, kind, uuid, updatedAt])
    if (known !== undefined) this.#downloaded.set(read, 'known')
    else {
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(INLINE_MS)])
        this.#downloaded.set(read, await this.download(read, record, within))
      } catch {
        // The separate work reports the error if it fails too.
      }
    }
  }

  /**
   * Stores the PDFs that {@link prepare} has downloaded, and schedules the download of each other new PDF as separate
   * work. Marks the PDFs of records without an attachment as removed. Deletes failed downloads that are no longer
   * needed.
   */
  readonly store: StoreHook = async (tx, stored) => {
    const [first] = stored
    if (first === undefined) return
    const { organisation, kind } = first
    const without = stored.filter(({ prepared }) => !prepared.hasAttachment).map(({ uuid }) => uuid)
    if (without.length > 0) await tx.query(REMOVED, [organisation, kind, without])
    const others: RecordRead[] = []
    for (const read of stored.filter(({ prepared }) => prepared.hasAttachment)) {
      const content = this.#downloaded.get(read)
      const isStored =
        content === 'known' || (content !== undefined && (await this.storeContent(tx, read, content)))
      if (!isStored) others.push(read)
    }
    await this.#wantOthers(tx, organisation, kind, others)
    const complete = stored.filter((read) => !others.includes(read)).map(({ uuid }) => uuid)
    if (complete.length > 0) await tx.query(FORGET_DEAD, [organisation, `${DOCUMENT}${kind}`, complete])
  }

  /**
   * Downloads the PDF from the URL in `record`, so that the PDF belongs to this state of the record. The client checks
   * that the response is a PDF.
   */
  async download(
    { organisation, kind }: Pick<Owner, 'organisation' | 'kind'>,
    record: object,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { client } = organisationOf(this.#context, organisation)
    // The casts are safe, because the client returned the record with this type.
    const document =
      kind === 'referral'
        ? client.referrals.document(record as Referral, { signal })
        : client.results.document(record as Result, { signal })
    const content = await document.bytes({ signal })
    await this.#planDeletion(organisation, content)
    return content
  }

  /** Stores a PDF. The transaction must hold the locks of its record. Returns `false` if the object store failed. */
  async storeContent(tx: MirrorTransaction, owner: Owner, content: Uint8Array): Promise<boolean> {
    const { organisation, kind, uuid, group, updatedAt } = owner
    const sha256 = hashOf(content)
    if (this.#store !== undefined && !(await this.#put(tx, this.#store, sha256, content))) return false
    const inDatabase = this.#store === undefined ? Buffer.from(content) : null
    const values = [organisation, kind, uuid, group, sha256, content.byteLength, inDatabase, updatedAt]
    const { rows } = await tx.query<{ oldSha256: string | null }>(STORE, values)
    const [stored] = rows
    // Without a row, the copy has a newer PDF, and the new object is unused. Otherwise a replaced object is unused.
    const unused = stored === undefined ? sha256 : stored.oldSha256
    const isReplaced = stored === undefined || unused !== sha256
    if (this.#store === undefined) return true
    if (stored !== undefined) await tx.query(KEEP, [organisation, sha256])
    if (unused !== null && isReplaced) {
      await this.#context.table.want(tx, [{ organisation, kind: OBJECT, key: unused, source: 'manual' }])
    }
    return true
  }

  /** Stores an object. The lock of the object prevents its deletion until the record refers to the object. */
  async #put(
    tx: MirrorTransaction,
    store: ObjectStore,
    sha256: string,
    content: Uint8Array,
  ): Promise<boolean> {
    if (await lockObject(tx, this.#context.database.schema, sha256)) return true
    try {
      await waitWithin(store.put(sha256, content), STORE_LIMITS)
      return true
    } catch {
      return false
    }
  }

  /**
   * Plans the deletion of an object before it is stored. The object would otherwise stay in the store if the process
   * ended before a record refers to it. The deletion has no effect while a record uses the object.
   */
  async #planDeletion(organisation: string, content: Uint8Array): Promise<void> {
    if (this.#store === undefined) return
    const { table, database } = this.#context
    const key = hashOf(content)
    await table.want(database, [{ organisation, kind: OBJECT, key, source: 'manual', delayMs: UNUSED_MS }])
  }

  async #wantOthers(
    tx: MirrorTransaction,
    organisation: string,
    kind: RecordKind,
    reads: readonly RecordRead[],
  ): Promise<void> {
    if (reads.length === 0) return
    const wanted = JSON.stringify(reads.map(({ uuid, updatedAt }) => ({ uuid, updated_at: updatedAt })))
    const { rows } = await tx.query<{ uuid: string }>(UNKNOWN, [organisation, kind, wanted])
    const source = reads[0]?.source ?? 'sweep'
    const wants = rows.map(
      ({ uuid }): Want => ({ organisation, kind: `${DOCUMENT}${kind}`, key: uuid, source }),
    )
    await this.#context.table.want(tx, wants)
  }
}

/** Returns the SHA-256 of a PDF, 64 hexadecimal digits: the key of its object. */
function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
