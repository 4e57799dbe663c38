import type { ClockState } from './clock.js'
import type { Job } from './context.js'
import type { JournalState } from './journal.js'
import type { ServerOptions } from './options.js'
import { type RandomState, seedRandom } from './random.js'

/** A job and its due time, in milliseconds since the epoch on the fake's clock. */
export interface ScheduledJob {
  readonly dueAt: number
  /** Jobs with the same due time run in the order they were scheduled. */
  readonly order: number
  readonly job: Job
}

/** State of the server itself: everything that is not about one domain. */
export interface ServerState {
  readonly random: RandomState
  readonly clock: ClockState
  /** By due time, earliest first. */
  readonly jobs: ScheduledJob[]
  /** Number of jobs ever scheduled. */
  jobCount: number
  readonly requests: JournalState
}

/** The server's state in a new fake. */
export function createServerState(options: Pick<ServerOptions, 'seed' | 'startTime'>): ServerState {
  return {
    random: seedRandom(options.seed, 'server'),
    clock: { standsAt: options.startTime ?? null, aheadMs: 0 },
    jobs: [],
    jobCount: 0,
    requests: { count: 0, entries: [] },
  }
}
