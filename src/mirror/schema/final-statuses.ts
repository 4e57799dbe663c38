/**
 * Statuses after which a record changes only by a correction. After the lists, the sweep `open` does not read records
 * with these statuses by UUID.
 */
const FINAL_STATUSES = ['COMPLETE', 'REFUNDED', 'FAILED_TEST', 'BILLING_FAILED', 'TRANSFERRED'] as const

/** The final statuses as a list in SQL. Indexes of open records have it as a constant, so their queries need it too. */
export const FINAL_LIST = FINAL_STATUSES.map((status) => `'${status}'`).join(', ')
