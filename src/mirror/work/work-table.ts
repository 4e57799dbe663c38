import type { Queryable } from '../../database/database.js'
import type { MirrorDatabase } from '../schema/mirror-database.js'
import { CLAIM, CLAIM_PROBE } from './claims.js'

/** Cause of a piece of work or a change: a webhook event, a sweep, a backfill, or a call of a method. */
export type Source = 'webhook' | 'sweep' | 'backfill' | 'manual'

export interface WorkKey {
  readonly organisation: string
  /** Kind of work, such as `referral` for reading a referral again, or `deliver:default` for a consumer's changes. */
  readonly kind: string
  /** Key of the work, such as the UUID of a record or a group, or the name of a sweep. */
  readonly key: string
}

/** A signal that a piece of work must be done. Several signals for one key are combined. */
export interface Want extends WorkKey {
  readonly source: Source
  /** Milliseconds until the work is due. */
  readonly delayMs?: number | undefined
  /** `updatedAt` of the record according to an event, ISO 8601. */
  readonly promisedAt?: string | null | undefined
  /** Name of the sweep or backfill whose report counts the work. */
  readonly iteration?: string | undefined
}

/** A piece of work that this process has claimed. */
export interface Claim extends WorkKey {
  /** Token of the lease. After the work was claimed again, statements with an earlier token match no row. */
  readonly lease: string
  /** Number of signals at the time of the claim. */
  readonly wanted: number
  /** Number of failed attempts since the last success. */
  readonly attempts: number
  /** Number of repeated reads because the service returned an old state. */
  readonly rereads: number
  readonly source: Source
  /** `updatedAt` of the record according to an event, ISO 8601. */
  readonly promisedAt: string | null
  /** Name of the sweep or backfill that requested the work; `null` if there is none. */
  readonly iteration: string | null
  /** `true` when the oldest signal that is not processed yet is less than a minute old. */
  readonly isRecent: boolean
  /** Time of the claim by the database's clock, with microseconds. */
  readonly claimedAt: string
  /** `true` for the only piece of work that may call the service during an outage. */
  readonly isProbe: boolean
}

/**
 * Stores signals for work other than deliveries, in the order of its keys so that two statements cannot block each other.
 * A signal makes the work due after the signal's delay at the latest. It revives dead work, and then forgets the earlier
 * attempts. It does not change `run_at` of leased work: `wanted` makes that work due again when it is finished.
 */
const WANT = `
INSERT INTO {schema}.work AS work (organisation, kind, key, source, run_at, promised_at, iteration)
SELECT organisation, kind, key, source, now() + COALESCE("delayMs", 0) * interval '1 millisecond', "promisedAt", iteration
FROM json_to_recordset($1::json) AS wanted (organisation text, kind text, key text, source text,
  "delayMs" double precision, "promisedAt" timestamptz, iteration text)
ORDER BY organisation, kind, key
ON CONFLICT (organisation, kind, key) DO UPDATE SET
  wanted = work.wanted + 1,
  run_at = CASE WHEN work.lease IS NULL THEN LEAST(work.run_at, EXCLUDED.run_at) ELSE work.run_at END,
  since = CASE WHEN work.dead THEN EXCLUDED.since ELSE work.since END,
  attempts = CASE WHEN work.dead THEN 0 ELSE work.attempts END,
  error = CASE WHEN work.dead THEN NULL ELSE work.error END,
  rereads = CASE WHEN EXCLUDED.promised_at IS NULL AND NOT work.dead THEN work.rereads ELSE 0 END,
  dead = false,
  source = CASE WHEN EXCLUDED.source = 'webhook' THEN EXCLUDED.source ELSE work.source END,
  iteration = COALESCE(EXCLUDED.iteration, work.iteration),
  promised_at = GREATEST(work.promised_at, EXCLUDED.promised_at)`

// Locks the rows in the order of their keys like `want`, because two statements could otherwise wait for each other.
const RENEW = `
WITH held AS (
  SELECT organisation, kind, key FROM {schema}.work WHERE lease = ANY($1::uuid[]) ORDER BY 1, 2, 3 FOR UPDATE
)
UPDATE {schema}.work AS work SET run_at = now() + $2::double precision * interval '1 millisecond' FROM held
WHERE work.organisation = held.organisation AND work.kind = held.kind AND work.key = held.key RETURNING lease`

/**
 * Finishes claims, and returns the number of those that still hold their lease. Deletes the work, or makes it due again if
 * a signal has arrived since the claim. This is one statement, because a signal between two could be lost. It locks the
 * rows first, in the order of their keys, and so sees each signal that was committed before.
 */
const FINISH = `
WITH claim AS (
  SELECT * FROM json_to_recordset($1::json) AS claim (organisation text, kind text, key text, lease uuid, wanted bigint)
), held AS (
  SELECT work.organisation, work.kind, work.key, work.wanted = claim.wanted AS is_done
  FROM claim JOIN {schema}.work AS work ON work.organisation = claim.organisation AND work.kind = claim.kind
    AND work.key = claim.key AND work.lease = claim.lease
  ORDER BY 1, 2, 3 FOR UPDATE OF work
), done AS (
  DELETE FROM {schema}.work AS work USING held
  WHERE work.organisation = held.organisation AND work.kind = held.kind AND work.key = held.key AND held.is_done
), again AS (
  UPDATE {schema}.work AS work
  SET lease = NULL, run_at = now(), since = now(), attempts = 0, rereads = 0, error = NULL
  FROM held
  WHERE work.organisation = held.organisation AND work.kind = held.kind AND work.key = held.key AND NOT held.is_done
)
SELECT count(*) AS held FROM held`

