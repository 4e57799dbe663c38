import { dateOf, isoTime, type WithTexts, withDates } from '../../database/values.js'
import type { MirrorContext } from '../core/context.js'
import { FINAL_LIST } from '../schema/final-statuses.js'
import { DELIVER } from '../work/kinds.js'
import { readService, type ServicePart, type WaitingEvent } from './service.js'

/** The last run of a backfill or a sweep. */
export interface SweepStatus {
  /** Name of the organisation. */
  readonly organisation: string
  /** Name of the run: `recent`, `open`, `everything` or `backfill`. */
  readonly name: string
  /**
   * `new`, `running`, `finished` or `stopped`. `new`: the run has not started. `stopped`: the run failed too often, or
   * found too many missing records and did not mark them as gone.
   */
  readonly state: string
  /** Start of the run; the time of its registration for a run in the state `new`. */
  readonly startedAt: Date
  /** End of the run; `null` for a run in the state `new` or `running`. */
  readonly finishedAt: Date | null
  /**
   * Time of the next run; `null` if none is planned. A time that is in the past by more than 10 s plus twice the option
   * `poll` has one of two reasons: no process claims work of the organisation, or the options now disable the sweep.
   */
  readonly nextAt: Date | null
  /** Number of requests for pages and records. Repeated requests and downloads of PDFs do not count. */
  readonly requests: number
  /** Number of records in the pages that were read. */
  readonly read: number
  /** Number of new records. */
  readonly new: number
  /** Number of changed records. */
  readonly changed: number
  /** Number of changes whose events had not arrived when the sweep found the changes. */
  readonly recovered: number
}

/** State of one consumer in one organisation. */
export interface ConsumerStatus {
  /** Name of the organisation. */
  readonly organisation: string
  /** Name of the consumer. */
  readonly name: string
  /**
   * `true` when this process has handlers of the consumer. Without such a process, undelivered changes accumulate:
   * remove the consumer.
   */
  readonly isConfigured: boolean
  /** Number of groups (a referral with its results) with undelivered changes, without the groups in `dead`. */
  readonly backlog: number
  /** Number of groups whose handler failed too often. They wait for `mirror.dead.retry` or `mirror.dead.skip`. */
  readonly dead: number
}

/** State of a copy with all organisations in its schema, without personal data. */
export interface MirrorStatus extends ServicePart {
  /**
   * Age of the oldest event, or other cause, whose work is due, running, or waiting for another attempt after a
   * failure, in milliseconds; 0 if there is none. During an outage of the service, at least the age of the outage.
   * These do not count, except after a failure: sweeps, backfills and other scheduled work, the reads that they
   * request. The deletion of PDFs never counts.
   */
  readonly lagMs: number
  /** Number of pieces of work that are due or running. */
  readonly backlog: number
  /**
   * Number of pieces of work that wait for another attempt. The last attempt failed, or the service returned an old
   * state.
   */
  readonly retrying: number
  /** Number of pieces of work that failed too often. See `mirror.dead`. */
  readonly dead: number
  /**
   * Number of changes that a sweep found in the last 24 hours, and whose events had not arrived by then. More than 0
   * usually means that deliveries fail.
   */
  readonly recovered24h: number
  /** Number of referrals in the copy, without referrals that are deleted or gone. */
  readonly referrals: number
  /** Number of results in the copy, without results that are deleted or gone. */
  readonly results: number
  /** Position of the last change; 0 before the first one. */
  readonly position: number
  /** Time of the last received event that is still stored (see the option `eventDays`); `null` if there is none. */
  readonly lastEventAt: Date | null
  /**
   * The sweep whose last run ended last, also if it failed. Sweeps that run now are left out. `undefined` if there is
   * none.
   */
  readonly lastSweep: SweepStatus | undefined
  /** The last run of each backfill and sweep. */
  readonly sweeps: readonly SweepStatus[]
  /** The oldest referral that has no final status and is not deleted or gone; `undefined` if there is none. */
  readonly oldestOpen:
    | {
        /** Name of the organisation. */
        readonly organisation: string
        /** The referral's id, a UUID. */
        readonly uuid: string
        /** The referral's status. */
        readonly status: string | null
        /** Creation time of the referral. */
        readonly createdAt: Date
      }
    | undefined
  /** All consumers in the schema. */
  readonly consumers: readonly ConsumerStatus[]
}

/** The work of each organisation and kind, counted in one scan: the table can have many due rows. */
const WORK = `
SELECT organisation, kind, count(*) FILTER (WHERE dead) AS dead, count(*) FILTER (WHERE NOT dead) AS alive,
  count(*) FILTER (WHERE NOT dead AND (lease IS NOT NULL OR run_at <= now())) AS backlog,
  count(*) FILTER (WHERE NOT dead AND lease IS NULL AND (attempts > 0 OR rereads > 0 OR error IS NOT NULL)) AS retrying,
  EXTRACT(EPOCH FROM now() - min(since) FILTER (WHERE NOT dead AND kind <> 'object' AND (attempts > 0 OR error IS NOT NULL
    OR ((lease IS NOT NULL OR run_at <= now()) AND source NOT IN ('sweep', 'backfill') AND kind <> 'sweep')))) * 1000
    AS "lagMs",
  ${isoTime(`min(since) FILTER (WHERE NOT dead AND source = 'webhook' AND kind IN ('referral', 'result', 'centres'))`)}
    AS "waitingSince"
FROM {schema}.work GROUP BY 1, 2`

