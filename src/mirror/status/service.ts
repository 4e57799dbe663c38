import type { Queryable } from '../../database/database.js'
import { isoTime, type WithTexts, withDates } from '../../database/values.js'

/** Whether the service was reached for one organisation. */
export interface ServiceStatus {
  /** Name of the organisation. */
  readonly organisation: string
  /**
   * `reached`, `unreachable`, `rejected` or `unknown`. `rejected`: the service rejects the credentials. `unknown`: no
   * call was made yet.
   */
  readonly state: 'reached' | 'unreachable' | 'rejected' | 'unknown'
  /** Time of the last success; up to a minute early, because successes are written once a minute. `null`: never. */
  readonly reachedAt: Date | null
  /** Start of the present outage; `null` if there is none. */
  readonly failingSince: Date | null
  /** Time of the last failure; `null` if there is none. */
  readonly failedAt: Date | null
  /** Name and code of the last failure; `null` if there is none. */
  readonly error: string | null
  /** Time of the next try during an outage; `null` if there is no outage. */
  readonly nextTryAt: Date | null
}

/** Work of one kind that waits for another attempt, because the last attempt failed. */
export interface RetryStatus {
  /** Name of the organisation. */
  readonly organisation: string
  /**
   * `referral` or `result` for reads of records, the name of a sweep, `backfill`, `centres`, `catalogue`, `providers`,
   * or `deliver:` with the name of a consumer.
   */
  readonly kind: string
  /** Number of pieces of work. */
  readonly count: number
  /** Name and code of the last error of most of them; `null` if it is not known. */
  readonly error: string | null
  /** Time of the next attempt of the first of them. During an outage, time of the next try of the service. */
  readonly nextAt: Date
}

/** The oldest event whose change is not in the copy yet. */
export interface WaitingEvent {
  /** Name of the organisation. */
  readonly organisation: string
  /** Kind of the record: `referral` or `result`; or `centres`. */
  readonly kind: string
  /** Time at which the event was received. */
  readonly since: Date
}

/** State of the contact with the service, and of the work that waits. */
export interface ServicePart {
  /** Whether the service was reached, for each organisation. */
  readonly service: readonly ServiceStatus[]
  /** Work that failed and waits for its next attempt, by organisation and kind. */
  readonly retries: readonly RetryStatus[]
  /** The oldest event whose change is not in the copy yet; `undefined` if there is none. */
  readonly oldestWaiting: WaitingEvent | undefined
}

/**
 * The contact with the service of each organisation, of this mirror ($1) or of another. While a try runs, `probe_at` is
 * the end of its lease.
 */
const SERVICE = `
SELECT known.organisation, ${isoTime('reached_at')} AS "reachedAt", ${isoTime('failing_since')} AS "failingSince",
  CASE WHEN is_rejected THEN 'rejected' WHEN failing_since IS NOT NULL THEN 'unreachable'
    WHEN reached_at IS NOT NULL THEN 'reached' ELSE 'unknown' END AS state,
  ${isoTime('failed_at')} AS "failedAt", error, CASE WHEN failing_since IS NOT NULL
    THEN ${isoTime(`LEAST(probe_at, failed_at + interval '30 seconds')`)} END AS "nextTryAt"
FROM (SELECT organisation FROM {schema}.contact UNION SELECT unnest($1::text[])) AS known
LEFT JOIN {schema}.contact AS contact USING (organisation) ORDER BY 1`

/** Work that failed and waits for its next attempt. During an outage, only deliveries do not wait for the next try. */
const RETRIES = `
SELECT organisation, CASE WHEN kind = 'sweep' THEN key ELSE kind END AS kind, count(*) AS count,
  mode() WITHIN GROUP (ORDER BY work.error) AS error,
  ${isoTime(`GREATEST(min(run_at), max(LEAST(probe_at, failed_at + interval '30 seconds'))
    FILTER (WHERE failing_since IS NOT NULL AND kind NOT LIKE 'deliver:%'))`)} AS "nextAt"
FROM {schema}.work AS work LEFT JOIN {schema}.contact AS contact USING (organisation)
WHERE NOT dead AND lease IS NULL AND (attempts > 0 OR work.error IS NOT NULL)
GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`

/**
 * Reads the state of the contact with the service.
 *
 * @param organisations - Names of the organisations of this mirror.
 */
export async function readService(
  database: Queryable,
  organisations: readonly string[],
): Promise<Pick<ServicePart, 'service' | 'retries'>> {
  const service = (await database.query<WithTexts<ServiceStatus>>(SERVICE, [organisations])).rows
  const retries = (await database.query<WithTexts<RetryStatus>>(RETRIES)).rows
  return {
    service: service.map((row) =>
      withDates<ServiceStatus>(row, 'reachedAt', 'failingSince', 'failedAt', 'nextTryAt'),
    ),
    retries: retries.map((row) => withDates<RetryStatus>(row, 'nextAt')),
  }
}
