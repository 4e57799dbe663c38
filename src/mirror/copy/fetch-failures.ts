import { isPathologyError } from '../../common/errors.js'
import { errorName } from '../../common/logger.js'
import type { MirrorContext } from '../core/context.js'
import { isDatabaseUnavailable } from '../schema/mirror-database.js'
import { delayAfter, FETCH_BACKOFF } from '../work/backoff.js'
import { type Claim, LeaseLostError, type Postponement } from '../work/work-table.js'

/** Effect of a failed read on its work. */
export type FetchFailure =
  /** The work gets another attempt after a delay. Too many such failures make the work dead. */
  | { readonly kind: 'retry' }
  /**
   * The rate limit of the organisation applies. The work gets another attempt later, and the failure does not count.
   */
  | { readonly kind: 'rate-limit'; readonly delayMs: number }
  /** The credentials are rejected: the organisation is paused. */
  | { readonly kind: 'rejected' }
  /**
   * The worker stops, the lease is lost, or the database failed. The work is due again soon, and the failure does not
   * count.
   */
  | { readonly kind: 'interrupted' }

/** Delay after a 429 without `retryAfter`, in milliseconds. */
const RATE_LIMIT_MS = 5_000

/** Kinds of the work that reads one record or one PDF. */
const RECORD_WORK = /^(document:)?(referral|result)$/

/** Statuses of the token service that mean rejected credentials. */
const TOKEN_REJECTED: ReadonlySet<unknown> = new Set([400, 401, 403])

/** Classifies the error of a read, or of the transaction that stores the record. */
export function classifyFailure(error: unknown, signal: AbortSignal): FetchFailure {
  if (signal.aborted || error instanceof LeaseLostError) return { kind: 'interrupted' }
  if (isDatabaseUnavailable(error)) return { kind: 'interrupted' }
  if (!isPathologyError(error)) return { kind: 'retry' }
  const status: unknown = Reflect.get(error, 'status')
  switch (error.name) {
    case 'AuthenticationError':
    case 'PermissionError':
      return { kind: 'rejected' }
    case 'TokenError':
      if (TOKEN_REJECTED.has(status) || isRejectedWith200(error)) return { kind: 'rejected' }
      return status === 429 ? rateLimit(error) : { kind: 'retry' }
    case 'RateLimitError':
      return rateLimit(error)
    default:
      return { kind: 'retry' }
  }
}

/** Classifies the error of a read of one record. A 403 for one record does not mean that credentials are rejected. */
export function classifyRecordFailure(error: unknown, signal: AbortSignal): FetchFailure {
  const failure = classifyFailure(error, signal)
  return isPathologyError(error) && error.name === 'PermissionError' ? withoutPause(failure) : failure
}

/** Replaces the failure `rejected`, which pauses the organisation, by `retry`. */
export function withoutPause(failure: FetchFailure): FetchFailure {
  return failure.kind === 'rejected' ? { kind: 'retry' } : failure
}

/** Returns `true` when the token service rejects the credentials with status 200 and an error in the body. */
function isRejectedWith200(error: Error): boolean {
  return Reflect.get(error, 'status') === 200 && Reflect.get(error, 'outcome') === 'refused'
}

function rateLimit(error: Error): FetchFailure {
  const retryAfter: unknown = Reflect.get(error, 'retryAfter')
  return { kind: 'rate-limit', delayMs: typeof retryAfter === 'number' ? retryAfter : RATE_LIMIT_MS }
}

/**
 * Records the failure of a read: pauses the organisation if its credentials are rejected, and makes the work due again.
 * If the read has failed too often, makes the work dead and logs an error.
 *
 * @param attempts - Number of failed attempts after which the work is dead.
 * @returns `true` when the work is dead now.
 */
export async function recordFailure(
  context: MirrorContext,
  claim: Claim,
  error: unknown,
  failure: FetchFailure,
  attempts: number,
): Promise<boolean> {
  if (failure.kind === 'rejected') await pauseOrganisation(context, claim.organisation, error)
  const postponement = postponementOf(claim, error, failure, attempts)
  const isDead = await context.table.postpone(context.database, claim, postponement)
  if (isDead) {
    // An outage can make thousands of reads of single records dead, so their log lines are limited. Sweeps and reads of
    // directories are few.
    const text = `mirror: ${claim.kind} ${claim.key} of organisation ${claim.organisation} failed ${attempts} times (${errorName(error)}). The copy can be out of date. Call mirror.dead.retry() when the cause is fixed`
    if (RECORD_WORK.test(claim.kind)) context.failedWork.write(text)
    else context.logger.error(text)
  }
  return isDead
}

function postponementOf(claim: Claim, error: unknown, failure: FetchFailure, attempts: number): Postponement {
  switch (failure.kind) {
    case 'rejected':
      return { delayMs: 0 }
    case 'rate-limit':
      return { delayMs: failure.delayMs, unlessWanted: false, error: errorName(error) }
    case 'interrupted':
      return { delayMs: 1_000 }
    case 'retry': {
      const failures = claim.attempts + 1
      return {
        delayMs: delayAfter(FETCH_BACKOFF, failures),
        failed: true,
        dead: failures >= attempts,
        error: errorName(error),
      }
    }
  }
}

const PAUSE = `
INSERT INTO {schema}.pause AS pause (organisation, until, error) VALUES ($1, now() + interval '1 minute', $2)
ON CONFLICT (organisation) DO UPDATE SET
  until = now() + LEAST(interval '15 minutes', interval '1 minute' * 2 ^ LEAST(pause.times, 4)),
  times = pause.times + 1, error = EXCLUDED.error
WHERE pause.until <= now()
RETURNING times`

/**
 * Pauses the work of an organisation whose credentials the service rejects, except its deliveries. Logs an error for
 * the first pause.
 */
export async function pauseOrganisation(
  { database, logger }: MirrorContext,
  organisation: string,
  error: unknown,
): Promise<void> {
  const row = await database.first<{ times: number }>(PAUSE, [organisation, errorName(error)])
  if (row?.times !== 1) return
  logger.error(
    `mirror: the service rejects the credentials of organisation ${organisation} (${errorName(error)}). The copy of this organisation is not updated until its credentials work; events are kept. Check the client id and secret.`,
  )
}

/** Ends the pause after a successful read. */
export async function endPause({ database, logger }: MirrorContext, organisation: string): Promise<void> {
  const { rowCount } = await database.query('DELETE FROM {schema}.pause WHERE organisation = $1', [
    organisation,
  ])
  if (rowCount > 0) logger.warn(`mirror: the credentials of organisation ${organisation} work again`)
}
