/** Statuses after which a record changes only by a correction. The sweep `open` leaves such records to the lists. */
export const FINAL_STATUSES = [
  'COMPLETE',
  'REFUNDED',
  'FAILED_TEST',
  'BILLING_FAILED',
  'TRANSFERRED',
] as const
