import { setTimeout as sleep } from 'node:timers/promises'
import { ignore, PathologyError } from '../../common/errors.js'
import { errorName, type SafeLogger } from '../../common/logger.js'
import { waitWithin } from '../../common/time-limit.js'
import { pause } from './backoff.js'
import type { ServiceContact } from './contact.js'
import { isDelivery } from './kinds.js'
import { type Claim, LeaseLostError, type Slot, type WorkTable } from './work-table.js'

/** Code for one kind of work. The job finishes or postpones each claim itself. */
export interface Job {
  /** @param signal - Aborts when the lease is lost, 10 s after a call of `stop`, or after one hour of the job. */
  run(claim: Claim, signal: AbortSignal): Promise<void>
  /** Records a failure of `run`, so that the claim gets another attempt later. */
  fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void>
}

export interface WorkerOptions {
  readonly table: WorkTable
  /** Jobs by kind of work. The worker claims only these kinds. */
  readonly jobs: ReadonlyMap<string, Job>
  readonly organisations: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number
  readonly pollMs: number
  readonly logger: SafeLogger
  /** Holds back the work that calls the service during an outage. Without it, no work is held back. */
  readonly contact?: Pick<ServiceContact, 'claimProbe' | 'ended'> | undefined
  /** Called before a claim: at most every 10 s while the worker runs, and once by each `drain`. */
  readonly tick: (signal?: AbortSignal) => Promise<void>
  readonly claimed: () => void | Promise<void>
  /** Returns the milliseconds until the next delayed step of a sweep; `undefined` if there is none. */
  readonly pacedMs: () => Promise<number | undefined>
}

interface Active {
  readonly claim: Claim
  readonly abort: AbortController
  readonly startedAt: number
}

const TICK_MS = 10_000
const MAX_PAUSE_MS = 5_000
/** Maximum wait of `stop` for running jobs (`STOP_MS`), and then for the rollback of aborted jobs (`ABORT_MS`). */
const STOP_MS = 10_000
const ABORT_MS = 2_000

/** Maximum time of a job. A longer job is aborted, and its lease is not renewed, so that its work is repeated. */
const MAX_JOB_MS = 3_600_000

/**
 * Number of records that are read at the same time, for each unit of the concurrency. They wait for the service together,
 * and are stored together.
 */
const RECORDS = 4

/** Pause before a claim while jobs run, so that one claim fills the places of all jobs that end soon after each other. */
const COLLECT_MS = 3

const RECORD_PAUSE_MS = 250
const MAX_RECORD_PAUSE_MS = 1_000

