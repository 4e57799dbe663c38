import type { TransitionTiming } from '../options/orders-options.js'
import type { FakeContext, Job, JobTable } from '../server/context.js'
import type { PendingMove, ReferralRow } from '../state/orders.js'
import { canMove, move } from './referrals-moves.js'

const MOVE_JOB = 'referrals.move'

/** Runs the moves that the service makes by itself. */
export const jobs: JobTable = {
  [MOVE_JOB]: (context, argument) => {
    const row = context.state.orders.referrals.get(String(argument['uuid']))
    const name = argument['move'] === 'verify' ? 'verify' : 'issue'
    // The referral may have gone another way in the meantime.
    if (row !== undefined && row.moves === argument['moves'] && canMove(row, name)) {
      move(context, row, name)
    }
  },
}

/** Plans a move that the service makes by itself, when the options say. */
export function planMove(
  context: FakeContext,
  row: ReferralRow,
  name: PendingMove['move'],
  timing: TransitionTiming,
): void {
  if (timing === 'manual') return
  if (typeof timing === 'object' && 'afterReads' in timing && timing.afterReads > 0) {
    row.pending = { move: name, readsLeft: timing.afterReads }
    return
  }
  const afterMs = typeof timing === 'object' && 'afterMs' in timing ? timing.afterMs : 0
  context.schedule(afterMs, moveJob(row, name))
}

/** Counts a read of a referral whose move waits for reads; the last one makes the move, after the answer. */
export function countRead(context: FakeContext, row: ReferralRow): void {
  if (row.pending === null) return
  row.pending.readsLeft -= 1
  if (row.pending.readsLeft === 0) context.schedule(0, moveJob(row, row.pending.move))
}

function moveJob(row: ReferralRow, name: PendingMove['move']): Job {
  return { kind: MOVE_JOB, argument: { uuid: row.uuid, move: name, moves: row.moves } }
}
