/** The stored state of a record that the guard compares. */
export interface StoredState {
  readonly updatedAt: string | null
  readonly digest: string
  /** How the stored read was made: `uuid` or `list`. */
  readonly readBy: string
  /** `true` when the new read started later than the stored one. */
  readonly isStartedLater: boolean
}

/** A read of a record. */
export interface ReadState {
  readonly updatedAt: string | null
  readonly digest: string
  readonly by: 'uuid' | 'list'
}

/**
 * Age of a read compared with the copy, by `updatedAt`. `first`: the copy does not have the record. If either has no
 * `updatedAt`, the ages count as equal.
 */
type Age = 'first' | 'older' | 'equal' | 'newer'

/** Decision about a read. A stale read is not stored. If it was a read by UUID, it is repeated later. */
export type Verdict = 'store' | 'unchanged' | 'stale'

/** One rule of the guard. A missing condition is not checked. */
interface GuardRule {
  readonly age: Age
  readonly sameDigest?: boolean
  /** `true` when a record of a list would replace a stored record that was read by UUID. A list may omit fields. */
  readonly listOverUuid?: boolean
  readonly startedLater?: boolean
  readonly verdict: Verdict
}

/**
 * Rules that keep the copy from returning to an older state. The first matching rule decides. Statuses are not
 * compared, because a record can get the same status more than once.
 */
export const GUARD_RULES: readonly GuardRule[] = [
  { age: 'first', verdict: 'store' },
  { age: 'newer', verdict: 'store' },
  { age: 'older', verdict: 'stale' },
  { age: 'equal', sameDigest: true, verdict: 'unchanged' },
  { age: 'equal', listOverUuid: true, verdict: 'unchanged' },
  { age: 'equal', startedLater: true, verdict: 'store' },
  { age: 'equal', verdict: 'unchanged' },
]

/** Decides whether a read is stored. */
export function guard(stored: StoredState | undefined, read: ReadState): Verdict {
  const facts = {
    age: ageOf(stored, read),
    sameDigest: stored?.digest === read.digest,
    listOverUuid: read.by === 'list' && stored?.readBy === 'uuid',
    startedLater: stored?.isStartedLater ?? true,
  }
  const rule = GUARD_RULES.find(
    ({ age, sameDigest, listOverUuid, startedLater }) =>
      age === facts.age &&
      (sameDigest ?? facts.sameDigest) === facts.sameDigest &&
      (listOverUuid ?? facts.listOverUuid) === facts.listOverUuid &&
      (startedLater ?? facts.startedLater) === facts.startedLater,
  )
  return rule?.verdict ?? 'unchanged'
}

/** Returns `true` when an event promised a later state than was read. */
export function isBehind(updatedAt: string | null, promisedAt: string | null): boolean {
  return promisedAt !== null && updatedAt !== null && Date.parse(updatedAt) < Date.parse(promisedAt)
}

function ageOf(stored: StoredState | undefined, { updatedAt }: ReadState): Age {
  if (stored === undefined) return 'first'
  if (stored.updatedAt === null || updatedAt === null) return 'equal'
  const difference = Date.parse(updatedAt) - Date.parse(stored.updatedAt)
  if (difference === 0) return 'equal'
  return difference < 0 ? 'older' : 'newer'
}
