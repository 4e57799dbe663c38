import { isoTime } from '../../database/values.js'

/**
 * Claims due work: $1 to $3 are the kinds, the lane of each, and the number of pieces that its lane can take. $4 is the
 * lease in milliseconds, $5 the organisations.
 *
 * - The due work of each kind is read by its own part of an index, so that other kinds cost nothing.
 * - The limits of 256 are never reached. Without them, Postgres would expect so many rows that it reads the complete table.
 * - Work that calls the service waits during an outage.
 * - `run_at` becomes the end of the lease, so that the same index finds new, failed and expired work.
 * - The commit does not wait for the disk. If the server loses the lease in a crash, the work is due again, and the
 *   token prevents the commit of the earlier claim.
 */
export const CLAIM = `
UPDATE {schema}.work AS work
SET lease = gen_random_uuid(), run_at = now() + $4::double precision * interval '1 millisecond'
FROM (SELECT set_config('synchronous_commit', 'off', true)) AS quick CROSS JOIN (
  SELECT ranked.* FROM (
    SELECT candidate.*, slot.free, row_number() OVER (PARTITION BY slot.lane ORDER BY candidate.run_at) AS place
    FROM unnest($1::text[], $2::text[], $3::integer[]) AS slot (kind, lane, free) CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT due.organisation, due.kind, due.key, due.run_at FROM {schema}.work AS due
        WHERE due.kind = slot.kind AND NOT due.dead AND due.run_at <= now() AND due.organisation = ANY($5::text[])
          AND (slot.kind LIKE 'deliver:%' OR slot.kind IN ('object', 'clean-up') OR NOT EXISTS (
            SELECT 1 FROM {schema}.contact AS contact
            WHERE contact.organisation = due.organisation AND contact.failing_since IS NOT NULL))
        ORDER BY due.run_at LIMIT slot.free FOR UPDATE SKIP LOCKED
      ) AS locked LIMIT 256
    ) AS candidate
  ) AS ranked
  WHERE place <= free LIMIT 256
) AS due
WHERE work.organisation = due.organisation AND work.kind = due.kind AND work.key = due.key
RETURNING work.organisation, work.kind, work.key, work.lease, work.wanted, work.attempts, work.rereads, work.source,
  ${isoTime('work.promised_at')} AS "promisedAt", work.iteration, work.since > now() - interval '60 seconds' AS "isRecent",
  ${isoTime('now()')} AS "claimedAt", false AS "isProbe"`

/**
 * Claims the probe of an organisation whose next probe is due: one piece of work that calls the service. $1 are the
 * kinds without deliveries, $2 the lease in milliseconds, $3 the organisation. The update of the contact lets only one process take the
 * probe. If this process dies, the next probe is due when the lease ends.
 */
export const CLAIM_PROBE = `
WITH due AS (
  SELECT organisation, kind, key FROM {schema}.work
  WHERE organisation = $3 AND NOT dead AND run_at <= now() AND kind = ANY($1::text[])
    AND kind NOT IN ('object', 'clean-up')
  ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED
), slot AS (
  UPDATE {schema}.contact SET probe_at = now() + $2::double precision * interval '1 millisecond'
  WHERE organisation = $3 AND failing_since IS NOT NULL AND probe_at <= now() AND EXISTS (SELECT 1 FROM due)
  RETURNING 1
)
UPDATE {schema}.work AS work
SET lease = gen_random_uuid(), run_at = now() + $2::double precision * interval '1 millisecond'
FROM due CROSS JOIN slot
WHERE work.organisation = due.organisation AND work.kind = due.kind AND work.key = due.key
RETURNING work.organisation, work.kind, work.key, work.lease, work.wanted, work.attempts, work.rereads, work.source,
  ${isoTime('work.promised_at')} AS "promisedAt", work.iteration, work.since > now() - interval '60 seconds' AS "isRecent",
  ${isoTime('now()')} AS "claimedAt", true AS "isProbe"`
