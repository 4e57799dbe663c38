import { isPathologyError, PathologyError } from '../../common/errors.js'
import { errorName, LimitedLog } from '../../common/logger.js'
import { waitWithin } from '../../common/time-limit.js'
import type { Queryable } from '../../database/database.js'
import { sqlState } from '../../database/failures.js'
import { isoTime } from '../../database/values.js'
import { Batches } from '../core/batches.js'
import { MirrorJob } from '../core/job.js'
import { isDatabaseUnavailable, type MirrorTransaction, placeOf } from '../schema/mirror-database.js'
import { delayAfter, HANDLER_BACKOFF } from '../work/backoff.js'
import { type Claim, LeaseLostError } from '../work/work-table.js'
import { type Change, type ChangeRow, changeOf } from './change.js'
import { type Consumer, type HandlerContext, handlerOf } from './handlers.js'

/** Number of changes of a group that one query reads. */
const BATCH = 20

/** Time from the timeout of a handler until the server rolls back the handler's idle transaction. */
const IDLE_MARGIN_MS = 5_000

/** Maximum number of groups that one query reads. */
const GROUPS = 50

/** Reads the next changes of groups ($2) that were not delivered to a consumer ($1). */
const NEXT = `/* prepared */
SELECT wanted.place, next.* FROM json_to_recordset($2::json) AS wanted (place integer, organisation text, key text)
CROSS JOIN LATERAL (
  SELECT position, organisation, kind, uuid, group_key, action, source, recovered, status_before, status_after,
    ${isoTime('updated_at')} AS updated_at, body, ${isoTime('changed_at')} AS changed_at
  FROM {schema}.change
  WHERE change.organisation = wanted.organisation AND change.group_key = wanted.key AND change.position > COALESCE(
    (SELECT delivery.position FROM {schema}.delivery
      WHERE delivery.organisation = wanted.organisation AND delivery.consumer = $1 AND delivery.group_key = wanted.key),
    (SELECT consumer.from_position FROM {schema}.consumer
      WHERE consumer.organisation = wanted.organisation AND consumer.name = $1), 0)
  ORDER BY change.position LIMIT ${BATCH}
) AS next
ORDER BY wanted.place, next.position`

/**
 * Moves the position ($6) of a consumer ($5) in the group of a claim ($1 to $4) that holds its lease. Finishes the claim
 * if $7, the number of signals at its start, is given: deletes the work, or makes it due if there was another signal.
 */
const ADVANCE = `/* prepared */
WITH held AS (
  SELECT wanted = $7::bigint AS is_done FROM {schema}.work
  WHERE organisation = $1 AND kind = $2 AND key = $3 AND lease = $4::uuid FOR UPDATE
), done AS (
  DELETE FROM {schema}.work AS work USING held
  WHERE work.organisation = $1 AND work.kind = $2 AND work.key = $3 AND held.is_done
), again AS (
  UPDATE {schema}.work AS work SET attempts = 0, error = NULL, lease = CASE WHEN is_done IS NULL THEN lease END,
    run_at = CASE WHEN is_done IS NULL THEN run_at ELSE now() END,
    since = CASE WHEN is_done IS NULL THEN since ELSE now() END
  FROM held WHERE work.organisation = $1 AND work.kind = $2 AND work.key = $3 AND held.is_done IS NOT TRUE
)
INSERT INTO {schema}.delivery AS delivery (organisation, consumer, group_key, position)
SELECT $1, $5, $3, $6::bigint FROM held
ON CONFLICT (organisation, consumer, group_key) DO UPDATE SET position = EXCLUDED.position, delivered_at = now()
RETURNING 1`

/** Failure of a handler: the handler rejected or did not finish in time, or its statements prevented the commit. */
class HandlerFailure extends Error {
  override readonly name = 'HandlerFailure'
  readonly delivery: Delivery

  constructor(cause: unknown, delivery: Delivery) {
    super('the handler failed', { cause })
    this.delivery = delivery
  }
}

interface Delivery {
  readonly change: Change
  readonly handle: (context: HandlerContext) => unknown
  /** The change of the group before this one. It was delivered, or has no handler. */
  readonly before: Change | undefined
  readonly attempt: number
  /** `true` when the group has no later change. */
  readonly isLast: boolean
}

/** SQLSTATE of a statement after another one has failed in the same transaction. */
const FAILED_TRANSACTION = '25P02'

/**
 * Returns `true` when the handler's statements prevent the commit of the transaction:
 * - The handler has ignored the error of a statement.
 * - The handler's rows break a constraint that is checked at the commit.
 *
 * Such a failure counts as a failed attempt. Otherwise the change would be repeated for ever.
 */
function isHandlersFault(error: unknown): boolean {
  const state = sqlState(error)
  return state === FAILED_TRANSACTION || (state !== undefined && !isDatabaseUnavailable(error))
}

export interface DeliverOptions {
  readonly consumer: Consumer
  readonly handlerTimeoutMs: number
  /** Number of failed attempts for one change after which the delivery of its group is dead. */
  readonly handlerAttempts: number
}

