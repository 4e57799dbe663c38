import { isPathologyError, type PathologyError } from '../../common/errors.js'
import { errorName } from '../../common/logger.js'
import { CREDENTIAL_ERROR_CODES } from '../../contract/error-codes.js'
import type { MirrorContext } from '../core/context.js'
import { MirrorJob } from '../core/job.js'
import { isDatabaseUnavailable } from '../schema/mirror-database.js'
import { delayAfter, FETCH_BACKOFF } from '../work/backoff.js'
import { RECENT_SWEEP, SWEEP } from '../work/kinds.js'
import { type Claim, LeaseLostError, type Postponement } from '../work/work-table.js'

/** Effect of a failed read on its work. */
export type FetchFailure =
  /** The work gets another attempt after a delay. Too many such failures make the work dead. */
  | { readonly kind: 'retry' }
  /**
   * The rate limit of the organisation applies. The work gets another attempt later, and the failure does not count.
   */
  | { readonly kind: 'rate-limit'; readonly delayMs: number }
  /** Outage: the credentials are rejected. The failure does not count. */
  | { readonly kind: 'rejected' }
  /** Outage: the request was not sent, or the token service failed. The failure does not count. */
  | { readonly kind: 'outage' }
  /** An outage, or a problem of this record only. The failure does not count during an outage. */
  | { readonly kind: 'unclear' }
  /**
   * The worker stops, the lease is lost, or the database failed. The work is due again soon, and the failure does not
   * count.
   */
  | { readonly kind: 'interrupted' }

/** Delay after a 429 without `retryAfter`, in milliseconds. */
const RATE_LIMIT_MS = 5_000

/** Kinds of the work that reads one record or one PDF. */
const RECORD_WORK = /^(document:)?(referral|result)$/

/** Errors that an outage causes, and that a single record can cause too. */
const UNCLEAR: ReadonlySet<string> = new Set(['ServerError', 'TimeoutError', 'ConnectionError'])

/** Classifies the error of a read, or of the transaction that stores the record. */
export function classifyFailure(error: unknown, signal: AbortSignal): FetchFailure {
  if (signal.aborted || error instanceof LeaseLostError) return { kind: 'interrupted' }
  if (isDatabaseUnavailable(error)) return { kind: 'interrupted' }
  if (!isPathologyError(error)) return { kind: 'retry' }
  switch (error.name) {
    case 'AuthenticationError':
    case 'PermissionError':
      return { kind: 'rejected' }
    case 'TokenError':
      if (CREDENTIAL_ERROR_CODES.has(error.code ?? '')) return { kind: 'rejected' }
      return Reflect.get(error, 'status') === 429 ? rateLimit(error) : { kind: 'outage' }
    case 'RateLimitError':
      return rateLimit(error)
    default:
      return isUnclear(error) ? { kind: isUnsent(error) ? 'outage' : 'unclear' } : { kind: 'retry' }
  }
}

/**
 * Classifies the error of a read of one record or one directory. A 403 for it does not mean that credentials are
 * rejected.
 */
export function classifyRecordFailure(error: unknown, signal: AbortSignal): FetchFailure {
  const failure = classifyFailure(error, signal)
  return isPathologyError(error) && error.name === 'PermissionError' && failure.kind === 'rejected'
    ? { kind: 'retry' }
    : failure
}

/** A page in HTML instead of JSON comes from a server in front of the service. */
function isUnclear(error: PathologyError): boolean {
  return UNCLEAR.has(error.name) || error.code === 'RESPONSE_NOT_JSON'
}

function isUnsent(error: PathologyError): boolean {
  return error.name === 'ConnectionError' && Reflect.get(error, 'outcome') === 'not-sent'
}

function rateLimit(error: Error): FetchFailure {
  const retryAfter: unknown = Reflect.get(error, 'retryAfter')
  return { kind: 'rate-limit', delayMs: typeof retryAfter === 'number' ? retryAfter : RATE_LIMIT_MS }
}

/** Job that reads one record or directory. */
export abstract class ReadJob<Options> extends MirrorJob<Options> {
  async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    await recordFailure(this.context, claim, error, classifyRecordFailure(error, signal))
  }
}

/**
 * Records the failure of a read, and makes the work due again. If the read has failed too often, makes the work dead
 * and logs an error.
 *
 * @returns `true` when the work is dead now.
 */
export async function recordFailure(
  context: MirrorContext,
  claim: Claim,
  error: unknown,
  failure: FetchFailure,
): Promise<boolean> {
  const attempts = context.fetchAttempts
  const isOutage = await reportFailure(context, claim, error, failure)
  const postponement = isOutage
    ? { delayMs: 0, error: errorName(error) }
    : postponementOf(claim, error, failure, attempts)
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

/**
 * Reports to the contact whether the failed call reached the service.
 *
 * @returns `true` when the failure is part of an outage, and does not count.
 */
async function reportFailure(
  { contact, database, table }: MirrorContext,
  claim: Claim,
  error: unknown,
  { kind }: FetchFailure,
): Promise<boolean> {
  const { organisation, attempts, isProbe } = claim
  switch (kind) {
    case 'rejected':
    case 'outage':
      await contact.failed(claim, { error, isRejected: kind === 'rejected' })
      return true
    case 'unclear': {
      const wasFailing = isProbe || contact.isFailing(organisation)
      if (wasFailing || claim.kind === SWEEP) await contact.failed(claim, { error, isRejected: false })
      // One record failed twice. The sweep reads lists, and so finds out whether the service has an outage.
      else if (attempts === 1)
        await table.want(database, [{ organisation, source: 'sweep', ...RECENT_SWEEP }])
      return wasFailing
    }
    case 'rate-limit':
      await contact.reached(organisation)
      return false
    case 'retry':
      if (isPathologyError(error) && typeof Reflect.get(error, 'status') === 'number')
        await contact.reached(organisation)
      return false
    case 'interrupted':
      return false
  }
}

function postponementOf(claim: Claim, error: unknown, failure: FetchFailure, attempts: number): Postponement {
  if (failure.kind === 'interrupted') return { delayMs: 1_000 }
  const name = errorName(error)
  if (failure.kind === 'rate-limit') return { delayMs: failure.delayMs, unlessWanted: false, error: name }
  const failures = claim.attempts + 1
  const delayMs = delayAfter(FETCH_BACKOFF, failures)
  return { delayMs, failed: true, dead: failures >= attempts, error: name }
}
