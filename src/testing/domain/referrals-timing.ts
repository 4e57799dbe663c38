import type { TransitionTiming } from '../options/orders-options.js'
import type { Job, JobTable } from '../server/context.js'
import type { FakeContext } from '../state/context.js'
import type { PendingTransition, ReferralRow } from '../state/orders.js'
import { canTransition, transition } from './referrals-transitions.js'

const TRANSITION_JOB = 'referrals.transition'

/** Makes planned transitions, which the service makes without a request. */
export const jobs: JobTable<FakeContext> = {
  [TRANSITION_JOB]: (context, argument) => {
    const row = waitingReferral(context, argument)
    if (row !== undefined) transition(context, row, nameOf(argument))
  },
}

/** Returns `false` for a planned transition that will not happen, because the referral has changed or is deleted. */
export function isStillPlanned(context: FakeContext, { kind, argument }: Job): boolean {
  return kind !== TRANSITION_JOB || waitingReferral(context, argument) !== undefined
}

/** Returns the referral of a planned transition; `undefined` if the transition is not possible any more. */
function waitingReferral(context: FakeContext, argument: Job['argument']): ReferralRow | undefined {
  const row = context.state.orders.referrals.get(String(argument['uuid']))
  if (row === undefined || row.transitions !== argument['after']) return undefined
  return canTransition(row, nameOf(argument)) ? row : undefined
}

function nameOf(argument: Job['argument']): PendingTransition['name'] {
  return argument['transition'] === 'verify' ? 'verify' : 'issue'
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

/** Counts a read of a referral. The response to the last of `afterReads` reads still shows the old status. */
export function countRead(context: FakeContext, row: ReferralRow): void {
  if (row.pending === null) return
  row.pending.readsLeft -= 1
  if (row.pending.readsLeft === 0) context.schedule(0, transitionJob(row, row.pending.name))
}

function transitionJob(row: ReferralRow, name: PendingTransition['name']): Job {
  return { kind: TRANSITION_JOB, argument: { uuid: row.uuid, transition: name, after: row.transitions } }
}
