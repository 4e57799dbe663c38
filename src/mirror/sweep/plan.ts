import type { Queryable } from '../../database/database.js'
import type { RecordKind, RecordRead } from '../copy/record-kinds.js'
import type { Source } from '../work/work-table.js'
import type { ListState } from './list-state.js'
import type { Progress } from './progress.js'

/** A record of a page and what the copy knows about it. */
export interface SeenRecord {
  readonly read: RecordRead
  /** `createdAt` in milliseconds; NaN if it has none. */
  readonly createdAt: number
  /** Whether the copy has the record in this state, as far as a list that may lack fields shows. */
  readonly isKnown: boolean
  /** Whether the copy has exactly these fields. */
  readonly isEqual: boolean
}

/** A record that an iteration reads by UUID. */
export interface Rest {
  readonly kind: RecordKind
  readonly uuid: string
}

/** Limits of the sweeps. */
export interface SweepLimits {
  /** Age of the records that an open sweep reads by list, in milliseconds. */
  readonly windowMs: number
  /** Age up to which an open sweep reads records by UUID, in milliseconds. */
  readonly openMs: number
}

/** Records that a backfill or a sweep reads. */
export interface SweepPlan {
  readonly source: Extract<Source, 'backfill' | 'sweep'>
  readonly sort: 'asc' | 'desc'
  /** Whether `requestsPerSecond` applies. */
  readonly isPaced: boolean
  /** Whether it records which records the lists contain. */
  readonly marksListed: boolean
  /** Whether it marks records as gone that reads by UUID do not find. */
  readonly marksGone: boolean
  /** Whether the comparison of lists with reads by UUID serves several runs. */
  readonly keepsComparison: boolean
  /** Whether no later page of the list is needed. */
  readonly isLast: (page: readonly SeenRecord[], list: ListState, progress: Progress) => boolean
  /** Returns the records to read by UUID after both lists. */
  readonly rest: (query: RestQuery) => Promise<readonly Rest[]>
}

/** Input of {@link SweepPlan.rest}. */
export interface RestQuery {
  readonly database: Queryable
  readonly organisation: string
  /** Name of the iteration. */
  readonly name: string
  readonly limits: SweepLimits
  readonly progress: Progress
}
