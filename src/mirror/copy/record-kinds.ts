import { isPathologyError } from '../../common/errors.js'
import type { Organisation } from '../core/context.js'
import type { Source } from '../work/work-table.js'
import type { PreparedRecord } from './digest.js'

/** Kinds of records that the mirror reads by UUID and whose changes it reports. */
export type RecordKind = 'referral' | 'result'

export const RECORD_KINDS = ['referral', 'result'] as const

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
  /** Time before the read, by the database's clock. */
  readonly readAt: string
  readonly by: 'uuid' | 'list'
  readonly source: Source
  /** `true` when the read found a change that no event had announced. */
  readonly isRecovery: boolean
}

/** Reads a record by UUID; `undefined` if the service does not have it. */
export async function readRecord(
  { client }: Organisation,
  kind: RecordKind,
  uuid: string,
  signal: AbortSignal | undefined,
): Promise<object | undefined> {
  const options = signal === undefined ? {} : { signal }
  try {
    return kind === 'referral'
      ? await client.referrals.retrieve(uuid, options)
      : await client.results.retrieve(uuid, options)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Returns `true` when the service has no such record. A 404 with another code can come from an invalid base URL. */
function isNotFound(error: unknown): boolean {
  return isPathologyError(error, 'REFERRAL_NOT_FOUND') || isPathologyError(error, 'RESULT_NOT_FOUND')
}
