import { textField, timeField } from './digest.js'
import type { RecordTable } from './record-table.js'

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
    referral_uuid: textField(body, 'referralUuid')?.toLowerCase() ?? null,
    provenance: textField(body, 'provenance'),
    reference: textField(body, 'reference'),
    reference_number: textField(body, 'referenceNumber'),
    product_id: textField(body, 'productId'),
    result_date: timeField(body, 'resultDate'),
  }),
  // A result without a referral is a group of its own.
  groupOf: (uuid, body) => textField(body, 'referralUuid')?.toLowerCase() ?? uuid,
}
