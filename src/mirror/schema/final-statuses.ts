/** Statuses after which a record changes only by a correction. */
export const FINAL_STATUSES = [
  'COMPLETE',
  'REFUNDED',
  'FAILED_TEST',
  'BILLING_FAILED',
  'TRANSFERRED',
] as const
