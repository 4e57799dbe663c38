import { isPathologyError, type PathologyError, type PathologyErrorName } from '../common/errors.js'
import { isKnownErrorCode } from '../contract/error-codes.js'

/** What a job queue does with a failed job: see {@link queueDecision}. */
export interface QueueDecision {
  /**
   * - `retry`: the queue runs the job again after `delayMs`, with the same order key.
   * - `park`: a person must look. The same job can succeed afterwards, so keep it.
   * - `drop`: the job itself is wrong, and would fail again. Report it to the program that made it.
   */
  readonly action: 'retry' | 'park' | 'drop'
  /** Time until the job runs again, in milliseconds; 0 unless the action is `retry`. */
  readonly delayMs: number
}

/** Delay of an error without `retryAfter`. */
const RETRY_MS = 60_000

/** Errors of the job itself: it would fail again. After any other error that is not `retryable`, a person must look. */
const OF_THE_JOB: ReadonlySet<PathologyErrorName> = new Set([
  'InvalidRequestError',
  'ApiError',
  'BadRequestError',
  'NotFoundError',
  'ConflictError',
  'WebhookVerificationError',
])

/** Codes that a person can clear without a change of the job, such as by storing a signature or a secret. */
const PARKED_CODES: ReadonlySet<string | undefined> = new Set([
  'ORDER_KEY_IN_USE',
  'INVALID_PROVIDER_NUMBER',
  'PROVIDER_NOT_FOUND',
  'MISSING_PROVIDER_SIGNATURE',
  'MISSING_SIGNATURE',
  'PROVIDER_HAS_ACTIVE_ROUTING',
  'UNKNOWN_VENDOR',
  'WEBHOOK_SECRET_MISSING',
  'WEBHOOK_SECRET_WHITESPACE',
  'WEBHOOK_BODY_NOT_RAW',
  'WEBHOOK_CRYPTO_UNAVAILABLE',
])

/** Errors of a mistake in a program. A TypeError with a cause is a failed `fetch`. */
const MISTAKES: ReadonlySet<unknown> = new Set(['RangeError', 'ReferenceError', 'SyntaxError', 'TypeError'])

/**
 * Decides what a job queue does with a job that failed. Each run of the job must pass the same `orderKey`, and the
 * workers' clients must share an order ledger. Limit the number of runs, and park the job after the last run.
 *
 * - `retry`: the error is `retryable`. `delayMs` is its `retryAfter`, or a minute.
 * - `park`: the outcome is unknown, the credentials or the configuration are rejected, the key belongs to another order
 * (`ORDER_KEY_IN_USE`), the response cannot be read, or the refusal does not have a code of the service.
 * - `drop`: the request is invalid, the record does not exist, or the webhook event is not valid.
 * - Any other error: `park` for a mistake in the program, such as a `TypeError`; otherwise `retry` after a minute, because
 * it may come from your database, or from an aborted call.
 *
 * @param error - What the job has thrown. Any value.
 */
export function queueDecision(error: unknown): QueueDecision {
  if (!isPathologyError(error)) return isMistake(error) ? stop('park') : retry(RETRY_MS)
  if (error.retryable) return retry(error.retryAfter ?? RETRY_MS)
  const isWrong = OF_THE_JOB.has(error.name) && !mayBeChanged(error) && !isForPerson(error)
  return stop(isWrong ? 'drop' : 'park')
}

const retry = (delayMs: number): QueueDecision => ({ action: 'retry', delayMs })

const stop = (action: 'park' | 'drop'): QueueDecision => ({ action, delayMs: 0 })

function isMistake(error: unknown): boolean {
  const thrown: object = Object(error)
  return MISTAKES.has(Reflect.get(thrown, 'name')) && Reflect.get(thrown, 'cause') === undefined
}

function mayBeChanged(error: PathologyError): boolean {
  return Reflect.get(error, 'outcome') === 'unknown'
}

/** Returns `true` for a cause outside the job, although the error's class suggests the job. */
function isForPerson(error: PathologyError): boolean {
  if (PARKED_CODES.has(error.code)) return true
  // A refusal without a code of the service comes from something else, such as a gateway or a wrong base URL.
  return Reflect.get(error, 'status') !== undefined && !isKnownErrorCode(error.code ?? '')
}
