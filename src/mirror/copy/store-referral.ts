import { booleanField, textField } from './digest.js'
import type { RecordTable } from './record-table.js'

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
    results_uuid: textField(body, 'resultsUuid'),
    bundle_id: textField(body, 'bundleId'),
    product_id: textField(body, 'productId'),
    referral_type: textField(body, 'referralType'),
    origin: textField(body, 'origin'),
    // An older description of the service names this field differently.
    medicare: booleanField(body, 'medicare') ?? booleanField(body, 'bulkBilled'),
    tests: texts(body['tests']),
  }),
  groupOf: (uuid) => uuid,
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}