/** Numbers of the copy, and the age of the oldest outage. */
const TOTALS = `
SELECT
  (SELECT count(*) FROM {schema}.change WHERE recovered AND changed_at > now() - interval '24 hours') AS "recovered24h",
  (SELECT count(*) FROM {schema}.referral WHERE deleted_at IS NULL AND gone_at IS NULL) AS referrals,
  (SELECT count(*) FROM {schema}.result WHERE deleted_at IS NULL AND gone_at IS NULL) AS results,
  (SELECT COALESCE(max(position), 0) FROM {schema}.change) AS position,
  (SELECT ${isoTime('max(received_at)')} FROM {schema}.event) AS "lastEventAt",
  (SELECT EXTRACT(EPOCH FROM now() - min(failing_since)) * 1000 FROM {schema}.contact) AS "outageMs"`

/** The backfills, and the sweeps of the names $1, with their next runs. */
const SWEEPS = `
SELECT iteration.organisation, iteration.name, state, ${isoTime('started_at')} AS "startedAt",
  ${isoTime('finished_at')} AS "finishedAt", ${isoTime('schedule.due_at')} AS "nextAt", requests, read, added AS "new", changed, recovered
FROM {schema}.iteration AS iteration
LEFT JOIN {schema}.schedule AS schedule
  ON schedule.organisation = iteration.organisation AND schedule.key = iteration.name
WHERE iteration.name = 'backfill' OR iteration.name = ANY($1::text[])
ORDER BY 1, 2`

/**
 * The oldest referral without a final status. Reads the table instead of the view: with row security, the view is
 * empty if no organisation is set.
 */
const OLDEST_OPEN = `
SELECT organisation, uuid, status, ${isoTime('created_at')} AS "createdAt" FROM {schema}.referral
WHERE deleted_at IS NULL AND gone_at IS NULL AND created_at IS NOT NULL AND NOT COALESCE(status, '') IN (${FINAL_LIST})
ORDER BY created_at, uuid LIMIT 1`

const CONSUMERS = 'SELECT organisation, name FROM {schema}.consumer ORDER BY 1, 2'

/** Names of the sweeps. The backfill is not a sweep. */
const SWEEP_NAMES: ReadonlySet<string> = new Set(['recent', 'open', 'everything'])

interface WorkRow {
  readonly organisation: string
  readonly kind: string
  readonly dead: number
  readonly alive: number
  readonly backlog: number
  readonly retrying: number
  readonly lagMs: number | null
  readonly waitingSince: string | null
}

type TotalsRow = Pick<MirrorStatus, 'recovered24h' | 'referrals' | 'results' | 'position'> & {
  readonly lastEventAt: string | null
  readonly outageMs: number | null
}
type OldestRow = WithTexts<NonNullable<MirrorStatus['oldestOpen']>>

/**
 * Reads the state of the copy.
 *
 * @param configured - Names of the consumers with handlers in this process.
 */
export async function readStatus(
  { database, organisations }: MirrorContext,
  configured: ReadonlySet<string>,
): Promise<MirrorStatus> {
  const work = (await database.query<WorkRow>(WORK)).rows
  const totals = await database.first<TotalsRow>(TOTALS)
  const { rows } = await database.query<WithTexts<SweepStatus>>(SWEEPS, [[...SWEEP_NAMES]])
  const sweeps = rows.map((row) => withDates<SweepStatus>(row, 'startedAt', 'finishedAt', 'nextAt'))
  const consumers = (await database.query<Pick<ConsumerStatus, 'organisation' | 'name'>>(CONSUMERS)).rows
  const finished = sweeps.filter(({ finishedAt, name }) => finishedAt !== null && SWEEP_NAMES.has(name))
  const oldest = await database.first<OldestRow>(OLDEST_OPEN)
  const sum = (name: 'backlog' | 'retrying' | 'dead'): number =>
    work.reduce((total, row) => total + row[name], 0)
  return {
    lagMs: Math.round(Math.max(0, totals?.outageMs ?? 0, ...work.map(({ lagMs }) => lagMs ?? 0))),
    backlog: sum('backlog'),
    retrying: sum('retrying'),
    dead: sum('dead'),
    recovered24h: totals?.recovered24h ?? 0,
    referrals: totals?.referrals ?? 0,
    results: totals?.results ?? 0,
    position: totals?.position ?? 0,
    lastEventAt: dateOf(totals?.lastEventAt),
    lastSweep: finished.sort((a, b) => Number(a.finishedAt) - Number(b.finishedAt)).at(-1),
    sweeps,
    oldestOpen: oldest && { ...oldest, createdAt: new Date(oldest.createdAt) },
    oldestWaiting: oldestWaiting(work),
    consumers: consumers.map(({ organisation, name }) => {
      const kind = `${DELIVER}${name}`
      const row = work.find((each) => each.organisation === organisation && each.kind === kind)
      const counts = { backlog: row?.alive ?? 0, dead: row?.dead ?? 0 }
      return { organisation, name, isConfigured: configured.has(name), ...counts }
    }),
    ...(await readService(database, [...organisations.keys()])),
  }
}

function oldestWaiting(work: readonly WorkRow[]): WaitingEvent | undefined {
  const waiting = work.flatMap(({ organisation, kind, waitingSince }): readonly WaitingEvent[] =>
    waitingSince === null ? [] : [{ organisation, kind, since: new Date(waitingSince) }],
  )
  return waiting.sort((a, b) => Number(a.since) - Number(b.since))[0]
}
