import type { NewChange } from '../changes/append.js'
import type { ChangeAction } from '../changes/change.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { prepareRecord, textField, timeField, uuidField } from './digest.js'
import type { RecordKind, RecordRead } from './record-kinds.js'
import { loadRecords, markFound, type StoredRow, upsertRecords } from './record-statements.js'

/**
 * Decision about a read. A `stale` read is not stored. If it was a read by UUID, it is repeated later. `erased`: the
 * record was erased, and nothing is stored.
 */
type Verdict = 'store' | 'unchanged' | 'stale' | 'erased'

export interface StoreOutcome {
  readonly read: RecordRead
  readonly verdict: Verdict
  /**
   * `true` when the read differs from the copy at an equal `updatedAt`, and was not stored: a read by UUID must follow.
   */
  readonly isDifferent: boolean
  /** The change of the copy; `undefined` if the record is as before. */
  readonly change: NewChange | undefined
}

type ReadFacts = Pick<RecordRead, 'organisation' | 'kind' | 'readAt' | 'by' | 'source'> &
  Partial<Pick<RecordRead, 'isRecovery'>>

/** Creates the {@link RecordRead} of a record: its stored form, UUID, group and `updatedAt`. */
export function recordRead(record: object, facts: ReadFacts): RecordRead {
  const prepared = prepareRecord(record)
  const uuid = (textField(prepared.body, 'uuid') ?? '').toLowerCase()
  // A result without a referral is a group of its own.
  const referral = facts.kind === 'result' ? uuidField(prepared.body, 'referralUuid') : null
  return {
    isRecovery: false,
    ...facts,
    uuid,
    group: referral ?? uuid,
    prepared,
    updatedAt: timeField(prepared.body, 'updatedAt'),
  }
}

/**
 * Stores the reads of one organisation and kind that the guard permits, with few statements for any number of reads.
 * The transaction must hold the `recordLocks` of the reads. The caller then appends the changes of the outcomes and
 * finishes the work.
 */
export async function storeRecords(
  tx: MirrorTransaction,
  organisation: string,
  kind: RecordKind,
  reads: readonly RecordRead[],
): Promise<readonly StoreOutcome[]> {
  if (reads.length === 0) return []
  const stored = await loadRecords(tx, organisation, kind, reads)
  const outcomes = reads.map((read) => decide(read, stored.get(read.uuid)))
  const changed = outcomes.filter(({ verdict }) => verdict === 'store')
  await upsertRecords(
    tx,
    organisation,
    kind,
    changed.map(({ read }) => read),
  )
  const found = outcomes.filter(
    ({ read, verdict }) => verdict === 'unchanged' && stored.get(read.uuid)?.isMissing,
  )
  await markFound(
    tx,
    organisation,
    kind,
    found.map(({ read }) => read.uuid),
  )
  return outcomes
}

function decide(read: RecordRead, stored: StoredRow | undefined): StoreOutcome {
  if (stored?.isErased === true) return { read, verdict: 'erased', isDifferent: false, change: undefined }
  const row = stored?.digest === null ? undefined : stored
  const verdict = guard(read, row)
  const isDifferent = verdict === 'unchanged' && row?.digest !== read.prepared.digest
  return { read, verdict, isDifferent, change: verdict === 'store' ? changeOf(read, row) : undefined }
}

/**
 * Keeps the copy from returning to an older state. Statuses are not compared, because a record can get the same status
 * more than once.
 */
function guard({ updatedAt, prepared, by }: RecordRead, stored: StoredRow | undefined): Verdict {
  if (stored === undefined) return 'store'
  const isDated = updatedAt !== null && stored.updatedAt !== null
  const difference = isDated ? Date.parse(updatedAt) - Date.parse(stored.updatedAt) : 0
  if (difference > 0) return 'store'
  if (difference < 0) return 'stale'
  // The record was gone, and a later read returns it.
  if (stored.isGone && stored.isStartedLater) return 'store'
  if (stored.digest === prepared.digest) return 'unchanged'
  // A list can omit fields.
  if (by === 'list' && stored.readBy === 'uuid') return 'unchanged'
  return stored.isStartedLater ? 'store' : 'unchanged'
}

/** Returns `true` when an event promised a later state than was read. */
export function isBehind(updatedAt: string | null, promisedAt: string | null): boolean {
  return promisedAt !== null && updatedAt !== null && Date.parse(updatedAt) < Date.parse(promisedAt)
}

function changeOf(read: RecordRead, row: StoredRow | undefined): NewChange {
  const { organisation, kind, uuid, prepared, updatedAt, source, isRecovery } = read
  const action = actionOf(read, row)
  return {
    organisation,
    kind,
    uuid,
    updatedAt,
    source,
    action,
    group: row?.group ?? read.group,
    // The service sends no event when a record is deleted, or when it returns an unchanged record again.
    recovered: isRecovery && action !== 'deleted' && row?.digest !== prepared.digest,
    statusBefore: row?.status ?? null,
    statusAfter: textField(prepared.body, 'status'),
  }
}

function actionOf({ prepared }: RecordRead, row: StoredRow | undefined): ChangeAction {
  if (row === undefined) return 'added'
  if (row.isGone) return 'returned'
  const isDeleted = timeField(prepared.body, 'deletedAt') !== null
  return isDeleted && row.deletedAt === null ? 'deleted' : 'updated'
}
