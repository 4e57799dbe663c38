import { PathologyError } from '../../common/errors.js'
import { appendChanges, type NewChange } from '../changes/append.js'
import { type MirrorContext, organisationOf } from '../core/context.js'
import { recordLocks } from '../core/locks.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import { PROMISE_REREADS, REREAD_DELAYS_MS } from '../work/backoff.js'
import type { Claim } from '../work/work-table.js'
import type { Job } from '../work/worker.js'
import { classifyRecordFailure, recordFailure } from './fetch-failures.js'
import { isBehind } from './guard.js'
import { type RecordKind, type RecordRead, readRecord } from './record-kinds.js'
import { countStale, markGone, markMissing } from './record-statements.js'
import { announcedKeys, countSwept } from './recovery.js'
import { lockKeys, recordRead, type StoreOutcome, storeRecords } from './store.js'

/**
 * Work of another area on records that are stored, such as biomarkers and documents. The hook is called in the
 * transaction of the records. At this time, the records are stored, and their changes are not yet appended. Records
 * that the guard does not store are not passed.
 *
 * @param added - The records that the copy did not have before.
 */
export type StoreHook = (
  tx: MirrorTransaction,
  stored: readonly RecordRead[],
  added: ReadonlySet<RecordRead>,
) => Promise<void>

/**
 * Work of another area before the transaction, such as the download of a document.
 *
 * @returns Work in the transaction, for this record; `undefined` if there is none.
 */
export type PrepareHook = (
  read: RecordRead,
  record: object,
  signal: AbortSignal,
) => Promise<StoreHook | undefined>

/** Extensions of {@link RefetchJob} by other areas. */
export interface RefetchHooks {
  readonly prepare: readonly PrepareHook[]
  readonly store: readonly StoreHook[]
}

/** Job that reads one record again and stores it. */
export class RefetchJob implements Job {
  readonly #context: MirrorContext
  readonly #kind: RecordKind
  readonly #attempts: number
  readonly #hooks: RefetchHooks

