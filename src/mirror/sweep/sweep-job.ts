import { classifyFailure, recordFailure } from '../copy/fetch-failures.js'
import type { StoreHook } from '../copy/store-batch.js'
import { organisationOf } from '../core/context.js'
import { MirrorJob } from '../core/job.js'
import type { Claim } from '../work/work-table.js'
import { markMissingGone, mayMarkGone } from './gone.js'
import { iteratePages } from './iterate.js'
import type { ResolvedSweepOptions } from './options.js'
import { BACKFILL, EVERYTHING, OPEN_SWEEP, RECENT, type SweepPlan } from './plans.js'
import { acceptsGone, NO_COUNTS, type Progress, resume, save } from './progress.js'
import type { IterationName } from './report.js'

const PLANS: Readonly<Record<IterationName, SweepPlan>> = {
  backfill: BACKFILL,
  recent: RECENT,
  open: OPEN_SWEEP,
  everything: EVERYTHING,
}

/** Time after which a claim ends with its current step. Other work can then run before the next claim. */
const SLICE_MS = 500

/** Shortest (`WAIT_MS`) and longest interval at which pending reads are polled, in milliseconds. */
const WAIT_MS = 200
const MAX_WAIT_MS = 5_000

/**
 * Time until the next pending read of a run ($1, $2). A run does not wait for failed or repeated reads, because a later
 * run finds their changes. A read in progress ends soon, so the run does not wait for the end of its lease.
 */
const PENDING = `
SELECT EXTRACT(EPOCH FROM min(CASE WHEN lease IS NULL THEN run_at ELSE now() END) - now()) * 1000 AS "delayMs"
FROM {schema}.work
WHERE organisation = $1 AND iteration = $2 AND NOT dead AND attempts = 0 AND rereads = 0`

/** Margin in milliseconds. A timer can fire early, and a step that is not due yet would then wait for the next poll. */
const TIMER_MS = 5

/** Stops a run ($1, $2). The next one starts from the beginning, because a continued run would fail at the same page. */
const STOP = `
UPDATE {schema}.iteration SET state = 'stopped', finished_at = clock_timestamp(), detail = detail - 'acceptGone'
WHERE organisation = $1 AND name = $2`

/**
 * Whether an organisation ($1) has a backfill whose last attempt did not fail. A sweep waits for its end: otherwise the
 * sweep would report the records that the backfill has not read yet as changes, and handlers would treat them as new.
 */
const BACKFILLING = `
SELECT 1 FROM {schema}.work
WHERE organisation = $1 AND kind = 'sweep' AND key = 'backfill' AND NOT dead AND attempts = 0`

/** Interval at which a sweep checks whether a backfill has ended, in milliseconds. */
const BACKFILL_WAIT_MS = 5_000

export interface SweepJobOptions {
  readonly sweep: ResolvedSweepOptions
  readonly hooks: readonly StoreHook[]
}

/** Job that runs a backfill or a sweep in steps. A claim runs steps for about half a second. */
export class SweepJob extends MirrorJob<SweepJobOptions> {
  async run(claim: Claim, signal: AbortSignal): Promise<void> {
    const { table, database } = this.context
    const plan = PLANS[claim.key as IterationName]
    if (plan.source === 'sweep' && (await database.first(BACKFILLING, [claim.organisation])) !== undefined) {
      await table.postpone(database, claim, { delayMs: BACKFILL_WAIT_MS, unlessWanted: false })
      return
    }
    const until = performance.now() + SLICE_MS
    let progress = await resume(this.context, claim)
    for (;;) {
      const step = await this.#step(claim, plan, progress, signal)
      if (step === undefined) return
      progress = step.progress
      const { delayMs } = step
      const isOver = delayMs > 0 || signal.aborted || performance.now() > until
      if (!isOver) continue
      await table.postpone(database, claim, { delayMs, unlessWanted: false })
      // Without this call, the next step would wait for the next poll.
      if (delayMs > 0) setTimeout(this.context.wake, delayMs + TIMER_MS).unref()
      return
    }
  }