const POSTPONE = `
UPDATE {schema}.work
SET lease = NULL, run_at = CASE WHEN wanted = $5::bigint OR NOT $9 THEN now() + $6::double precision * interval '1 millisecond' ELSE now() END,
  attempts = CASE WHEN $11 AND $9 AND wanted <> $5::bigint THEN 0 ELSE attempts + $7::integer END,
  rereads = rereads + $8::integer, error = $10, dead = $11 AND (wanted = $5::bigint OR NOT $9)
WHERE organisation = $1 AND kind = $2 AND key = $3 AND lease = $4::uuid
RETURNING dead`

// Skips rows that another process has locked, because two statements could otherwise wait for each other.
const PULL_FORWARD = `
UPDATE {schema}.work AS work SET run_at = now()
FROM (
  SELECT organisation, kind, key FROM {schema}.work
  WHERE organisation = $1 AND kind NOT LIKE 'deliver:%' AND NOT dead AND lease IS NULL AND attempts > 0 AND run_at > now()
    AND error ~ '^(ConnectionError|TimeoutError|ServerError|TokenError|InvalidResponseError)'
  FOR UPDATE SKIP LOCKED
) AS waiting
WHERE work.organisation = waiting.organisation AND work.kind = waiting.kind AND work.key = waiting.key`

/** A kind of work that can be claimed. */
export interface Slot {
  readonly kind: string
  /** Kinds of one lane share their places. */
  readonly lane: string
  /** Number of free places of the lane. */
  readonly free: number
}

/** Parameters for returning a claim to the table without finishing it. */
export interface Postponement {
  readonly delayMs: number
  /** Counts the claim as a failed attempt. */
  readonly failed?: boolean | undefined
  /** Counts the claim as a repeated read. */
  readonly reread?: boolean | undefined
  /**
   * `true`: the work is due at once, without the delay and not dead, if a new signal has arrived since the claim.
   * @defaultValue `true`
   */
  readonly unlessWanted?: boolean | undefined
  /** Name and code of an error. */
  readonly error?: string | undefined
  /**
   * `true`: no attempt follows until a manual retry. Unless the work is a delivery, a new signal also makes the work
   * due again.
   */
  readonly dead?: boolean | undefined
}

/** A worker has lost its lease: the work was claimed again, released or deleted. The transaction is rolled back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/** The table of all work. All times are by the database's clock. */
export class WorkTable {
  readonly #database: Pick<MirrorDatabase, 'query'>

  /** @param database - Runs statements outside a transaction. */
  constructor(database: Pick<MirrorDatabase, 'query'>) {
    this.#database = database
  }

  /** Stores signals, in the order of their keys so that two statements cannot block each other. */
  async want(tx: Queryable, wants: readonly Want[]): Promise<void> {
    if (wants.length === 0) return
    // One statement must not change a row twice.
    const unique = new Map(wants.map((want) => [`${want.organisation} ${want.kind} ${want.key}`, want]))
    await tx.query(WANT, [JSON.stringify([...unique.values()])])
  }

  /** Claims due work. During an outage of the service, claims only work that does not call the service. */
  async claim(
    organisations: readonly string[],
    slots: readonly Slot[],
    leaseMs: number,
    signal?: AbortSignal,
  ): Promise<readonly Claim[]> {
    const columns = [
      slots.map(({ kind }) => kind),
      slots.map(({ lane }) => lane),
      slots.map(({ free }) => free),
    ]
    return (await this.#database.query<Claim>(CLAIM, [...columns, leaseMs, organisations], signal)).rows
  }

  /** Claims the probe of an organisation: one piece of due work during an outage. */
  async claimProbe(
    organisation: string,
    kinds: readonly string[],
    leaseMs: number,
  ): Promise<Claim | undefined> {
    return (await this.#database.query<Claim>(CLAIM_PROBE, [kinds, leaseMs, organisation])).rows[0]
  }

  /** Extends leases. Returns the leases that are still held. */
  async renew(leases: readonly string[], leaseMs: number): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ lease: string }>(RENEW, [leases, leaseMs])
    return rows.map(({ lease }) => lease)
  }

  /**
   * Finishes claims. Deletes their work, or makes the work due again if a signal has arrived since the claim.
   *
   * @throws {@link LeaseLostError} if a claim no longer holds its lease.
   */
  async finish(tx: Queryable, ...claims: readonly Claim[]): Promise<void> {
    const [found] = (await tx.query<{ held: number }>(FINISH, [JSON.stringify(claims)])).rows
    if (found?.held !== claims.length) throw new LeaseLostError()
  }

  /**
   * Returns a claim to the table without finishing it, and makes the work due later.
   *
   * @returns `true` when the work is dead now.
   * @throws {@link LeaseLostError} if the claim no longer holds its lease.
   */
  async postpone(tx: Queryable, claim: Claim, how: Postponement): Promise<boolean> {
    const { organisation, kind, key, lease, wanted } = claim
    const { delayMs, failed = false, reread = false, unlessWanted = true, error = null, dead = false } = how
    const claimed = [organisation, kind, key, lease, String(wanted)]
    const values = [...claimed, delayMs, Number(failed), Number(reread), unlessWanted, error, dead]
    const [row] = (await tx.query<{ dead: boolean }>(POSTPONE, values)).rows
    if (row === undefined) throw new LeaseLostError()
    return row.dead
  }

  /** Makes due the work that failed because of an outage. Call `pullForward` when the service responds again. */
  async pullForward(organisation: string): Promise<void> {
    await this.#database.query(PULL_FORWARD, [organisation])
  }

  /** Releases all leases. Only for a database that no other process can open. */
  async releaseAll(): Promise<void> {
    await this.#database.query(
      'UPDATE {schema}.work SET lease = NULL, run_at = now() WHERE lease IS NOT NULL',
    )
  }
}
