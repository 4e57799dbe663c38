/**
 * Statuses after which a record changes only by a correction. After the lists, the sweep `open` does not read records
 * with these statuses by UUID.
 */
export const FINAL_STATUSES = [
  'COMPLETE',
  'REFUNDED',
  'FAILED_TEST',
  'BILLING_FAILED',
  'TRANSFERRED',
] as const