  async fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    const isDead = await recordFailure(this.context, claim, error, classifyFailure(error, signal))
    if (isDead) await this.context.database.query(STOP, [claim.organisation, claim.key])
  }

  /** Runs the next step. Returns `undefined` after the last step. */
  async #step(
    claim: Claim,
    plan: SweepPlan,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<{ readonly progress: Progress; readonly delayMs: number } | undefined> {
    switch (progress.phase) {
      case 'referral':
      case 'result': {
        const owner = organisationOf(this.context, claim.organisation)
        const task = {
          context: this.context,
          ...this.options,
          plan,
          owner,
          claim,
          kind: progress.phase,
          signal,
        }
        return { progress: await iteratePages(task, progress), delayMs: plan.isPaced ? this.#paceMs() : 0 }
      }
      case 'rest':
        return { progress: await this.#wantRest(claim, plan, progress), delayMs: 0 }
      case 'wait':
        return this.#wait(claim, plan, progress)
      case 'gone':
        return this.#finish(claim, plan, progress)
    }
  }

  /**
   * Polls the pending reads. When there are none, continues with the last phase. Stores this phase only for a sweep
   * that marks missing records as gone.
   */
  async #wait(claim: Claim, plan: SweepPlan, progress: Progress) {
    const { database } = this.context
    const values = [claim.organisation, claim.key]
    const delayMs = (await database.first<{ delayMs: number | null }>(PENDING, values))?.delayMs ?? null
    if (delayMs !== null) return { progress, delayMs: Math.min(MAX_WAIT_MS, Math.max(WAIT_MS, delayMs)) }
    const next: Progress = { ...progress, phase: 'gone' }
    if (plan.marksGone) await save(database, claim, next, NO_COUNTS)
    return { progress: next, delayMs: 0 }
  }

  /**
   * Requests the reads of the remaining records, at the same pace as the pages. If the list lacks too many records of
   * the copy, requests none of them.
   */
  async #wantRest(claim: Claim, plan: SweepPlan, progress: Progress): Promise<Progress> {
    const { database, table } = this.context
    const { organisation, key: iteration } = claim
    const { sweep } = this.options
    const rest = await plan.rest({ database, organisation, name: iteration, sweep, progress })
    const areTooMany =
      plan.isPaced &&
      !(await acceptsGone(this.context, claim)) &&
      !(await mayMarkGone(this.context, claim, rest.length))
    const wanted = areTooMany ? [] : rest
    const paceMs = plan.isPaced ? this.#paceMs() : 0
    const wants = wanted.map(({ kind, uuid }, place) => ({
      organisation,
      kind,
      key: uuid,
      source: plan.source,
      iteration,
      delayMs: place * paceMs,
    }))
    const next: Progress = {
      ...progress,
      phase: areTooMany ? 'gone' : 'wait',
      requestsByUuid: progress.requestsByUuid + wanted.length,
      notMarked: areTooMany ? rest.length : undefined,
    }
    await database.transaction(async (tx) => {
      await table.want(tx, wants)
      await save(tx, claim, next, { ...NO_COUNTS, requests: wanted.length })
    })
    return next
  }

  async #finish(claim: Claim, plan: SweepPlan, progress: Progress): Promise<undefined> {
    const { database, table, logger } = this.context
    const { organisation, key } = claim
    let { notMarked = 0 } = progress
    let marked = 0
    if (notMarked === 0 && plan.marksGone) {
      const accepts = await acceptsGone(this.context, claim)
      ;({ marked, notMarked } = await markMissingGone(this.context, claim, accepts))
    }
    const end: Progress = { ...progress, notMarked: notMarked > 0 ? notMarked : undefined }
    const state = notMarked > 0 ? 'stopped' : 'finished'
    const recovered = await database.transaction(async (tx) => {
      const sum = await save(tx, claim, end, { ...NO_COUNTS, changed: marked }, state)
      await table.finish(tx, claim)
      return sum
    })
    if (recovered === 0) return
    logger.warn(
      `mirror: the sweep ${key} of organisation ${organisation} found changes whose events had not arrived: ${recovered}. The copy now has these changes. Check that the service can reach the webhook URL and that the URL is subscribed to all events.`,
    )
  }

  #paceMs(): number {
    return 1_000 / this.options.sweep.requestsPerSecond
  }
}
