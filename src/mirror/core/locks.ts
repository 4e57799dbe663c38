import { createHash } from 'node:crypto'

/** A record, and the group in which its changes are ordered. */
export interface LockedRecord {
  readonly organisation: string
  readonly uuid: string
  readonly group: string
}

/**
 * Returns a statement that acquires the advisory locks of records and their groups. The transaction holds the locks
 * until its end. Every transaction that stores or erases a record holds the locks of this record. The locks are
 * acquired in one order, so that two transactions cannot deadlock.
 */
export function recordLocks(schema: string, records: readonly LockedRecord[]): string {
  const numbers = new Set(
    records.flatMap(({ organisation, uuid, group }) =>
      [uuid, group].map((key) => lockNumber(`${schema}/${organisation}/${key}`)),
    ),
  )
  if (numbers.size === 0) return ''
  const sorted = [...numbers].sort((a, b) => (a < b ? -1 : 1))
  // An array keeps the order of the numbers, and `count` returns one row for all of them.
  return `SELECT count(pg_advisory_xact_lock(number)) FROM unnest('{${sorted}}'::bigint[]) AS number`
}

/** Returns the number of the lock that puts the positions of changes into the order of their commits. */
export function changeLockNumber(schema: string): bigint {
  return lockNumber(`${schema}//changes`)
}

export function objectLockNumber(schema: string, sha256: string): bigint {
  return lockNumber(`${schema}//objects/${sha256}`)
}

function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE()
}
