import type { Referral, Result } from '../../contract/types.js'
import { dateOf } from '../../database/values.js'
import type { Source } from '../work/work-table.js'

/** Kind of change of a record. */
export type ChangeAction =
  /** The copy has the record for the first time. The service may already have marked the record as deleted. */
  | 'added'
  /** The service returned another state of the record. */
  | 'updated'
  /** The service marked the record as deleted. */
  | 'deleted'
  /** The service no longer returns the record. */
  | 'gone'
  /** The service returns the record again. */
  | 'returned'
  /** The record was erased from the copy. Only UUIDs, names of events, statuses and times remain. */
  | 'erased'

/** Fields of every change. */
export interface ChangeBase {
  /**
   * Position in the order of all changes. Later changes have larger positions, and positions can have gaps. Use the
   * position to de-duplicate effects outside the database.
   */
  readonly position: number
  /** Name of the organisation; `default` if the mirror has the option `client` instead of `organisations`. */
  readonly organisation: string
  /** The record's id, a UUID. */
  readonly uuid: string
  /**
   * Group of the change: the referral's UUID, for the referral and its results. A result without a referral is its own
   * group. A record keeps the group of its first change. Changes of a group arrive in order.
   */
  readonly group: string
  /** Kind of change. */
  readonly action: ChangeAction
  /** Cause of the change: a webhook event, a sweep, a backfill, or a call of a method. */
  readonly source: Source
  /**
   * `true` when a sweep found the change and no event had announced it; always `false` for the actions `deleted`,
   * `gone` and `erased`, for a record that is returned again without a change, and during a backfill.
   */
  readonly recovered: boolean
  /** Status of the record before and after the change; `null` if the record has none. */
  readonly status: {
    /** Status before the change; `null` for the actions `added` and `erased`. */
    readonly before: string | null
    /** Status after the change; `null` for the action `erased`. */
    readonly after: string | null
  }
  /** The record's `updatedAt`; `null` if it has none, and for the action `erased`. */
  readonly updatedAt: Date | null
  /** Time at which the copy was changed, by the database's clock. */
  readonly changedAt: Date
}

/** A change of a referral. */
export interface ReferralChange extends ChangeBase {
  /** Kind of the record. */
  readonly kind: 'referral'
  /** The referral after the change, without its signed URL; `null` once erased, or cleared by the option `history`. */
  readonly referral: Referral | null
}

/** A change of a result. */
export interface ResultChange extends ChangeBase {
  /** Kind of the record. */
  readonly kind: 'result'
  /** The result after the change, without its signed URL; `null` once erased, or cleared by the option `history`. */
  readonly result: Result | null
}

/** A change of the copy. */
export type Change = ReferralChange | ResultChange

/** A row of the table of changes. */
export interface ChangeRow {
  readonly position: number
  readonly organisation: string
  readonly kind: string
  readonly uuid: string
  readonly group_key: string
  readonly action: ChangeAction
  readonly source: Source
  readonly recovered: boolean
  readonly status_before: string | null
  readonly status_after: string | null
  readonly updated_at: string | null
  readonly body: unknown
  readonly changed_at: string
}

/** Converts a row to a change. */
export function changeOf(row: ChangeRow): Change {
  const base = {
    position: row.position,
    organisation: row.organisation,
    uuid: row.uuid,
    group: row.group_key,
    action: row.action,
    source: row.source,
    recovered: row.recovered,
    status: { before: row.status_before, after: row.status_after },
    updatedAt: dateOf(row.updated_at),
    changedAt: new Date(row.changed_at),
  }
  // The client returned the record with this type before it was stored.
  if (row.kind === 'result') return { ...base, kind: 'result', result: row.body as Result | null }
  return { ...base, kind: 'referral', referral: row.body as Referral | null }
}
