import type { Queryable } from '../../database/database.js'
import type { MirrorDatabase } from '../schema/mirror-database.js'
import { CLAIM, CLAIM_OTHERS, CLAIM_PROBE, DELIVER, isDelivery } from './claims.js'

/** Cause of a piece of work or a change: a webhook event, a sweep, a backfill, or a call of a method. */
export type Source = 'webhook' | 'sweep' | 'backfill' | 'manual'

/** The primary key of a row of work. */
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
 * Conflict rule of statements that store signals. A signal makes work due after the signal's delay at the latest, even
 * if the work is dead. A signal to deliver changes does not shorten a back-off, and does not revive a dead delivery. A
 * failing handler would otherwise run again with every change. No signal changes `run_at` of leased work.
 */
export const WANT_AGAIN = `
ON CONFLICT (organisation, kind, key) DO UPDATE SET
  wanted = work.wanted + 1,
  run_at = CASE
    WHEN work.lease IS NOT NULL THEN work.run_at
    WHEN work.kind LIKE '${DELIVER}%' AND (work.dead OR work.attempts > 0) THEN work.run_at
    ELSE LEAST(work.run_at, EXCLUDED.run_at) END,
  since = CASE WHEN work.dead AND work.kind NOT LIKE '${DELIVER}%' THEN EXCLUDED.since ELSE work.since END,
  attempts = CASE WHEN work.dead AND work.kind NOT LIKE '${DELIVER}%' THEN 0 ELSE work.attempts END,
  error = CASE WHEN work.dead AND work.kind NOT LIKE '${DELIVER}%' THEN NULL ELSE work.error END,
  rereads = CASE WHEN EXCLUDED.promised_at IS NULL AND NOT work.dead THEN work.rereads ELSE 0 END,
  dead = work.dead AND work.kind LIKE '${DELIVER}%',
  source = CASE WHEN EXCLUDED.source = 'webhook' THEN EXCLUDED.source ELSE work.source END,
  iteration = COALESCE(EXCLUDED.iteration, work.iteration),
  promised_at = GREATEST(work.promised_at, EXCLUDED.promised_at)`

const WANT = `
INSERT INTO {schema}.work AS work (organisation, kind, key, source, run_at, promised_at, iteration)
SELECT organisation, kind, key, source, now() + delay_ms * interval '1 millisecond', promised_at::timestamptz, iteration
FROM json_to_recordset($1::json) AS wanted (
  organisation text, kind text, key text, source text, delay_ms double precision, promised_at text, iteration text)
ORDER BY organisation, kind, key
${WANT_AGAIN}`

// Locks the rows in the order of their keys like `want`, because two statements could otherwise wait for each other.
const RENEW = `
WITH held AS (
  SELECT organisation, kind, key FROM {schema}.work WHERE lease = ANY($1::uuid[]) ORDER BY 1, 2, 3 FOR UPDATE
)
UPDATE {schema}.work AS work SET run_at = now() + $2::double precision * interval '1 millisecond' FROM held
WHERE work.organisation = held.organisation AND work.kind = held.kind AND work.key = held.key RETURNING lease`

/**
 * Common table expressions that finish a claim. `$1` to `$5` are the {@link finishValues}. `held` has one row if the
 * claim still holds its lease. One statement deletes the row or makes it due again: with two statements, a signal
 * between them could be lost. The statement locks the row first. It then sees each signal that was committed before the
 * lock.
 */
export const FINISH = `
held AS (
  SELECT wanted FROM {schema}.work
  WHERE organisation = $1 AND kind = $2 AND key = $3 AND lease = $4::uuid FOR UPDATE
), done AS (
  DELETE FROM {schema}.work AS work USING held
  WHERE work.organisation = $1 AND work.kind = $2 AND work.key = $3 AND held.wanted = $5::bigint
), again AS (
  UPDATE {schema}.work AS work
  SET lease = NULL, run_at = now(), since = now(), attempts = 0, rereads = 0, error = NULL
  FROM held
  WHERE work.organisation = $1 AND work.kind = $2 AND work.key = $3 AND held.wanted <> $5::bigint
)`

/** Values of {@link FINISH}. */
export function finishValues({ organisation, kind, key, lease, wanted }: Claim): readonly string[] {
  return [organisation, kind, key, lease, String(wanted)]
}

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
  WHERE organisation = $1 AND kind NOT LIKE '${DELIVER}%' AND NOT dead AND lease IS NULL AND attempts > 0 AND run_at > now()
    AND error ~ '^(ConnectionError|TimeoutError|ServerError|TokenError|InvalidResponseError)'
  FOR UPDATE SKIP LOCKED
) AS waiting
WHERE work.organisation = waiting.organisation AND work.kind = waiting.kind AND work.key = waiting.key`

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
    const rows = wants.map(
      ({ organisation, kind, key, source, delayMs = 0, promisedAt = null, iteration }) => ({
        organisation,
        kind,
        key,
        source,
        iteration,
        delay_ms: delayMs,
        promised_at: promisedAt,
      }),
    )
    await tx.query(WANT, [JSON.stringify(uniqueKeys(rows))])
  }

  /** Claims due work. During an outage of the service, claims only work that does not call the service. */
  async claim(
    organisations: readonly string[],
    kinds: readonly string[],
    how: { readonly limit: number; readonly leaseMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly Claim[]> {
    const values = [kinds, how.limit, how.leaseMs, organisations]
    const text = kinds.some(isDelivery) ? CLAIM : CLAIM_OTHERS
    return (await this.#database.query<Claim>(text, values, how.signal)).rows
  }

  /** Claims the probe of an organisation: one piece of due work during an outage. */
  async claimProbe(
    organisation: string,
    kinds: readonly string[],
    leaseMs: number,
  ): Promise<Claim | undefined> {
    return (await this.#database.query<Claim>(CLAIM_PROBE, [kinds, 1, leaseMs, [organisation]])).rows[0]
  }

  /** Extends leases. Returns the leases that are still held. */
  async renew(leases: readonly string[], leaseMs: number): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ lease: string }>(RENEW, [leases, leaseMs])
    return rows.map(({ lease }) => lease)
  }

  /**
   * Finishes a claim. Deletes the work, or makes the work due again if a signal has arrived since the claim.
   *
   * @throws {@link LeaseLostError} if the claim no longer holds its lease.
   */
  async finish(tx: Queryable, claim: Claim): Promise<void> {
    const { rows } = await tx.query(`WITH ${FINISH} SELECT 1 FROM held`, finishValues(claim))
    if (rows.length === 0) throw new LeaseLostError()
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
    const counts = [failed ? 1 : 0, reread ? 1 : 0]
    const values = [
      organisation,
      kind,
      key,
      lease,
      String(wanted),
      delayMs,
      ...counts,
      unlessWanted,
      error,
      dead,
    ]
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

/** Removes duplicate keys, because one statement must not change a row twice. */
function uniqueKeys<Row extends WorkKey & { readonly promised_at: string | null }>(
  rows: readonly Row[],
): readonly Row[] {
  const unique = new Map<string, Row>()
  for (const row of rows) unique.set(JSON.stringify([row.organisation, row.kind, row.key]), row)
  return [...unique.values()]
}
