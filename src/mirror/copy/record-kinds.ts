import { isPathologyError } from '../../common/errors.js'
import type { Organisation } from '../core/context.js'
import type { Source } from '../work/work-table.js'
import { booleanField, type PreparedRecord, textField, timeField, uuidField } from './digest.js'

/** Definition of the table for one kind of records. */
export interface RecordTable {
  /** Columns in addition to the columns of every record, with their SQL types. */
  readonly columns: Readonly<Record<string, string>>
  /** Values of these columns. */
  readonly values: (body: PreparedRecord['body']) => Readonly<Record<string, unknown>>
  /** Key of the group in which the record's changes are ordered. */
  readonly groupOf: (uuid: string, body: PreparedRecord['body']) => string
}

/** Columns of the table `referral`. */
export const REFERRAL_TABLE: RecordTable = {
  columns: {
    reference: 'text',
    reference_number: 'text',
    results_uuid: 'text',
    bundle_id: 'text',
    product_id: 'text',
    referral_type: 'text',
    origin: 'text',
    medicare: 'boolean',
    tests: 'text[]',
  },
  values: (body) => ({
    reference: textField(body, 'reference'),
    reference_number: textField(body, 'referenceNumber'),
    results_uuid: uuidField(body, 'resultsUuid'),
    bundle_id: textField(body, 'bundleId'),
    product_id: textField(body, 'productId'),
    referral_type: textField(body, 'referralType'),
    origin: textField(body, 'origin'),
    // An older description of the service calls this field `bulkBilled`.
    medicare: booleanField(body, 'medicare') ?? booleanField(body, 'bulkBilled'),
    tests: texts(body['tests']),
  }),
  groupOf: (uuid) => uuid,
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

/** Columns of the table `result`. */
export const RESULT_TABLE: RecordTable = {
  columns: {
    referral_uuid: 'text',
    provenance: 'text',
    reference: 'text',
    reference_number: 'text',
    product_id: 'text',
    result_date: 'timestamptz',
  },
  values: (body) => ({
    referral_uuid: uuidField(body, 'referralUuid'),
    provenance: textField(body, 'provenance'),
    reference: textField(body, 'reference'),
    reference_number: textField(body, 'referenceNumber'),
    product_id: textField(body, 'productId'),
    result_date: timeField(body, 'resultDate'),
  }),
  // A result without a referral is a group of its own.
  groupOf: (uuid, body) => uuidField(body, 'referralUuid') ?? uuid,
}

/** Kinds of records that the mirror reads by UUID and whose changes it reports. */
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
