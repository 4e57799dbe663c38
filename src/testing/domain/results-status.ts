import type { KnownResultStatus } from '../../contract/enums.js'
import type { ResultRow } from '../state/orders.js'

/** The status a result shows (§3.2): the hold hides what has arrived. */
export function resultStatus(row: ResultRow): KnownResultStatus {
  if (row.arrived === null) return 'CREATED'
  return row.held ? 'IN_REVIEW' : row.arrived
}
