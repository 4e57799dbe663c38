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
