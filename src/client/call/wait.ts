import type { Referral } from '../../contract/types.js'
import type { RequestOptions } from '../client-options.js'
import { InvalidRequestError, TimeoutError } from '../errors/errors.js'
import { number } from '../options.js'
import { CallEnded, Deadline } from './deadline.js'
import type { PipelineParts } from './pipeline.js'

/** What to wait for. */
export interface WaitOptions extends RequestOptions {
  /** The referral's status, or several of which one will do. */
  readonly status?: Referral['status'] | readonly Referral['status'][] | undefined
  /** Tells from the referral whether the wait is over. */
  readonly until?: ((referral: Referral) => boolean) | undefined
  /**
   * Milliseconds to wait in all.
   * @defaultValue 60,000
   */
  readonly timeout?: number | undefined
  /**
   * Milliseconds between the first two looks; it grows by half each time, up to 30 seconds.
   * @defaultValue 500
   */
  readonly interval?: number | undefined
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_INTERVAL_MS = 500
const LONGEST_INTERVAL_MS = 30_000

/** Reads a referral again and again until it is as wished. */
export async function waitForReferral(
  { options: { clock }, signals }: Pick<PipelineParts, 'options' | 'signals'>,
  read: (signal: AbortSignal | undefined) => Promise<Referral>,
  options: WaitOptions,
): Promise<Referral> {
  if (options.status === undefined && options.until === undefined) {
    throw new InvalidRequestError('referrals.waitFor', [
      { message: 'status or until is required: what is there to wait for?', field: 'status' },
    ])
  }
  const timeout = number('timeout', options.timeout ?? DEFAULT_TIMEOUT_MS, 0)
  let interval = number('interval', options.interval ?? DEFAULT_INTERVAL_MS, 0)
  const deadline = new Deadline(clock, timeout, signals.of(options.signal))
  const abort = new AbortController()
  const stop = deadline.onEnd((ended) => abort.abort(ended))
  let last: Referral | undefined
  try {
    for (;;) {
      last = await read(abort.signal)
      if (isDone(last, options)) return last
      await deadline.sleep(interval)
      interval = Math.min(LONGEST_INTERVAL_MS, interval * 1.5)
    }
  } catch (error) {
    throw publicError(error, timeout, last)
  } finally {
    stop()
    deadline.dispose()
  }
}

function isDone(referral: Referral, { status, until }: WaitOptions): boolean {
  if (until !== undefined) return until(referral)
  return typeof status === 'string'
    ? referral.status === status
    : (status?.includes(referral.status) ?? false)
}

function publicError(error: unknown, timeout: number, last: Referral | undefined): unknown {
  if (!(error instanceof CallEnded)) return error
  if (error.end.kind === 'aborted') return error.end.reason
  const seen = last === undefined ? 'it could not be read' : `its status is ${last.status}`
  return new TimeoutError(`the referral did not become as wished within ${timeout} ms: ${seen}`, {
    outcome: 'failed',
    attempts: 1,
    timeout,
  })
}
