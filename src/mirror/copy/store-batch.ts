import { appendChanges } from '../changes/append.js'
import type { MirrorContext } from '../core/context.js'
import { recordLocks } from '../core/locks.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { PROMISE_REREADS, REREAD_DELAYS_MS } from '../work/backoff.js'
import type { Claim } from '../work/work-table.js'
import { RECORD_KINDS, type RecordRead } from './record-kinds.js'
import { countStale } from './record-statements.js'
import { isBehind, type StoreOutcome, storeRecords } from './store.js'

/**
 * Work of another area on records that are stored, such as biomarkers and documents. The hook is called in the
 * transaction of the records. At this time, the records are stored, and their changes are not yet appended. Records
 * that the guard does not store are not passed. All records have one organisation and kind.
 *
 * @param added - The records that the copy did not have before.
 */
export type StoreHook = (
  tx: MirrorTransaction,
  stored: readonly RecordRead[],
  added: ReadonlySet<RecordRead>,
) => Promise<void>

/** A record that was read by UUID, and the claim of its work. */
export interface ClaimedRead {
  readonly claim: Claim
  readonly read: RecordRead
  /** Aborts when the claim's work must end. */
  readonly signal: AbortSignal
}

interface ClaimedOutcome {
  readonly claim: Claim
  readonly outcome: StoreOutcome
}

/** Adds changes ($1) to the reports of the sweeps and backfills that requested the reads of their records. */
const COUNT = `
UPDATE {schema}.iteration AS run SET added = run.added + swept.added, changed = run.changed + swept.changed,
  recovered = run.recovered + swept.recovered
FROM (
  SELECT organisation, iteration, count(*) FILTER (WHERE action = 'added') AS added,
    count(*) FILTER (WHERE action <> 'added') AS changed, count(*) FILTER (WHERE recovered) AS recovered
  FROM json_to_recordset($1::json) AS change (organisation text, iteration text, action text, recovered boolean)
  GROUP BY 1, 2
) AS swept
WHERE run.organisation = swept.organisation AND run.name = swept.iteration`

// A lock that another transaction holds for long must not hold back the other records of a batch.
const LOCK_TIMEOUT = 'SET LOCAL lock_timeout = 1000; '

/**
 * Stores records that were read by UUID, and finishes their claims, in one transaction.
 *
 * @throws {@link LeaseLostError} if one of the claims no longer holds its lease.
 */
export async function storeBatch(
  context: MirrorContext,
  hooks: readonly StoreHook[],
  batch: readonly ClaimedRead[],
): Promise<undefined> {
  const { database, point } = context
  await point('store:collected')
  const reads = batch.map(({ read }) => read)
  const isChanged = await database.transaction(
    async (tx) => {
      await point('store:loaded')
      const outcomes: ClaimedOutcome[] = []
      for (const part of partsOf(batch)) outcomes.push(...(await storePart(tx, hooks, part)))
      await point('store:written')
      await finishOrReread(context, tx, outcomes)
      const swept = outcomes.flatMap(({ claim: { iteration }, outcome: { change } }) =>
        iteration === null || change === undefined ? [] : [{ ...change, iteration }],
      )
      if (swept.length > 0) await tx.query(COUNT, [JSON.stringify(swept)])
      await point('store:finished')
      const changes = outcomes.flatMap(({ outcome }) => outcome.change ?? [])
      await appendChanges(tx, context.changeLock, changes)
      await point('store:appended')
      return changes.length > 0
    },
    {
      first: `${batch.length > 1 ? LOCK_TIMEOUT : ''}${recordLocks(database.schema, reads)}`,
      signal: AbortSignal.any(batch.map(({ signal }) => signal)),
    },
  )
  await point('store:committed')
  if (isChanged) context.wake()
}

/** Returns the parts of a batch that have one organisation and kind. */
function partsOf(batch: readonly ClaimedRead[]): readonly (readonly ClaimedRead[])[] {
  const organisations = new Set(batch.map(({ read }) => read.organisation))
  return [...organisations]
    .flatMap((name) =>
      RECORD_KINDS.map((kind) =>
        batch.filter(({ read }) => read.organisation === name && read.kind === kind),
      ),
    )
    .filter((part) => part.length > 0)
}

async function storePart(
  tx: MirrorTransaction,
  hooks: readonly StoreHook[],
  part: readonly ClaimedRead[],
): Promise<readonly ClaimedOutcome[]> {
  const [first] = part
  if (first === undefined) return []
  const { organisation, kind } = first.read
  const outcomes = await storeRecords(
    tx,
    organisation,
    kind,
    part.map(({ read }) => read),
  )
  await callHooks(tx, hooks, outcomes)
  return part.flatMap(({ claim }, place) => {
    const outcome = outcomes[place]
    return outcome === undefined ? [] : [{ claim, outcome }]
  })
}

/** Calls the hooks for the records that were stored. */
export async function callHooks(
  tx: MirrorTransaction,
  hooks: readonly StoreHook[],
  outcomes: readonly StoreOutcome[],
): Promise<void> {
  const stored = outcomes.filter(({ verdict }) => verdict === 'store')
  if (stored.length === 0) return
  const added = stored.filter(({ change }) => change?.action === 'added').map(({ read }) => read)
  const reads = stored.map(({ read }) => read)
  for (const hook of hooks) await hook(tx, reads, new Set(added))
}

/** Finishes the claims. Where the service returned an old state, postpones the claim for another read. */
async function finishOrReread(
  { table }: MirrorContext,
  tx: MirrorTransaction,
  outcomes: readonly ClaimedOutcome[],
): Promise<void> {
  const finished: Claim[] = []
  for (const { claim, outcome } of outcomes) {
    const limit = rereadLimit(claim, outcome)
    if (claim.rereads < limit) {
      const delayMs = REREAD_DELAYS_MS[Math.min(claim.rereads, REREAD_DELAYS_MS.length - 1)] ?? 0
      await table.postpone(tx, claim, { delayMs, reread: true })
      continue
    }
    if (limit > 0) await countStale(tx, outcome.read)
    if (outcome.verdict === 'erased') await forgetEvents(tx, claim)
    finished.push(claim)
  }
  if (finished.length > 0) await table.finish(tx, ...finished)
}

/** Returns the maximum number of repeated reads for an outcome: 0 if the read is up to date. */
function rereadLimit({ promisedAt }: Claim, { verdict, read }: StoreOutcome): number {
  if (verdict === 'stale') return REREAD_DELAYS_MS.length
  return verdict !== 'erased' && isBehind(read.updatedAt, promisedAt) ? PROMISE_REREADS : 0
}

/** Removes the bodies of events that arrived while their record was being erased. */
async function forgetEvents(tx: MirrorTransaction, { organisation, kind, key }: Claim): Promise<void> {
  await tx.query(
    'UPDATE {schema}.event SET body = NULL WHERE organisation = $1 AND kind = $2 AND key = $3 AND body IS NOT NULL',
    [organisation, kind, key],
  )
}
