import { type ListOrder, NEWEST_FIRST, orderAfter } from '../../client/pagination/list.js'
import { PathologyError } from '../../common/errors.js'
import { prepareRecord, textField } from '../copy/digest.js'
import { timestampOf } from '../core/storable.js'

/** State of an iteration over one list. */
export interface ListState {
  /** `true` when the list's records have all fields of a read by UUID; `undefined` if unknown. */
  readonly isComplete?: boolean | undefined
  /** Time of the comparison that has set `isComplete`, by the database's clock. */
  readonly comparedAt?: string | undefined
  /** The latest `createdAt` of this run. */
  readonly newest?: string | undefined
  /** The latest `createdAt` of the last run that finished. */
  readonly mark?: string | undefined
  /** What the list has shown about its order so far, if it is read newest first. */
  readonly order?: ListOrder | undefined
  /** Largest number of pages that this run had read when the service rejected a cursor. */
  readonly furthest?: number | undefined
  /** Number of times that this run has read the list again from its start since it reached `furthest`. */
  readonly restarts?: number | undefined
  /** Detects a list whose cursors repeat (Brent's algorithm). */
  readonly guard?: { readonly cursor: string; readonly steps: number; readonly next: number } | undefined
}

/** Returns the `createdAt` of a record in milliseconds; NaN if it has none. */
export function createdAtOf(record: object): number {
  return Date.parse(timestampOf(Reflect.get(record, 'createdAt')) ?? '')
}

/** Returns the latest `createdAt` of records, ISO 8601; `undefined` if none has one. */
export function newestOf(records: readonly object[]): string | undefined {
  const times = timesOf(records)
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString()
}

/**
 * Adds a page to the state of a list.
 *
 * @throws {@link PathologyError} if the list's cursors repeat, so that it would never end.
 */
export function advance(list: ListState, items: readonly object[], cursor: string | undefined): ListState {
  const newest = [list.newest, newestOf(items)]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1)
  const known = { ...list, newest, order: orderAfter(list.order ?? NEWEST_FIRST, items) }
  if (cursor === undefined) return { ...known, guard: undefined }
  const { cursor: mark, steps, next } = list.guard ?? { cursor: '', steps: 0, next: 1 }
  if (cursor === mark) {
    throw new PathologyError(
      'A list of the service returned the same cursor again, so the list would never end. The records that were already stored remain. The read is repeated.',
      {
        code: 'CURSOR_LOOP',
      },
    )
  }
  const isMark = steps + 1 >= next
  return {
    ...known,
    guard: { cursor: isMark ? cursor : mark, steps: steps + 1, next: isMark ? next * 2 : next },
  }
}

/** Maximum number of restarts after which a run has not read more pages of the list than before. */
const MAX_RESTARTS = 2

/**
 * Returns the state of a list that is read again from its start, because the service rejected its cursor. Returns
 * `undefined` if the run has not read more pages after `MAX_RESTARTS` restarts. A run whose cursors are always rejected
 * would otherwise never end.
 */
export function restarted(list: ListState): ListState | undefined {
  const { furthest = 0, restarts = 0 } = list
  const pages = list.guard?.steps ?? 0
  const isFurther = pages > furthest
  if (!isFurther && restarts >= MAX_RESTARTS) return undefined
  return {
    ...list,
    guard: undefined,
    order: undefined,
    furthest: Math.max(pages, furthest),
    restarts: isFurther ? 1 : restarts + 1,
  }
}

function timesOf(records: readonly object[]): readonly number[] {
  return records.map(createdAtOf).filter((time) => !Number.isNaN(time))
}

/** Maximum number of compared records. A record that changes between the two reads cannot be compared. */
const MAX_COMPARED = 3

/** Statuses whose records have the most fields. The records with these statuses are compared first. */
const COMPARED_FIRST = ['COMPLETE', 'PARTIAL_RESULTS', 'ISSUED']

/**
 * Compares records of a list with reads by UUID. The service does not guarantee that the records of a list have all
 * fields. If no record could be compared, the list counts as incomplete.
 */
export async function isListComplete(
  items: readonly object[],
  readByUuid: (uuid: string) => Promise<object | undefined>,
): Promise<{ readonly isComplete: boolean; readonly requests: number }> {
  const candidates = items
    .map((item) => prepareRecord(item))
    .sort((a, b) => rank(a.body) - rank(b.body))
    .slice(0, MAX_COMPARED)
  let requests = 0
  for (const listed of candidates) {
    const uuid = textField(listed.body, 'uuid')
    if (uuid === null) continue
    requests += 1
    const record = await readByUuid(uuid)
    if (record === undefined) continue
    const single = prepareRecord(record)
    if (single.digest === listed.digest) return { isComplete: true, requests }
    if (single.body['updatedAt'] === listed.body['updatedAt']) return { isComplete: false, requests }
  }
  return { isComplete: false, requests }
}

function rank(body: Readonly<Record<string, unknown>>): number {
  const place = COMPARED_FIRST.indexOf(textField(body, 'status') ?? '')
  const isDeleted = body['deletedAt'] !== null && body['deletedAt'] !== undefined
  return (place === -1 ? COMPARED_FIRST.length : place) + (isDeleted ? COMPARED_FIRST.length + 1 : 0)
}
