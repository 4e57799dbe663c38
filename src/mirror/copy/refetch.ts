import { PathologyError } from '../../common/errors.js'
import { appendChanges } from '../changes/append.js'
import type { Batches } from '../core/batches.js'
import { organisationOf } from '../core/context.js'
import { recordLocks } from '../core/locks.js'
import { REREAD_DELAYS_MS } from '../work/backoff.js'
import type { Claim } from '../work/work-table.js'
import { ReadJob } from './fetch-failures.js'
import { type RecordKind, type RecordRead, readRecord } from './record-kinds.js'
import { markGone, markMissing } from './record-statements.js'
import { announcedKeys } from './recovery.js'
import { recordRead } from './store.js'
import type { ClaimedRead } from './store-batch.js'

/** Work of another area before the transaction, such as the download of a document. */
export type PrepareHook = (read: RecordRead, record: object, signal: AbortSignal) => Promise<void>

export interface RefetchOptions {
  readonly kind: RecordKind
  readonly prepare: PrepareHook | undefined
  /** Stores the records that were read at the same time. */
  readonly stores: Batches<ClaimedRead>
}

export class RefetchJob extends ReadJob<RefetchOptions> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { point } = this.context
    const { prepare, stores } = this.options
    await point('fetch:before')
    const owner = organisationOf(this.context, claim.organisation)
    const record = await readRecord(owner, this.options.kind, claim.key, signal)
    await point('fetch:after')
    await this.context.contact.reached(claim.organisation)
    if (claim.attempts > 0) await this.context.table.pullForward(claim.organisation)
    if (record === undefined) return this.#storeGone(claim, signal)
    const read = await this.#readOf(claim, record)
    await prepare?.(read, record, signal)
    await stores.add({ claim, read, signal })
  }

  async #readOf(claim: Claim, record: object): Promise<RecordRead> {
    const { organisation, key, claimedAt, source } = claim
    const facts = { organisation, source, kind: this.options.kind, readAt: claimedAt, by: 'uuid' } as const
    const read = recordRead(record, facts)
    if (read.uuid === key) {
      if (source !== 'sweep') return read
      const announced = await announcedKeys(this.context.database, organisation, this.options.kind, [read])
      return { ...read, isRecovery: !announced.has(key) }
    }
    throw new PathologyError(
      'The service returned a record with another UUID. Nothing was stored. The read is repeated.',
      {
        code: 'RECORD_MISMATCH',
      },
    )
  }

  /**
   * Handles a record that the service does not return. Soon after an event, the record is read again, because the
   * service may return an old state. Otherwise the record is marked as gone, or, for a sweep, as missing.
   */
  async #storeGone(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table, point, changeLock } = this.context
    const { kind } = this.options
    const { organisation, key, claimedAt, source } = claim
    if (source === 'webhook' && claim.isRecent && claim.rereads < REREAD_DELAYS_MS.length) {
      const delayMs = REREAD_DELAYS_MS[claim.rereads] ?? 0
      await table.postpone(database, claim, { delayMs, reread: true })
      return
    }
    await database.transaction(
      async (tx) => {
        if (source === 'sweep') {
          await markMissing(tx, organisation, kind, key, claimedAt)
          return table.finish(tx, claim)
        }
        const change = await markGone(tx, { organisation, kind, uuid: key, source }, claimedAt)
        await table.finish(tx, claim)
        if (change !== undefined) await appendChanges(tx, changeLock, [change])
      },
      { first: recordLocks(database.schema, [{ organisation, uuid: key, group: key }]), signal },
    )
    await point('store:committed')
    this.context.wake()
  }
}
