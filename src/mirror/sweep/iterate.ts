import { isPathologyError } from '../../common/errors.js'
import { isoTime } from '../../database/values.js'
import { appendChanges } from '../changes/append.js'
import { type RecordKind, type RecordRead, readRecord } from '../copy/record-kinds.js'
import { loadRecords, type StoredRow } from '../copy/record-statements.js'
import { announcedKeys } from '../copy/recovery.js'
import { recordRead, storeRecords } from '../copy/store.js'
import { callHooks } from '../copy/store-batch.js'
import { recordLocks } from '../core/locks.js'
import { timestampOf } from '../core/storable.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { advance, createdAtOf, isListComplete, type ListState, newestOf } from './list-state.js'
import type { SeenRecord } from './plans.js'
import { type Counts, NO_COUNTS, type Progress, save } from './progress.js'
import { type PageTask, readPages } from './read-pages.js'

/** Marks records ($2) of an organisation ($1) that a list contains. */
const MARK_LISTED = (kind: RecordKind): string =>
  `UPDATE {schema}.${kind} SET listed_at = now() WHERE organisation = $1 AND uuid = ANY($2::text[])`

/**
 * Estimates the present time of the service: the newest `createdAt` of the page ($2) or `updatedAt` of the copy, but not
 * later than the time of the database.
 */
const NOW = `
SELECT ${isoTime('time')} AS now FROM (SELECT LEAST(now(), GREATEST($2::timestamptz,
  (SELECT max(updated_at) FROM {schema}.referral WHERE organisation = $1),
  (SELECT max(updated_at) FROM {schema}.result WHERE organisation = $1))) AS time) AS estimate`

/** Reads the next pages of a list and stores them, with the cursor of the page after them, in one transaction. */
export async function iteratePages(task: PageTask, progress: Progress): Promise<Progress> {
  const { context, claim, plan, kind, signal } = task
  await context.point('fetch:before')
  const { pages, list: before } = await readPages(task, progress)
  await context.point('fetch:after')
  await context.contact.reached(claim.organisation)
  if (claim.attempts > 0) await context.table.pullForward(claim.organisation)
  const items = pages.flatMap((page) => page.items)
  const cursor = pages.at(-1)?.cursor
  const reads = readsOf(task, items)
  const known = progress.lists[kind] ?? {}
  // A backfill never stops early, so it compares pages with the copy only until it knows whether the list omits fields.
  const seen =
    plan.source === 'sweep' || known.isComplete === undefined ? await compareWithCopy(task, reads) : []
  const compared = await compareOnce(task, before, seen, items)
  const until = progress.until ?? (await untilOf(task, items))
  const list = pages.reduce((state, page) => advance(state, page.items, page.cursor), compared.list)
  const isLast = cursor === undefined || plan.isLast(seen, list, { ...progress, until })
  const afterList = kind === 'referral' ? 'result' : 'rest'
  const next: Progress = {
    phase: isLast ? afterList : kind,
    cursor: isLast ? null : cursor,
    until,
    lists: { ...progress.lists, [kind]: list },
    requestsByUuid: progress.requestsByUuid + compared.requests,
  }
  const isRecovery = await recoveries(task, seen)
  const stored = reads.map((read) => ({ ...read, isRecovery: isRecovery(read) }))
  const counts = { ...NO_COUNTS, requests: pages.length + compared.requests, read: items.length }
  const hasNewWork = await context.database.transaction(
    (tx) => storePages(tx, task, { reads: stored, list, next, counts }),
    { first: recordLocks(context.database.schema, reads), signal },
  )
  await context.point('store:committed')
  if (hasNewWork) context.wake()
  return next
}

function readsOf({ claim, kind, plan }: PageTask, items: readonly object[]): readonly RecordRead[] {
  const { organisation, claimedAt } = claim
  const facts = { organisation, kind, readAt: claimedAt, by: 'list', source: plan.source } as const
  const reads = items.map((record) => recordRead(record, facts)).filter(({ uuid }) => uuid !== '')
  const unique = new Map<string, RecordRead>()
  // A record that changes while the list is read can be on two pages.
  for (const read of reads) if (!isOlder(read, unique.get(read.uuid))) unique.set(read.uuid, read)
  return [...unique.values()].sort((a, b) => (a.uuid < b.uuid ? -1 : 1))
}

function isOlder(read: RecordRead, other: RecordRead | undefined): boolean {
  return Date.parse(read.updatedAt ?? '') < Date.parse(other?.updatedAt ?? '')
}

/** Compares the reads with the copy, without locks, to decide how the pages are stored. */
async function compareWithCopy(
  { context, claim, kind }: PageTask,
  reads: readonly RecordRead[],
): Promise<readonly SeenRecord[]> {
  if (reads.length === 0) return []
  const stored = await loadRecords(context.database, claim.organisation, kind, reads)
  return reads.map((read) => {
    const row = stored.get(read.uuid)
    return {
      read,
      createdAt: createdAtOf(read.prepared.body),
      isKnown: !isNewerThanCopy(read, row),
      isEqual: row?.digest === read.prepared.digest && !row.isGone,
    }
  })
}

/**
 * Returns `true` when the copy lacks a record of a list, has marked it as gone, has an earlier `updatedAt`, or has
 * another `deletedAt` at the same `updatedAt`. Returns `false` for an erased record. Compares all fields only if an
 * `updatedAt` is absent, because a list may omit fields.
 */
