import { errorName } from '../../common/logger.js'
import type { Claim } from '../work/work-table.js'
import type { Job } from '../work/worker.js'
import type { MirrorContext } from './context.js'

/** A job of a mirror. Every job is made of the mirror's context and its own options. */
export abstract class MirrorJob<Options> implements Job {
  protected readonly context: MirrorContext
  protected readonly options: Options

  constructor(context: MirrorContext, options: Options) {
    this.context = context
    this.options = options
  }

  abstract run(claim: Claim, signal: AbortSignal): Promise<void>
  abstract fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void>
}

/** Number of the first failed attempt that is logged, for work that never becomes dead. */
const REPORTED_FAILURES = 3

/**
 * Makes failed work due again that never becomes dead.
 *
 * @returns Number of attempts and the error, for a log line; `undefined` for the first failures.
 */
export async function repeatLater(
  { database, table }: MirrorContext,
  claim: Claim,
  error: unknown,
  delayMs: number,
): Promise<string | undefined> {
  const name = errorName(error)
  await table.postpone(database, claim, { delayMs, failed: true, error: name })
  const attempts = claim.attempts + 1
  return attempts < REPORTED_FAILURES ? undefined : `${attempts} attempts, ${name}`
}
