import { moveClockTo } from './clock.js'
import type { DomainClock, Job } from './context.js'
import { type RealTimer, startTimer, systemNow } from './runtime.js'
import type { KernelState, ScheduledJob } from './state.js'

/** Jobs that one step may set off before it counts as a loop. */
const LONGEST_CHAIN = 100_000

interface Waiter {
  readonly dueAt: number
  readonly wake: () => void
}

/** What the scheduler needs of its fake. */
export interface SchedulerParts {
  readonly state: () => KernelState
  readonly clock: DomainClock
  readonly run: (job: Job) => void
  /** Resolves once no request is being worked on, and nothing is on its way over the network. */
  readonly settled: () => Promise<void>
}

/** Runs jobs at their time on the fake's clock, whether it is advanced or passes by itself. */
export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #waiters = new Set<Waiter>()
  #timer: RealTimer | undefined
  #running = false

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  /** Keeps `job` until its time; a snapshot holds it. */
  schedule(afterMs: number, job: Job): void {
    const state = this.#parts.state()
    const dueAt = this.#parts.clock.now() + Math.max(0, afterMs)
    state.jobCount += 1
    insert(state.jobs, { dueAt, order: state.jobCount, job })
    if (!this.#running) this.#arm()
  }

  /** Waits for `afterMs` to pass on the fake's clock. */
  wait(afterMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        dueAt: this.#parts.clock.now() + afterMs,
        wake: () => {
          this.#waiters.delete(waiter)
          resolve()
        },
      }
      this.#waiters.add(waiter)
      this.#arm()
    })
  }

  /** Runs everything that is due now, in time order. */
  runDue(): void {
    if (this.#running) return
    this.#running = true
    try {
      for (let count = 0; this.#runNext(this.#parts.clock.now()); count += 1) {
        if (count >= LONGEST_CHAIN) throw new Error('a job of the fake sets itself off without end')
      }
    } finally {
      this.#running = false
      this.#arm()
    }
  }

  /**
   * Moves the clock, stopping at the time of every job on the way: each runs with the clock at its own time, and
   * what it sends over the network is waited for.
   */
  async advance(ms: number): Promise<void> {
    const target = this.#parts.clock.now() + ms
    await this.#settle()
    for (let next = this.#nextDue(); next !== undefined && next <= target; next = this.#nextDue()) {
      moveClockTo(this.#parts.state().clock, next)
      await this.#settle()
    }
    moveClockTo(this.#parts.state().clock, target)
    await this.#settle()
  }

  /** Lets go of every waiting request and stops the timer. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    for (const { wake } of [...this.#waiters]) wake()
  }

  /** Looks at the jobs anew, after the state was replaced. */
  restart(): void {
    this.stop()
    this.#arm()
  }

  async #settle(): Promise<void> {
    this.runDue()
    await this.#parts.settled()
    this.runDue()
  }

  #runNext(now: number): boolean {
    for (const waiter of [...this.#waiters]) {
      if (waiter.dueAt <= now) waiter.wake()
    }
    const { jobs } = this.#parts.state()
    const [first] = jobs
    if (first === undefined || first.dueAt > now) return false
    jobs.shift()
    this.#parts.run(first.job)
    return true
  }

  #nextDue(): number | undefined {
    let next = this.#parts.state().jobs[0]?.dueAt
    for (const { dueAt } of this.#waiters) next = Math.min(next ?? dueAt, dueAt)
    return next
  }

  #arm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const next = this.#nextDue()
    const { standsAt, aheadMs } = this.#parts.state().clock
    if (next === undefined || standsAt !== null) return
    const delayMs = next - aheadMs - systemNow()
    this.#timer = startTimer(() => this.runDue(), delayMs, this.#waiters.size > 0)
  }
}

function insert(jobs: ScheduledJob[], entry: ScheduledJob): void {
  let at = jobs.length
  while (at > 0 && (jobs[at - 1]?.dueAt ?? 0) > entry.dueAt) at -= 1
  jobs.splice(at, 0, entry)
}
