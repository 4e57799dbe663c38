import type { Source } from '../work/work-table.js'
import type { PreparedRecord } from './digest.js'
import { REFERRAL_TABLE } from './store-referral.js'
import { RESULT_TABLE } from './store-result.js'

/** Kinds of records that are read by UUID and have changes. */
export type RecordKind = 'referral' | 'result'

/** Tables of the kinds of records. */
export const RECORD_TABLES = { referral: REFERRAL_TABLE, result: RESULT_TABLE } as const

/** A record as the service returned it. */
export interface RecordRead {
  readonly organisation: string
  readonly kind: RecordKind
  /** The record's UUID in lower case. */
  readonly uuid: string
  readonly group: string
  readonly prepared: PreparedRecord
  /** ISO 8601; `null` if the record has none. */
  readonly updatedAt: string | null
  /** Time of the database before the read. */
  readonly readAt: string
  readonly by: 'uuid' | 'list'
  readonly source: Source
  /** Whether the read found a change that no event had announced. */
  readonly isRecovery: boolean
}
