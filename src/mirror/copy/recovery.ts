import type { Queryable } from '../../database/database.js'
import type { RecordKind, RecordRead } from './record-kinds.js'

// An event with `updatedAt` announces all changes up to a second after this time. This time and the record's time are
// from the same clock. An event without `updatedAt` announces the changes from 35 minutes before its receipt to 5
// minutes after. The 35 minutes cover the five attempts of a delivery, which take about 30 minutes. The 5 minutes cover
// a difference between the clocks of the service and of the database. If a record has no `updatedAt`, any of its events
// in the last 40 minutes announces its change. During a backfill every record counts as announced, because the events of
// earlier changes were not received.
const ANNOUNCED = `
SELECT read.uuid FROM json_to_recordset($3::json) AS read (uuid text, updated_at timestamptz)
WHERE EXISTS (SELECT 1 FROM {schema}.iteration AS iteration
    WHERE iteration.organisation = $1 AND iteration.name = 'backfill' AND iteration.state IN ('new', 'running'))
  OR EXISTS (SELECT 1 FROM {schema}.work AS work
    WHERE work.organisation = $1 AND work.kind = $2 AND work.key = read.uuid AND work.source = 'webhook')
  OR EXISTS (SELECT 1 FROM {schema}.event AS event
    WHERE event.organisation = $1 AND event.kind = $2 AND event.key = read.uuid
      AND (event.promised_at >= read.updated_at - interval '1 second' OR (event.promised_at IS NULL AND event.received_at
        BETWEEN read.updated_at - interval '5 minutes' AND read.updated_at + interval '35 minutes')
        OR (read.updated_at IS NULL AND event.received_at > now() - interval '40 minutes')))`

/**
 * Returns the UUIDs of announced records. An event has announced the record's state, or has requested a read that is
 * pending. During a backfill, returns all UUIDs. Any other change that a sweep finds is recovered: its event has not
 * arrived.
 */
export async function announcedKeys(
  database: Queryable,
  organisation: string,
  kind: RecordKind,
  reads: readonly RecordRead[],
): Promise<ReadonlySet<string>> {
  if (reads.length === 0) return new Set()
  const rows = JSON.stringify(reads.map(({ uuid, updatedAt }) => ({ uuid, updated_at: updatedAt })))
  const found = await database.query<{ uuid: string }>(ANNOUNCED, [organisation, kind, rows])
  return new Set(found.rows.map(({ uuid }) => uuid))
}