/** Job that delivers the changes of one group to one consumer, in order, with one transaction for each change. */
export class DeliverJob extends MirrorJob<DeliverOptions> {
  /** Limits the log lines, because a defective handler fails for every change. */
  readonly #warnings = new LimitedLog((line) => this.context.logger.warn(line))
  /** Reads the next changes of groups whose delivery begins at the same time. */
  readonly #next = new Batches<Claim, readonly Change[]>({
    process: (claims) => this.#nextOf(claims),
    most: GROUPS,
    isOfOneItem: () => false,
  })

  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { database, table } = this.context
    let attempt = claim.attempts + 1
    for (;;) {
      const changes = (await this.#next.add(claim)) ?? []
      const isEnd = changes.length < BATCH
      const last = changes.at(-1)
      if (last === undefined) return database.transaction((tx) => table.finish(tx, claim), { signal })
      for (const [place, change] of changes.entries()) {
        const isLast = isEnd && change === last
        const handle = handlerOf(this.options.consumer.handlers, change)
        if (handle !== undefined) {
          await this.#deliver(claim, { change, handle, before: changes[place - 1], attempt, isLast }, signal)
        } else if (change === last) await this.#advance(database, claim, change, isLast)
        // Otherwise, the delivery of a later change moves the position past this one.
        attempt = 1
      }
      if (isEnd) return
    }
  }

  async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    const { database, table, logger } = this.context
    // Not counted as a failure of the handler: the worker stops, the lease is lost, or the database failed.
    if (!(error instanceof HandlerFailure) || signal.aborted) {
      await table.postpone(database, claim, { delayMs: 1_000, unlessWanted: false })
      return
    }
    const { change, before, attempt: failures } = error.delivery
    // The failed change is then the first undelivered one, which `mirror.dead` names and skips.
    if (before !== undefined) await this.#advance(database, claim, before, false)
    const dead = failures >= this.options.handlerAttempts
    const name = errorName(error.cause)
    const place = placeOf(error.cause)
    const { action, kind: record, uuid, position } = change
    const failed = `mirror: consumer ${this.options.consumer.name} failed for the change "${action}" of ${record} ${uuid} at position ${position} (${name}${place === undefined ? '' : ` ${place}`})`
    if (dead) {
      logger.error(
        `${failed}, ${failures} times. Later changes of its group ${claim.key} wait. Fix the handler, then retry or skip the change with mirror.dead`,
      )
    } else {
      this.#warnings.write(
        `${failed}, attempt ${failures} of ${this.options.handlerAttempts}. The transaction was rolled back, and the change is delivered again later`,
      )
    }
    const delayMs = delayAfter(HANDLER_BACKOFF, failures)
    await table.postpone(database, claim, { delayMs, unlessWanted: false, failed: true, dead, error: name })
  }

  async #nextOf(claims: readonly Claim[]): Promise<readonly (readonly Change[])[]> {
    const { database, point } = this.context
    const groups = claims.map(({ organisation, key }, place) => ({ place, organisation, key }))
    const values = [this.options.consumer.name, JSON.stringify(groups)]
    const { rows } = await database.query<ChangeRow & { readonly place: number }>(NEXT, values)
    await point('deliver:read')
    return claims.map((_, place) => rows.filter((row) => row.place === place).map(changeOf))
  }

  async #deliver(claim: Claim, delivery: Delivery, ended: AbortSignal): Promise<void> {
    const { database, point } = this.context
    const { handlerTimeoutMs } = this.options
    const timeout = new AbortController()
    let timer: NodeJS.Timeout | undefined
    let isHandled = false
    const signal = AbortSignal.any([ended, timeout.signal])
    const deliver = async (tx: MirrorTransaction): Promise<void> => {
      timer = setTimeout(() => timeout.abort(this.#timeoutError()), handlerTimeoutMs)
      await point('deliver:begun')
      await this.#handle(delivery, { tx: tx.plain, signal, attempt: delivery.attempt })
      isHandled = true
      clearTimeout(timer)
      await point('deliver:handled')
      await this.#advance(tx, claim, delivery.change, delivery.isLast)
      await point('deliver:advanced')
    }
    try {
      await database.transaction(deliver, { signal, idleTimeoutMs: handlerTimeoutMs + IDLE_MARGIN_MS })
    } catch (error) {
      throw isHandled && isHandlersFault(error) ? new HandlerFailure(error, delivery) : error
    } finally {
      clearTimeout(timer)
    }
    await point('deliver:committed')
  }

  async #handle(delivery: Delivery, context: HandlerContext): Promise<void> {
    try {
      await waitWithin(Promise.resolve(context).then(delivery.handle), { signal: context.signal })
    } catch (error) {
      // A lost connection does not count as a failure of the handler.
      if (isPathologyError(error, 'DATABASE_UNAVAILABLE')) throw error
      throw new HandlerFailure(error, delivery)
    }
  }

  /** Stores the position. Throws if the claim no longer holds its lease, so that the transaction is rolled back. */
  async #advance(tx: Queryable, claim: Claim, { position }: Change, isLast: boolean): Promise<void> {
    const { organisation, kind, key, lease, wanted } = claim
    const values = [organisation, kind, key, lease, this.options.consumer.name, String(position)]
    const { rows } = await tx.query(ADVANCE, [...values, isLast ? String(wanted) : null])
    if (rows.length === 0) throw new LeaseLostError()
  }

  #timeoutError(): PathologyError {
    const { handlerTimeoutMs } = this.options
    const hint =
      this.context.database.database.kind === 'pglite'
        ? ' PGlite has one connection, which the handler holds: use only tx for statements on this database, or use a Postgres server.'
        : ' Do less in the handler, or increase handlerTimeout.'
    return new PathologyError(
      `The handler did not finish within ${handlerTimeoutMs} ms. Its transaction was rolled back, and the change is delivered again, up to the option attempts.${hint}`,
      { code: 'HANDLER_TIMEOUT' },
    )
  }
}
