import type { TransitionTiming } from '../options/orders-options.js'
import type { Job, JobTable } from '../server/context.js'
import type { FakeContext } from '../state/context.js'
import type { PendingTransition, ReferralRow } from '../state/orders.js'
import { canTransition, transition } from './referrals-transitions.js'

const TRANSITION_JOB = 'referrals.transition'

/** Makes planned transitions, which the service makes without a request. */
export const jobs: JobTable<FakeContext> = {
  [TRANSITION_JOB]: (context, argument) => {
    const row = context.state.orders.referrals.get(String(argument['uuid']))
    const name = argument['transition'] === 'verify' ? 'verify' : 'issue'
    // Another transition may have happened before this job.
    if (row !== undefined && row.transitions === argument['after'] && canTransition(row, name)) {
      transition(context, row, name)
    }
  },
}

/** Plans a transition that the service makes without a request. */
export function planTransition(
  context: FakeContext,
  row: ReferralRow,
  name: PendingTransition['name'],
  timing: TransitionTiming,
): void {
  if (timing === 'manual') return
  if (typeof timing === 'object' && 'afterReads' in timing && timing.afterReads > 0) {
    row.pending = { name, readsLeft: timing.afterReads }
    return
  }
  const afterMs = typeof timing === 'object' && 'afterMs' in timing ? timing.afterMs : 0
  context.schedule(afterMs, transitionJob(row, name))
}

/** Counts a read of a referral. After `afterReads` reads, the planned transition happens after the response. */
export function countRead(context: FakeContext, row: ReferralRow): void {
  if (row.pending === null) return
  row.pending.readsLeft -= 1
  if (row.pending.readsLeft === 0) context.schedule(0, transitionJob(row, row.pending.name))
}

function transitionJob(row: ReferralRow, name: PendingTransition['name']): Job {
  return { kind: TRANSITION_JOB, argument: { uuid: row.uuid, transition: name, after: row.transitions } }
}