/**
 * Worker that claims and runs work. `start` continues after every failure; `drain` rejects if the database fails.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #active = new Map<string, Active>()
  readonly #running = new Set<Promise<void>>()
  #loop: Promise<void> | undefined
  #isStopping = false
  readonly #halt = new AbortController()
  #claiming: Promise<unknown> = Promise.resolve()
  #wake: () => void = () => undefined
  #isWoken = false
  #nextTick = 0
  #endedJobs = 0
  #failures = 0

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** Starts to claim work, until {@link stop}. A stopped worker does not start again. */
  start(): void {
    if (this.#loop !== undefined || this.#isStopping || this.#options.concurrency === 0) return
    this.#loop = this.#run()
  }

  /** `true` when the worker claims work without a call of `drain`: after {@link start} with a concurrency above 0. */
  get isStarted(): boolean {
    return this.#loop !== undefined
  }

  /** Makes the worker claim work soon. Called when there is new work. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /**
   * Stops claiming, and waits at most 12 s for running jobs. Jobs that take longer than 10 s are aborted, and run again
   * later.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    const ended = this.#ended()
    await waitWithin(ended, { limitMs: STOP_MS }).catch(() => {
      this.#halt.abort()
      for (const { abort } of this.#active.values()) abort.abort()
    })
    await waitWithin(ended, { limitMs: ABORT_MS }).catch(ignore)
  }

  /**
   * Processes all due work, and waits for the delayed steps of sweeps. Rejects if the database fails, the signal
   * aborts, or the worker is stopped.
   */
  async drain(signal?: AbortSignal, afterRound?: () => Promise<void>): Promise<void> {
    const renewal = this.#startRenewal()
    try {
      await this.#options.tick(signal)
      for (;;) {
        signal?.throwIfAborted()
        this.throwIfStopping()
        const before = this.#endedJobs
        const started = await this.#claim(Math.max(1, this.#options.concurrency))
        if (this.#running.size > 0) {
          await waitWithin(Promise.race(this.#running), { signal })
          await sleep(COLLECT_MS)
        } else if (started === 0 && before === this.#endedJobs) {
          // No job has ended during the claim, and left work that the claim did not see.
          const pacedMs = await this.#options.pacedMs()
          if (pacedMs === undefined) return
          await pause(pacedMs, signal)
        }
        await afterRound?.()
      }
    } finally {
      clearInterval(renewal)
    }
  }

  /** @throws `PathologyError` with the code `MIRROR_STOPPED` after {@link stop}. */
  throwIfStopping(): void {
    if (this.#isStopping) throw stoppedError()
  }

  async #run(): Promise<void> {
    const renewal = this.#startRenewal()
    while (!this.#isStopping) await this.#round()
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearInterval(renewal)
  }

  async #ended(): Promise<void> {
    await this.#loop
    await this.#claiming
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #round(): Promise<void> {
    this.#isWoken = false
    try {
      await this.#tick()
      const started = await this.#claim(this.#options.concurrency)
      if (this.#failures > 0) this.#options.logger.warn('mirror: claiming work succeeds again')
      this.#failures = 0
      // If no job has started, no work can be claimed now. The end of a job wakes the loop.
      // Jitter keeps several processes from claiming at the same time.
      if (started === 0) await this.#pause(this.#options.pollMs * (1 + Math.random() / 5))
      else await sleep(COLLECT_MS)
    } catch (error) {
      this.#failures += 1
      if (this.#failures === 1)
        this.#options.logger.warn(`mirror: claiming work failed (${errorName(error)}); the claim is repeated`)
      this.#isWoken = false
      await this.#pause(Math.min(MAX_PAUSE_MS, this.#options.pollMs * 2 ** this.#failures))
    }
  }

  async #tick(): Promise<void> {
    if (performance.now() < this.#nextTick) return
    this.#nextTick = performance.now() + TICK_MS
    await this.#options.tick(this.#halt.signal)
  }

  /**
   * Claims work up to the limit, and starts the jobs. Claims run one after another. Otherwise, `drain` next to a
   * running loop would miss work that the loop has just claimed, and both together would exceed the limit.
   *
   * @returns The number of started jobs.
   */
  #claim(limit: number): Promise<number> {
    const claimed = this.#claiming.then(() => this.#claimNext(limit))
    this.#claiming = claimed.catch(ignore)
    return claimed
  }

  async #claimNext(limit: number): Promise<number> {
    const { table, organisations, leaseMs, contact } = this.#options
    const { signal } = this.#halt
    const slots = this.#freeSlots(limit)
    if (slots.length === 0) return 0
    const kinds = slots.map(({ kind }) => kind).filter((kind) => !isDelivery(kind))
    const probe = await contact?.claimProbe(kinds, leaseMs)
    const claims = probe ? [probe] : await table.claim(organisations, slots, leaseMs, signal)
    if (signal.aborted) return 0
    if (claims.length > 0) await this.#options.claimed()
    for (const claim of claims) this.#start(claim)
    return claims.length
  }

  /** Returns the kinds of work whose lane has free places. Handlers that do not end never stop the copy. */
  #freeSlots(limit: number): readonly Slot[] {
    const active = [...this.#active.values()].map(({ claim }) => laneOf(claim.kind))
    return [...this.#options.jobs.keys()].flatMap((kind) => {
      const lane = laneOf(kind)
      const places = lane === 'records' ? limit * RECORDS : limit
      const free = places - active.filter((other) => other === lane).length
      return free > 0 ? [{ kind, lane, free }] : []
    })
  }

  #start(claim: Claim): void {
    const abort = new AbortController()
    this.#active.set(claim.lease, { claim, abort, startedAt: performance.now() })
    const running = this.#work(claim, abort.signal).finally(() => {
      this.#active.delete(claim.lease)
      this.#running.delete(running)
      this.#endedJobs += 1
      this.wake()
    })
    this.#running.add(running)
  }

  async #work(claim: Claim, signal: AbortSignal): Promise<void> {
    const job = this.#options.jobs.get(claim.kind)
    if (job === undefined) return
    try {
      await job.run(claim, signal)
    } catch (error) {
      if (error instanceof LeaseLostError) return
      await this.#recordFailure(job, claim, error, signal)
    } finally {
      if (claim.isProbe) await this.#options.contact?.ended(claim).catch(ignore)
    }
  }

  /** Records a failure of a job. If this fails, tries again until the lease ends or the worker is stopped. */
  async #recordFailure(job: Job, claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    const { leaseMs, logger } = this.#options
    const end = performance.now() + leaseMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await job.fail(claim, error, signal)
      } catch (failure) {
        if (failure instanceof LeaseLostError) return
        if (performance.now() > end || this.#isStopping) {
          const name = errorName(failure)
          return logger.warn(
            `mirror: the failure of a ${claim.kind} job was not recorded (${name}); the job runs again when its lease ends`,
          )
        }
      }
      await sleep(Math.min(MAX_RECORD_PAUSE_MS, RECORD_PAUSE_MS * attempt))
    }
  }

  #startRenewal(): NodeJS.Timeout {
    const timer = setInterval(() => void this.#renew(), this.#options.leaseMs / 3)
    timer.unref()
    return timer
  }

  async #renew(): Promise<void> {
    const overdue = performance.now() - MAX_JOB_MS
    for (const { abort, startedAt } of this.#active.values())
      if (startedAt < overdue) abort.abort(new LeaseLostError())
    const leases = [...this.#active].filter(([, { abort }]) => !abort.signal.aborted).map(([lease]) => lease)
    if (leases.length === 0) return
    try {
      const held = new Set(await this.#options.table.renew(leases, this.#options.leaseMs))
      for (const lease of leases)
        if (!held.has(lease)) this.#active.get(lease)?.abort.abort(new LeaseLostError())
    } catch {
      // The renewal is repeated before the leases end.
    }
  }

  async #pause(delayMs: number): Promise<void> {
    if (this.#isWoken || this.#isStopping) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, delayMs)
    })
    clearTimeout(timer)
    this.#wake = () => undefined
  }
}

/** Returns the lane of a kind of work. Each lane has places of its own. */
function laneOf(kind: string): 'deliveries' | 'records' | 'others' {
  if (isDelivery(kind)) return 'deliveries'
  return kind === 'referral' || kind === 'result' ? 'records' : 'others'
}

/** Returns the error of a call that `stop` ended. */
export function stoppedError(): PathologyError {
  return new PathologyError(
    'The mirror was stopped. Unfinished work stays due, and runs after the next start.',
    { code: 'MIRROR_STOPPED' },
  )
}