function isNewerThanCopy({ updatedAt, prepared }: RecordRead, row: StoredRow | undefined): boolean {
  if (row === undefined || row.digest === null) return row?.isErased !== true
  if (row.isErased) return false
  if (row.isGone) return true
  if (updatedAt === null || row.updatedAt === null) return row.digest !== prepared.digest
  const deletedAt = timestampOf(prepared.body['deletedAt'])
  const isOther = 'deletedAt' in prepared.body && deletedAt !== timestampOf(row.deletedAt)
  const difference = Date.parse(updatedAt) - Date.parse(row.updatedAt)
  return difference > 0 || (difference === 0 && isOther)
}

/**
 * Compares records of the list with reads by UUID, before a record of the list is stored. Sends no request if an
 * earlier comparison is still valid, or if the copy is equal to the pages.
 */
async function compareOnce(
  task: PageTask,
  list: ListState,
  seen: readonly SeenRecord[],
  items: readonly object[],
): Promise<{ readonly list: ListState; readonly requests: number }> {
  const { comparedAt, isComplete } = list
  const { claim, owner, kind, signal } = task
  const ageMs = Date.parse(claim.claimedAt) - Date.parse(comparedAt ?? '')
  if ((isComplete !== undefined && ageMs < COMPARISON_MS) || seen.every(({ isEqual }) => isEqual)) {
    return { list, requests: 0 }
  }
  const failures: unknown[] = []
  const result = await isListComplete(items, async (uuid) => {
    try {
      return await readRecord(owner, kind, uuid, signal)
    } catch (error) {
      if (!isPathologyError(error) || !ERRORS_OF_ONE_RECORD.has(error.name)) throw error
      failures.push(error)
      return undefined
    }
  })
  if (failures.length > 0 && failures.length === result.requests) throw failures[0]
  return {
    list: { ...list, isComplete: result.isComplete, comparedAt: claim.claimedAt },
    requests: result.requests,
  }
}

/** Errors of one record, which say nothing about the list while another record can be read. */
const ERRORS_OF_ONE_RECORD: ReadonlySet<string> = new Set([
  'PermissionError',
  'ServerError',
  'InvalidResponseError',
])

/** Time for which a comparison is valid, in milliseconds. Later runs of the sweep `recent` use it too. */
const COMPARISON_MS = 86_400_000

async function untilOf({ context, claim, sweep }: PageTask, items: readonly object[]): Promise<string> {
  const newest = newestOf(items)
  const row = await context.database.first<{ now: string }>(NOW, [claim.organisation, newest ?? null])
  return new Date(Date.parse(row?.now ?? '') - sweep.window).toISOString()
}

/**
 * Returns a function that decides whether a change is recovered: its event has not arrived. A backfill has no recovered
 * changes, because the events of earlier changes were not received.
 */
async function recoveries(
  { context, claim, kind, plan }: PageTask,
  seen: readonly SeenRecord[],
): Promise<(read: RecordRead) => boolean> {
  const news = seen.filter(({ isKnown }) => !isKnown).map(({ read }) => read)
  if (plan.source !== 'sweep' || news.length === 0) return () => false
  const announced = await announcedKeys(context.database, claim.organisation, kind, news)
  return ({ uuid }) => !announced.has(uuid)
}

interface PageContents {
  readonly reads: readonly RecordRead[]
  readonly list: ListState
  readonly next: Progress
  readonly counts: Counts
}

/** Stores pages. If the records lack fields, requests reads by UUID instead. Returns whether there is new work. */
async function storePages(
  tx: MirrorTransaction,
  task: PageTask,
  { reads, list, next, counts }: PageContents,
): Promise<boolean> {
  const { context, claim, kind, plan, hooks } = task
  await context.point('store:loaded')
  const outcomes = list.isComplete === false ? [] : await storeRecords(tx, claim.organisation, kind, reads)
  await callHooks(tx, hooks, outcomes)
  // Only a read by UUID shows the current state of a record that differs at an equal `updatedAt`.
  const differing = outcomes.filter(({ isDifferent }) => isDifferent).map(({ read }) => read.uuid)
  const wanted = list.isComplete === false ? await newerThanCopy(tx, task, reads) : differing
  await context.point('store:written')
  const { organisation, key: iteration } = claim
  if (plan.isPaced) await tx.query(MARK_LISTED(kind), [organisation, reads.map(({ uuid }) => uuid)])
  await context.table.want(
    tx,
    wanted.map((key) => ({ organisation, kind, key, iteration, source: plan.source })),
  )
  const changes = outcomes.flatMap(({ change }) => change ?? [])
  const added = changes.filter(({ action }) => action === 'added').length
  const found = { added, changed: changes.length - added }
  const recovered = changes.filter((change) => change.recovered).length
  const requests = counts.requests + wanted.length
  const progress = { ...next, requestsByUuid: next.requestsByUuid + wanted.length }
  await save(tx, claim, progress, { ...counts, ...found, recovered, requests })
  await context.point('store:finished')
  await appendChanges(tx, context.changeLock, changes)
  await context.point('store:appended')
  return changes.length > 0 || wanted.length > 0
}

async function newerThanCopy(
  tx: MirrorTransaction,
  { claim, kind }: PageTask,
  reads: readonly RecordRead[],
): Promise<readonly string[]> {
  if (reads.length === 0) return []
  const stored = await loadRecords(tx, claim.organisation, kind, reads)
  return reads.filter((read) => isNewerThanCopy(read, stored.get(read.uuid))).map(({ uuid }) => uuid)
}
