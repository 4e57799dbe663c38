import type { PreparedRecord } from './digest.js'

/** Table of a kind of records. */
export interface RecordTable {
  /** Columns besides those of every record, with their SQL types. */
  readonly columns: Readonly<Record<string, string>>
  /** Values of these columns. */
  readonly values: (body: PreparedRecord['body']) => Readonly<Record<string, unknown>>
  /** Key of the group in which the record's changes are ordered. */
  readonly groupOf: (uuid: string, body: PreparedRecord['body']) => string
}
