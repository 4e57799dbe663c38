import { errorName, type SafeLogger } from '../../common/logger.js'
import { isoTime } from '../../database/values.js'
import type { MirrorDatabase } from '../schema/mirror-database.js'
import type { Claim, WorkTable } from './work-table.js'

/** An outage of the service for one organisation. */
export interface Outage {
  /** Name and code of the error. */
  readonly error: unknown
  /** `true` when the service rejects the credentials. */
  readonly isRejected: boolean
}

export interface ContactParts {
  readonly database: Pick<MirrorDatabase, 'query' | 'first'>
  readonly table: WorkTable
  readonly organisations: readonly string[]
  readonly logger: SafeLogger
  /** Makes the worker of this process claim due work now. */
  readonly wake: () => void
}

/** State of one organisation in this process. */
interface Known {
  isFailing: boolean
  /** Time of the next probe (failing), or of the next write of a success (not failing), by `performance.now()`. */
  nextAt: number
  /** `true` while this process has claimed the probe, and no call has reported its outcome yet. */
  isProbing: boolean
  /** Time of the last log line of this outage, by `performance.now()`; `undefined` if there is none. */
  loggedAt: number | undefined
}

/** Time for which a success is not written again, in milliseconds. */
const REFRESH_MS = 60_000

/** Time until this process looks for work to probe with again, in milliseconds. */
const LOOK_MS = 1_000

/** Time between two log lines of an outage, in milliseconds. */
const REMINDER_MS = 600_000

/** Shortest outage whose end also makes due the work that waits for its own next attempt, in milliseconds. */
const LONG_OUTAGE_MS = 10_000

/** A timer can fire early. A probe that is not due yet would then wait for the next poll. */
const TIMER_MS = 5

const REACHED = `
WITH old AS (SELECT failing_since FROM {schema}.contact WHERE organisation = $1)
INSERT INTO {schema}.contact AS contact (organisation, reached_at) VALUES ($1, now())
ON CONFLICT (organisation) DO UPDATE SET reached_at = now(), failing_since = NULL, is_rejected = false, failures = 0, probe_at = NULL
RETURNING (SELECT EXTRACT(EPOCH FROM now() - failing_since) * 1000 FROM old) AS "outageMs"`

// Pieces of work that fail together count as one failure: only the first one and each probe increase the pause.
const FAILED = `
INSERT INTO {schema}.contact AS contact (organisation, failing_since, failed_at, error, is_rejected, failures, probe_at)
VALUES ($1, now(), now(), $2, $3, 1, now() + interval '1 second')
ON CONFLICT (organisation) DO UPDATE SET failing_since = COALESCE(contact.failing_since, now()), failed_at = now(),
  error = EXCLUDED.error, is_rejected = EXCLUDED.is_rejected,
  failures = CASE WHEN contact.failing_since IS NULL THEN 1 WHEN $4 THEN contact.failures + 1 ELSE contact.failures END,
  probe_at = CASE WHEN contact.failing_since IS NULL THEN EXCLUDED.probe_at
    WHEN $4 THEN now() + LEAST(interval '30 seconds', interval '1 second' * 2 ^ LEAST(contact.failures, 5)) ELSE contact.probe_at END
RETURNING ${isoTime('failing_since')} AS since, EXTRACT(EPOCH FROM probe_at - now()) * 1000 AS "delayMs"`

const RELEASE = `
UPDATE {schema}.contact SET probe_at = now() WHERE organisation = ANY($1::text[]) AND failing_since IS NOT NULL`

const LOAD = `
SELECT organisation, EXTRACT(EPOCH FROM probe_at - now()) * 1000 AS "delayMs" FROM {schema}.contact
WHERE organisation = ANY($1::text[]) AND failing_since IS NOT NULL`

/**
 * Knows for each organisation whether the service was reached. During an outage, no process claims work that calls the
 * service, except one piece of work at a time: the probe. The pauses between probes are 1 s to 30 s. When a call
 * succeeds, all work is due again.
 */
export class ServiceContact {
  readonly #parts: ContactParts
  readonly #known = new Map<string, Known>()

  constructor(parts: ContactParts) {
    this.#parts = parts
  }

  /** Returns `true` when this process knows of an outage. */
  isFailing(organisation: string): boolean {
    return this.#of(organisation).isFailing
  }

