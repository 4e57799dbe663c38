/** Statuses after which a record changes only by a correction. The sweep `open` does not read such records by UUID. */
export const FINAL_STATUSES = [
  'COMPLETE',
  'REFUNDED',
  'FAILED_TEST',
  'BILLING_FAILED',
  'TRANSFERRED',
] as const
