import { waitWithin } from '../../common/time-limit.js'
import { MirrorJob, repeatLater } from '../core/job.js'
import { objectLockNumber } from '../core/locks.js'
import type { MirrorTransaction } from '../schema/mirror-database.js'
import type { Claim } from '../work/work-table.js'

/**
 * A store of PDFs outside the database, such as S3. Records with the same PDF share one object. The mirror deletes an
 * object that no record of its schema uses, so each schema needs a store of its own. `put` and `delete` must finish
 * within 5 s: a slower call counts as failed, and is repeated later.
 */
export interface ObjectStore {
  /**
   * Stores the content. The mirror can call `put` again with the same content, for example after a failure.
   *
   * @param sha256 - SHA-256 of the content, 64 hexadecimal digits: the key of the object.
   */
  put(sha256: string, content: Uint8Array): Promise<void>
  /** Returns the content; `undefined` or `null` if there is none. */
  get(sha256: string): Promise<Uint8Array | null | undefined>
  /** Removes the content. An object that does not exist is not an error. */
  delete(sha256: string): Promise<void>
}

/** Storage of PDFs: `database` as bytea, `none` for no PDFs, or an object store. */
export type DocumentStorage = 'database' | 'none' | ObjectStore

const RETRY_MS = 600_000

/** Returns `true` for a value of the option `documents`. */
export function isStorage(value: unknown): value is DocumentStorage {
  return value === 'database' || value === 'none' || isObjectStore(value)
}

function isObjectStore(value: unknown): value is ObjectStore {
  if (typeof value !== 'object' || value === null) return false
  return ['put', 'get', 'delete'].every((name) => typeof Reflect.get(value, name) === 'function')
}

/**
 * Acquires the lock of an object, and returns whether a record uses the object. While the lock is held, no other
 * process stores or deletes the object.
 */
export async function lockObject(tx: MirrorTransaction, schema: string, sha256: string): Promise<boolean> {
  await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [String(objectLockNumber(schema, sha256))])
  const { rows } = await tx.query('SELECT 1 FROM {schema}.document WHERE sha256 = $1 LIMIT 1', [sha256])
  return rows.length > 0
}

/** Job that deletes an object, unless a record uses the object again. */
export class DeleteObjectJob extends MirrorJob<{ readonly store: ObjectStore }> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table } = this.context
    await database.transaction(
      async (tx) => {
        const isUsed = await lockObject(tx, database.schema, claim.key)
        if (!isUsed) await waitWithin(this.options.store.delete(claim.key), STORE_LIMITS)
        await table.finish(tx, claim)
      },
      { signal },
    )
  }

  async fail(claim: Claim, error: unknown): Promise<void> {
    const failures = await repeatLater(this.context, claim, error, RETRY_MS)
    if (failures === undefined) return
    this.context.failedWork.write(
      `mirror: the object store did not delete a PDF that no record uses (organisation ${claim.organisation}, ${failures}). The deletion is repeated every ten minutes. Check the permissions of the store`,
    )
  }
}

/** Maximum time of a `put` or a `delete`. Each of them runs in a transaction, which holds a connection. */
const STORE_MS = 5_000

/** The object store failed, or did not respond in time. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
}

/** Limits of the wait for the object store. */
export const STORE_LIMITS = { limitMs: STORE_MS, timeoutError: () => new ObjectStoreError() }
