import { isoTime } from '../../database/values.js'

/** Prefix of the kinds of work that deliver changes to a consumer. */
export const DELIVER = 'deliver:'

/** SQL condition: the work does not call the service, so an outage does not hold it back. */
const IS_LOCAL = `(kind LIKE '${DELIVER}%' OR kind IN ('object', 'clean-up'))`

/** Returns `true` for a kind of work that delivers changes to a consumer. */
export function isDelivery(kind: string): boolean {
  return kind.startsWith(DELIVER)
}

// A claim sets run_at to the end of the lease, so that one index finds new, failed and expired work. The commit does
// not wait for the disk. If the server loses the lease in a crash, the work is due again, and the token prevents the
// commit of the earlier claim.
const claim = (due: string, isProbe = false): string => `
UPDATE {schema}.work AS work
SET lease = gen_random_uuid(), run_at = now() + $3::double precision * interval '1 millisecond'
FROM (SELECT set_config('synchronous_commit', 'off', true)) AS quick CROSS JOIN (
  SELECT candidate.organisation, kind, key FROM {schema}.work AS candidate ${due}
  ORDER BY run_at LIMIT $2::integer
  FOR UPDATE OF candidate SKIP LOCKED
) AS due
WHERE work.organisation = due.organisation AND work.kind = due.kind AND work.key = due.key
RETURNING work.organisation, work.kind, work.key, work.lease, work.wanted, work.attempts, work.rereads, work.source,
  ${isoTime('work.promised_at')} AS "promisedAt", work.iteration, work.since > now() - interval '60 seconds' AS "isRecent",
  ${isoTime('now()')} AS "claimedAt", ${isProbe} AS "isProbe"`

const DUE = `WHERE NOT dead AND run_at <= now() AND kind = ANY($1::text[]) AND candidate.organisation = ANY($4::text[])`

const REACHED = `AND (${IS_LOCAL} OR NOT EXISTS (SELECT 1 FROM {schema}.contact AS contact
    WHERE contact.organisation = candidate.organisation AND contact.failing_since IS NOT NULL))`

/** Claims due work: $1 kinds, $2 maximum number, $3 lease in milliseconds, $4 organisations. */
export const CLAIM = claim(`${DUE} ${REACHED}`)

const OTHERS = `kind NOT LIKE '${DELIVER}%'`
// Repeats the condition of a partial index. Otherwise the claim could read all due deliveries.
/** {@link CLAIM} without deliveries. */
export const CLAIM_OTHERS = claim(`${DUE} AND ${OTHERS} ${REACHED}`)

const PROBE_DUE = `${DUE} AND ${OTHERS} AND NOT ${IS_LOCAL}`

// The update of the contact lets only one process take the probe. If this process dies, the next probe is due when the
// lease ends.
/** Claims one piece of work of an organisation whose next probe is due. Values as in {@link CLAIM}. */
export const CLAIM_PROBE = `
WITH slot AS (
  UPDATE {schema}.contact AS contact SET probe_at = now() + $3::double precision * interval '1 millisecond'
  WHERE organisation = ANY($4::text[]) AND failing_since IS NOT NULL AND probe_at <= now()
    AND EXISTS (SELECT 1 FROM {schema}.work AS candidate ${PROBE_DUE} AND candidate.organisation = contact.organisation)
  RETURNING organisation
)${claim(`JOIN slot ON slot.organisation = candidate.organisation ${PROBE_DUE}`, true)}`
