import { createTokenState, type TokenState } from '../auth/token-state.js'
import type { FaultState } from '../faults/fault.js'
import type { FakeOptions } from '../options/fake-options.js'
import type { Job } from './context.js'
import type { JournalState } from './journal.js'
import { type RandomState, seedRandom } from './random.js'

/** A job and when it is due, in milliseconds since the epoch on the fake's clock. */
export interface ScheduledJob {
  readonly dueAt: number
  /** Jobs due at the same moment run in the order they were scheduled. */
  readonly order: number
  readonly job: Job
}

/** Where the fake's clock stands. */
export interface ClockState {
  /** The moment a standing clock shows; `null` when it follows the system's. */
  standsAt: number | null
  /** Milliseconds ahead of the system's clock. */
  aheadMs: number
}

/** What the kernel itself remembers. */
export interface KernelState {
  readonly random: RandomState
  readonly clock: ClockState
  /** By due time, earliest first. */
  readonly jobs: ScheduledJob[]
  /** How many jobs were ever scheduled. */
  jobCount: number
  readonly tokens: TokenState
  readonly faults: FaultState
  readonly requests: JournalState
}

/** The kernel's part of a fresh fake. */
export function createKernelState(options: FakeOptions): KernelState {
  return {
    random: seedRandom(options.seed, 'kernel'),
    clock: { standsAt: options.startTime ?? null, aheadMs: 0 },
    jobs: [],
    jobCount: 0,
    tokens: createTokenState(),
    faults: { rules: [], sequence: 0, quota: null, random: seedRandom(options.seed, 'faults') },
    requests: { count: 0, entries: [] },
  }
}
