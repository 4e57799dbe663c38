import { MirrorJob, repeatLater } from '../core/job.js'
import type { Claim } from '../work/work-table.js'

const RETRY_MS = 3_600_000

/**
 * Maximum number of rows in one statement. One statement for years of changes would exceed its time limit at every
 * attempt.
 */
const BATCH = 10_000

const OLD_EVENTS = `
DELETE FROM {schema}.event WHERE (organisation, event_uuid) IN (
  SELECT organisation, event_uuid FROM {schema}.event
  WHERE organisation = $1 AND received_at < now() - $2::double precision * interval '1 day' LIMIT ${BATCH})`

// Clears the bodies of events that were received while their record was being erased.
const ERASED_EVENTS = `
UPDATE {schema}.event AS event SET body = NULL FROM {schema}.erased AS erased
WHERE erased.organisation = $1 AND erased.erased_at > now() - interval '7 days' AND event.organisation = $1
  AND event.body IS NOT NULL AND (event.kind = erased.kind AND event.key = erased.uuid
    OR event.kind IS NULL AND erased.uuid IN (lower(event.body #>> '{data,uuid}'), lower(event.body #>> '{data,referralUuid}')))`

const NEXT_POSITION = `
SELECT max(position) AS last FROM (
  SELECT position FROM {schema}.change
  WHERE organisation = $1 AND position > $3::bigint AND changed_at < now() - $2::double precision * interval '1 day'
  ORDER BY position LIMIT ${BATCH}) AS batch`

// Keeps the newest body of each record from before the kept period. This body is the state of the record when the
// period starts. Also keeps the bodies of changes that a consumer has not received yet.
const OLD_BODIES = `
UPDATE {schema}.change AS change SET body = NULL
WHERE organisation = $1 AND position > $3::bigint AND position <= $4::bigint AND body IS NOT NULL
  AND changed_at < now() - $2::double precision * interval '1 day'
  AND EXISTS (SELECT 1 FROM {schema}.change AS later
    WHERE later.organisation = change.organisation AND later.kind = change.kind AND later.uuid = change.uuid
      AND later.position > change.position AND later.changed_at < now() - $2::double precision * interval '1 day')
  AND NOT EXISTS (SELECT 1 FROM {schema}.consumer AS consumer
    LEFT JOIN {schema}.delivery AS delivery ON delivery.organisation = consumer.organisation
      AND delivery.consumer = consumer.name AND delivery.group_key = change.group_key
    WHERE consumer.organisation = change.organisation
      AND COALESCE(delivery.position, consumer.from_position) < change.position)`

/** Number of days for which data is kept. */
export interface CleanUpOptions {
  readonly eventDays: number
  /** `keep` keeps the bodies of all changes. */
  readonly history: 'keep' | number
}

/** Job that removes old events, and the bodies of old changes. */
export class CleanUpJob extends MirrorJob<CleanUpOptions> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table } = this.context
    const { eventDays, history } = this.options
    const { organisation } = claim
    let deleted = BATCH
    while (deleted === BATCH) {
      deleted = (await database.query(OLD_EVENTS, [organisation, eventDays], signal)).rowCount
    }
    await database.query(ERASED_EVENTS, [organisation], signal)
    if (history !== 'keep') await this.#clearBodies(organisation, history, signal)
    await table.finish(database, claim)
  }

  /** Clears the bodies of old changes, in the order of their positions. */
  async #clearBodies(organisation: string, days: number, signal: AbortSignal): Promise<void> {
    const { database } = this.context
    let position = 0
    for (;;) {
      const values = [organisation, days, position]
      const { rows } = await database.query<{ last: number | null }>(NEXT_POSITION, values, signal)
      const last = rows[0]?.last ?? null
      if (last === null) return
      await database.query(OLD_BODIES, [...values, last], signal)
      position = last
    }
  }

  async fail(claim: Claim, error: unknown): Promise<void> {
    const failures = await repeatLater(this.context, claim, error, RETRY_MS)
    if (failures === undefined) return
    this.context.logger.error(
      `mirror: the clean-up of organisation ${claim.organisation} failed (${failures}), so events and states that are older than eventDays and history are still stored. The clean-up is repeated every hour`,
    )
  }
}
