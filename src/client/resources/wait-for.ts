import { ignore } from '../../common/errors.js'
import { without } from '../../common/known-options.js'
import { endpoints } from '../../contract/endpoints.js'
import { isKnownReferralStatus, REFERRAL_STATUSES } from '../../contract/enums.js'
import { similarName } from '../../contract/similar.js'
import type { Referral } from '../../contract/types.js'
import type { ApiClient } from '../call/api-client.js'
import { DEFAULT_TIMEOUT_MS } from '../call/request.js'
import type { RequestOptions } from '../call/request-options.js'
import { hasMethods, milliseconds } from '../core/caller-input.js'
import { CallEnded, checkedSignal, Deadline } from '../core/deadline.js'
import { statusSeen } from '../errors/error-texts.js'
import { ConfigurationError, InvalidRequestError, TimeoutError } from '../errors/errors.js'
import { ReferralFailedError } from '../orders/order-errors.js'

/** Options of `waitFor`. */
export interface WaitOptions extends RequestOptions {
  /**
   * Statuses that end the wait. Required without `until`. A failed or deleted referral ends the wait with an error if
   * ISSUED, PARTIAL_RESULTS or COMPLETE is listed, and the referral's own status is not listed. A misspelt known status
   * is rejected: in another case, such as `issued`, with one missing, added or replaced letter, or with two swapped
   * letters.
   */
  readonly status?: Referral['status'] | readonly Referral['status'][] | undefined
  /**
   * Called with each referral that was read; returns `true` to end the wait. With `until`, `status` is not used, and a
   * failed or deleted referral does not end the wait. An error of the function ends the wait.
   */
  readonly until?: ((referral: Referral) => boolean) | undefined
  /**
   * Time limit of the wait, in milliseconds.
   * @defaultValue 60,000
   */
  readonly timeout?: number | undefined
  /**
   * First interval between two reads, in milliseconds. It grows by half after each read, up to 30 seconds. A first
   * interval above 30 seconds does not grow, and an interval below 100 ms counts as 100 ms.
   * @defaultValue 500
   */
  readonly interval?: number | undefined
}

const OPERATION = 'referrals.waitFor'

const DEFAULT_WAIT_MS = 60_000
const DEFAULT_INTERVAL_MS = 500
const LONGEST_INTERVAL_MS = 30_000

/** Shortest interval: an interval of zero would not grow, and the reads would use up the rate limit. */
const SHORTEST_INTERVAL_MS = 100

/** Reads a referral repeatedly until it meets the condition. */
export async function waitForReferral(api: ApiClient, uuid: string, own: WaitOptions): Promise<Referral> {
  const statuses = checkedStatuses(own)
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS } = api.context.options
  const { timeout: limit = DEFAULT_WAIT_MS, interval: first = DEFAULT_INTERVAL_MS } = own
  const timeout = milliseconds('timeout', limit)
  let interval = Math.max(SHORTEST_INTERVAL_MS, milliseconds('interval', first))
  const requestOptions = without(own, 'status', 'until', 'interval')
  const input = { path: { uuid }, operation: OPERATION }
  const deadline = new Deadline(clock, timeout, checkedSignal(own.signal))
  let last: Referral | undefined
  let reads = 0
  try {
    for (;;) {
      // Near the end, a read has the remaining time of the wait as its timeout. Its error then shows whether the read
      // was sent.
      const left = Math.max(0, deadline.remainingMs)
      const options = { ...requestOptions, timeout: Math.min(left, timeoutMs) }
      try {
        last = await api.call(endpoints.referrals.retrieve, input, options)
      } catch (error) {
        const isEnd = left <= timeoutMs && error instanceof TimeoutError
        throw isEnd ? endOfWait(timeout, last, reads, error) : error
      }
      reads += 1
      if (isDone(last, own, statuses)) return last
      if (own.until === undefined) throwIfFailed(last, statuses, reads)
      await deadline.sleep(interval)
      interval = Math.max(interval, Math.min(LONGEST_INTERVAL_MS, interval * 1.5))
    }
  } catch (error) {
    own.signal?.throwIfAborted()
    throw error instanceof CallEnded ? endOfWait(timeout, last, reads) : error
  } finally {
    deadline.dispose()
  }
}

/**
 * Checks the condition and returns its statuses. Rejects a misspelt known status. Any other unknown status is accepted,
 * because the service may add statuses.
 */
function checkedStatuses({ status, until }: WaitOptions): readonly string[] {
  const invalid = (message: string, field: string): InvalidRequestError =>
    new InvalidRequestError(OPERATION, [{ message, field }])
  const statuses = status === undefined ? [] : [status].flat()
  if (statuses.length === 0 && until === undefined)
    throw invalid('status or until is required, to decide when the wait ends', 'status')
  if (until !== undefined && typeof until !== 'function') throw invalid('until must be a function', 'until')
  for (const given of statuses) {
    if (typeof given !== 'string') throw invalid('status must be a string, or a list of them', 'status')
    const meant = similarName(given, REFERRAL_STATUSES)
    if (meant !== undefined)
      throw invalid(`status is not a known status; did you mean ${meant}? Statuses are in capitals`, 'status')
  }
  return statuses
}

function isDone(referral: Referral, { until }: WaitOptions, statuses: readonly string[]): boolean {
  if (until === undefined) return statuses.includes(referral.status)
  const result: unknown = until(referral)
  if (!hasMethods(result, ['then'])) return Boolean(result)
  // A promise would count as `true` and end the wait after the first read.
  Promise.resolve(result).catch(ignore)
  throw new ConfigurationError('until must return true or false, not a promise')
}

/** If one of these statuses is listed, a failed or deleted referral ends the wait with an error. */
const SUCCESSES: readonly string[] = ['ISSUED', 'PARTIAL_RESULTS', 'COMPLETE']

/** Final statuses of a failed referral. */
const FAILURES: readonly string[] = ['BILLING_FAILED', 'FAILED_TEST']

/** Format of the service's times. A text with another format is not shown. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z?$/

function throwIfFailed({ status, deletedAt }: Referral, statuses: readonly string[], attempts: number): void {
  if (!statuses.some((one) => SUCCESSES.includes(one))) return
  const wasDeleted = typeof deletedAt === 'string' && deletedAt !== ''
  if (!wasDeleted && !FAILURES.includes(status)) return
  const end = wasDeleted ? 'the referral was deleted' : 'the referral failed'
  const message = `${end} and cannot reach the expected state: ${statusSeen(status)}; read the referral for the details`
  throw new ReferralFailedError(message, {
    status: isKnownReferralStatus(status) ? status : 'unknown',
    ...(wasDeleted && { deletedAt: TIME.test(deletedAt) ? deletedAt : '' }),
    attempts,
  })
}

/**
 * Creates the error of a wait whose time limit expired. `lastRead` is the error of the last read, if the time limit
 * expired during this read.
 */
function endOfWait(
  timeout: number,
  last: Referral | undefined,
  reads: number,
  lastRead?: TimeoutError,
): TimeoutError {
  const message = `the referral did not reach the expected state within ${timeout} ms: ${statusSeen(last?.status)}; nothing was changed; read the referral again later, or set a longer timeout`
  return new TimeoutError(message, {
    outcome: reads > 0 ? 'failed' : (lastRead?.outcome ?? 'not-sent'),
    attempts: reads + (lastRead?.attempts ?? 0),
    timeout,
  })
}
