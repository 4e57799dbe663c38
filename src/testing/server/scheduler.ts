import { type Clock, moveClockTo, timeAfter } from './clock.js'
import type { Job, ScheduledJob, ServerState } from './context.js'
import { nextTurn, type RealTimer, startTimer, systemNow } from './runtime.js'

/** Maximum number of jobs in one `runDue()`. A larger number indicates a job that schedules itself without end. */
const MAX_JOBS = 100_000

/** The latest time that a `Date` can have. */
const LATEST_DATE = 8.64e15

interface Waiter {
  readonly dueAt: number
  readonly wake: () => void
}

export interface SchedulerParts {
  readonly state: () => ServerState
  readonly clock: Clock
  readonly run: (job: Job) => void
  /** Resolves when no delivery is being sent, and every request has its response or waits for the clock or a fault. */
  readonly idle: () => Promise<void>
  /** Called after the jobs that a timer started. */
  readonly timerRan: () => void
}

/** Scheduler of jobs, on a clock that a test advances or on a clock that follows the system clock. */
export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #waiters = new Set<Waiter>()
  #timer: RealTimer | undefined
  #running = false
  #isClosed = false
  #advancing: Promise<void> = Promise.resolve()

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  /** Stores `job` until its due time. A snapshot contains the stored jobs. */
  schedule(afterMs: number, job: Job): void {
    const state = this.#parts.state()
    const dueAt = Math.min(this.#parts.clock.now() + Math.max(0, afterMs), LATEST_DATE)
    state.jobCount += 1
    insert(state.jobs, { dueAt, order: state.jobCount, job })
    if (!this.#running) this.#arm()
  }

  /** Waits for `afterMs` on the fake's clock. `restart()` and `close()` end the wait early, without an error. */
  wait(afterMs: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
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

  /** Ends the waits that are due now, and runs every job that is due now, in order of due time. */
  runDue(): void {
    if (this.#running || this.#isClosed) return
    this.#running = true
    try {
      for (let count = 0; this.#runNext(this.#parts.clock.now()); count += 1) {
        if (count >= MAX_JOBS) throw new Error('a job of the fake schedules itself without end')
      }
    } finally {
      this.#running = false
      this.#arm()
    }
  }

  /**
   * Moves the clock forward. Every job that becomes due runs at its own due time. Waits for requests and
   * deliveries to end. Calls at the same time run one after the other.
   */
  advance(ms: number): Promise<void> {
    const turn = this.#advancing.then(() => this.#advance(ms))
    this.#advancing = turn.catch(() => undefined)
    return turn
  }

  /** Ends every wait, and sets the timer for the jobs of the new state. */
  restart(): void {
    for (const { wake } of [...this.#waiters]) wake()
    this.#arm()
  }

  /** Ends every wait. Afterwards no job runs. */
  close(): void {
    this.#isClosed = true
    this.restart()
  }

  async #advance(ms: number): Promise<void> {
    const target = timeAfter(this.#parts.clock, ms)
    await this.#runUntilIdle()
    for (let next = this.#nextDue(); next !== undefined && next <= target; next = this.#nextDue()) {
      moveClockTo(this.#parts.state().clock, next)
      await this.#runUntilIdle()
    }
    moveClockTo(this.#parts.state().clock, target)
    await this.#runUntilIdle()
  }

  async #runUntilIdle(): Promise<void> {
    this.runDue()
    await this.#parts.idle()
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
    if (this.#isClosed) return undefined
    let next = this.#parts.state().jobs[0]?.dueAt
    for (const { dueAt } of this.#waiters) next = Math.min(next ?? dueAt, dueAt)
    return next
  }

  #arm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const next = this.#nextDue()
    const { stoppedAt, offsetMs } = this.#parts.state().clock
    if (next === undefined || stoppedAt !== null) return
    const delayMs = next - offsetMs - systemNow()
    const runAndReport = (): void => {
      this.runDue()
      this.#parts.timerRan()
    }
    this.#timer = startTimer(runAndReport, delayMs, this.#waiters.size > 0)
  }
}

function insert(jobs: ScheduledJob[], entry: ScheduledJob): void {
  let at = jobs.length
  while (at > 0 && (jobs[at - 1]?.dueAt ?? 0) > entry.dueAt) at -= 1
  jobs.splice(at, 0, entry)
}

/** Count of the requests that are being handled. `advance()` does not move the clock while they run. */
export class InFlightRequests {
  #busy = 0

  /** Counts a request until `work` ends. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await work()
    } finally {
      this.#busy -= 1
    }
  }

  /** Excludes a request from the count until `wait` ends: a wait for the fake's clock, or the latency of a fault. */
  async pause(wait: Promise<void>): Promise<void> {
    this.#busy -= 1
    try {
      await wait
    } finally {
      this.#busy += 1
    }
  }

  /** Resolves when every request has its response or waits in {@link pause}. */
  async idle(): Promise<void> {
    do await nextTurn()
    while (this.#busy > 0)
  }
}