  /** Reports a call that the service answered. Ends an outage. Writes other successes at most once a minute. */
  async reached(organisation: string): Promise<void> {
    const known = this.#of(organisation)
    known.isProbing = false
    if (!known.isFailing && performance.now() < known.nextAt) return
    const { database, table, logger, wake } = this.#parts
    const row = await database.first<{ outageMs: number | null }>(REACHED, [organisation])
    const outageMs = row?.outageMs ?? undefined
    known.isFailing = false
    known.nextAt = performance.now() + REFRESH_MS
    if (outageMs === undefined) return
    if (known.loggedAt !== undefined) {
      logger.warn(
        `mirror: the service is reached again for organisation ${organisation}, after ${Math.round(outageMs / 1_000)} s. All waiting work continues`,
      )
    }
    known.loggedAt = undefined
    if (outageMs >= LONG_OUTAGE_MS) await table.pullForward(organisation)
    wake()
  }

  /** Reports a call that failed because of an outage. Begins the outage, or plans the next probe. */
  async failed({ organisation, isProbe }: Claim, { error, isRejected }: Outage): Promise<void> {
    const { database, wake } = this.#parts
    const name = errorName(error)
    const row = await database.first<{ since: string; delayMs: number }>(FAILED, [
      organisation,
      name,
      isRejected,
      isProbe,
    ])
    const delayMs = Math.max(0, row?.delayMs ?? 0)
    const known = this.#of(organisation)
    Object.assign(known, { isFailing: true, isProbing: false, nextAt: performance.now() + delayMs })
    setTimeout(wake, delayMs + TIMER_MS).unref()
    this.#log(organisation, name, isRejected, new Date(row?.since ?? Date.now()))
  }

  /** Reads the outages that other processes have found. */
  async load(signal?: AbortSignal): Promise<void> {
    const { database, organisations } = this.#parts
    const { rows } = await database.query<{ organisation: string; delayMs: number }>(
      LOAD,
      [organisations],
      signal,
    )
    const failing = new Map(rows.map(({ organisation, delayMs }) => [organisation, delayMs]))
    for (const organisation of organisations) {
      const known = this.#of(organisation)
      const delayMs = failing.get(organisation)
      if (delayMs !== undefined) {
        Object.assign(known, { isFailing: true, nextAt: performance.now() + delayMs })
      } else if (known.isFailing) {
        Object.assign(known, { isFailing: false, isProbing: false, nextAt: 0, loggedAt: undefined })
      }
    }
  }

  /** Claims one piece of work of an organisation whose next probe is due; `undefined` if there is none. */
  async claimProbe(kinds: readonly string[], leaseMs: number): Promise<Claim | undefined> {
    for (const organisation of this.#parts.organisations) {
      const known = this.#of(organisation)
      if (!known.isFailing || known.nextAt > performance.now()) continue
      known.nextAt = performance.now() + LOOK_MS
      const claim = await this.#parts.table.claimProbe(organisation, kinds, leaseMs)
      if (claim === undefined) continue
      known.isProbing = true
      return claim
    }
    return undefined
  }

  /** Call this after a job. If the job was the probe, and called nothing, another piece of work becomes the probe. */
  async ended({ organisation, isProbe }: Claim): Promise<void> {
    const known = this.#of(organisation)
    if (!isProbe || !known.isProbing) return
    known.isProbing = false
    await this.probeNow([organisation])
  }

  /** Makes the next probe due now, for example because of a request of the user. */
  async probeNow(organisations: readonly string[]): Promise<void> {
    await this.#parts.database.query(RELEASE, [organisations])
    for (const organisation of organisations) {
      const known = this.#of(organisation)
      if (known.isFailing) known.nextAt = 0
    }
  }

  #of(organisation: string): Known {
    const known = this.#known.get(organisation) ?? {
      isFailing: false,
      nextAt: 0,
      isProbing: false,
      loggedAt: undefined,
    }
    this.#known.set(organisation, known)
    return known
  }

  /** Logs the start of an outage, and then a reminder every ten minutes. */
  #log(organisation: string, name: string, isRejected: boolean, since: Date): void {
    const known = this.#of(organisation)
    const now = performance.now()
    if (known.loggedAt !== undefined && now - known.loggedAt < REMINDER_MS) return
    known.loggedAt = now
    const problem = isRejected
      ? 'the service rejects the credentials of organisation'
      : 'the service cannot be reached for organisation'
    const advice = isRejected
      ? 'Check the client id and secret'
      : 'Check the network, the URL and the status of the service'
    this.#parts.logger.error(
      `mirror: ${problem} ${organisation} (${name}, since ${since.toISOString()}). The copy of this organisation is not updated, and events are kept. A call is tried at least every 30 s, and all work then continues by itself. ${advice}.`,
    )
  }
}