  /** @param attempts - Number of failed attempts after which the work is dead. */
  constructor(context: MirrorContext, kind: RecordKind, attempts: number, hooks: RefetchHooks) {
    this.#context = context
    this.#kind = kind
    this.#attempts = attempts
    this.#hooks = hooks
  }

  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { point } = this.#context
    await point('fetch:before')
    const owner = organisationOf(this.#context, claim.organisation)
    const record = await readRecord(owner, this.#kind, claim.key, signal)
    await point('fetch:after')
    await this.#context.contact.reached(claim.organisation)
    if (claim.attempts > 0) await this.#context.table.pullForward(claim.organisation)
    if (record === undefined) return this.#storeGone(claim, signal)
    const read = await this.#readOf(claim, record)
    const prepared = await Promise.all(this.#hooks.prepare.map((hook) => hook(read, record, signal)))
    const hooks = [...this.#hooks.store, ...prepared.filter((hook) => hook !== undefined)]
    await this.#store(claim, read, hooks, signal)
  }

  async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    await recordFailure(this.#context, claim, error, classifyRecordFailure(error, signal), this.#attempts)
  }

  async #readOf(claim: Claim, record: object): Promise<RecordRead> {
    const { organisation, key, claimedAt, source } = claim
    const facts = { organisation, source, kind: this.#kind, readAt: claimedAt, by: 'uuid' } as const
    const read = recordRead(record, facts)
    if (read.uuid === key) {
      if (source !== 'sweep') return read
      const announced = await announcedKeys(this.#context.database, organisation, this.#kind, [read])
      return { ...read, isRecovery: !announced.has(key) }
    }
    throw new PathologyError(
      'The service returned a record with another UUID. Nothing was stored. The read is repeated.',
      {
        code: 'RECORD_MISMATCH',
      },
    )
  }

  async #store(
    claim: Claim,
    read: RecordRead,
    hooks: readonly StoreHook[],
    signal: AbortSignal,
  ): Promise<void> {
    const { database, point } = this.#context
    const isChanged = await database.transaction(
      async (tx) => {
        await point('store:loaded')
        const [outcome] = await storeRecords(tx, claim.organisation, this.#kind, [read])
        await callHooks(tx, hooks, outcome === undefined ? [] : [outcome])
        await point('store:written')
        await this.#finishOrReread(tx, claim, outcome)
        await countSwept(tx, claim, outcome?.change)
        return this.#append(tx, outcome?.change)
      },
      { first: recordLocks(database.schema, claim.organisation, lockKeys([read])), signal },
    )
    await point('store:committed')
    if (isChanged) this.#context.wake()
  }

  /** Finishes the claim. If the service returned an old state, postpones the claim for another read. */
  async #finishOrReread(
    tx: MirrorTransaction,
    claim: Claim,
    outcome: StoreOutcome | undefined,
  ): Promise<void> {
    const { table } = this.#context
    if (outcome?.verdict === 'erased') await forgetEvents(tx, claim)
    const limit = rereadLimit(claim, outcome)
    if (limit === 0) await table.finish(tx, claim)
    else if (claim.rereads < limit) {
      const delayMs = REREAD_DELAYS_MS[Math.min(claim.rereads, REREAD_DELAYS_MS.length - 1)] ?? 0
      await table.postpone(tx, claim, { delayMs, reread: true })
    } else {
      await countStale(tx, claim.organisation, this.#kind, claim.key)
      await table.finish(tx, claim)
    }
    await this.#context.point('store:finished')
  }

  async #append(tx: MirrorTransaction, change: NewChange | undefined): Promise<boolean> {
    if (change !== undefined) await appendChanges(tx, this.#context.changeLock, [change])
    await this.#context.point('store:appended')
    return change !== undefined
  }

  /**
   * Handles a record that the service does not return. Soon after an event, the record is read again, because the
   * service may return an old state. Otherwise the record is marked as gone, or, for a sweep, as missing.
   */
  async #storeGone(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table, point } = this.#context
    const { organisation, key, claimedAt, source } = claim
    if (source === 'webhook' && claim.isRecent && claim.rereads < REREAD_DELAYS_MS.length) {
      const delayMs = REREAD_DELAYS_MS[claim.rereads] ?? 0
      await table.postpone(database, claim, { delayMs, reread: true })
      return
    }
    await database.transaction(
      async (tx) => {
        if (source === 'sweep') {
          await markMissing(tx, organisation, this.#kind, key, claimedAt)
          return table.finish(tx, claim)
        }
        const row = await markGone(tx, organisation, this.#kind, key, claimedAt)
        await table.finish(tx, claim)
        await this.#append(
          tx,
          row && {
            organisation,
            kind: this.#kind,
            uuid: key,
            group: row.group,
            action: 'gone',
            source,
            recovered: false,
            statusBefore: row.status,
            statusAfter: row.status,
            updatedAt: row.updatedAt,
          },
        )
      },
      { first: recordLocks(database.schema, organisation, [key]), signal },
    )
    await point('store:committed')
    this.#context.wake()
  }
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

/** Returns the maximum number of repeated reads for an outcome: 0 if the read is up to date. */
function rereadLimit({ promisedAt }: Claim, outcome: StoreOutcome | undefined): number {
  if (outcome?.verdict === 'stale') return REREAD_DELAYS_MS.length
  const isUpToDate = outcome === undefined || outcome.verdict === 'erased'
  return !isUpToDate && isBehind(outcome.read.updatedAt, promisedAt) ? PROMISE_REREADS : 0
}

/** Removes the bodies of events that arrived while their record was being erased. */
async function forgetEvents(tx: MirrorTransaction, { organisation, kind, key }: Claim): Promise<void> {
  await tx.query(
    'UPDATE {schema}.event SET body = NULL WHERE organisation = $1 AND kind = $2 AND key = $3 AND body IS NOT NULL',
    [organisation, kind, key],
  )
}
