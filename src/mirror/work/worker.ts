import { setTimeout as sleep } from 'node:timers/promises'

import type { SafeLogger } from '../../common/logger.js'
import { errorName } from './error-name.js'
import { type Claim, LeaseLostError, type WorkTable } from './work-table.js'

/** Does one claimed piece of work. It finishes or postpones the claim itself. */
export interface Job {
  /** @param signal - Aborts when the lease is lost or the worker is stopped. */
  run(claim: Claim, signal: AbortSignal): Promise<void>
  /** Records a failure of `run`, so that the claim gets another attempt later. */
  fail(claim: Claim, error: unknown, signal: AbortSignal): Promise<void>
}

/** Options of a {@link Worker}. */
export interface WorkerOptions {
  readonly table: WorkTable
  /** Jobs by kind of work. This machine claims these kinds. */
  readonly jobs: ReadonlyMap<string, Job>
  readonly organisations: readonly string[]
  readonly concurrency: number
  readonly leaseMs: number
  readonly pollMs: number
  readonly logger: SafeLogger
  /** Called between claims, at most every few seconds. */
  readonly tick: () => Promise<void>
  readonly claimed: () => void | Promise<void>
  /** Returns the milliseconds until the next work that its pace delays; `undefined` if there is none. */
  readonly pacedMs: () => Promise<number | undefined>
}

interface Active {
  readonly claim: Claim
  readonly abort: AbortController
}

const TICK_MS = 10_000
const MAX_PAUSE_MS = 5_000
const STOP_MS = 10_000
const RECORD_ATTEMPTS = 4
const RECORD_PAUSE_MS = 500

/** Claims work and runs its jobs. It survives every failure of the database and of a job. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #active = new Map<string, Active>()
  readonly #running = new Set<Promise<void>>()
  #loop: Promise<void> | undefined
  #isStopping = false
  #wake: () => void = () => undefined
  #isWoken = false
  #nextTick = 0
  #failures = 0

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** Starts to claim work, until {@link stop}. */
  start(): void {
    if (this.#loop !== undefined || this.#options.concurrency === 0) return
    this.#isStopping = false
    this.#loop = this.#run()
  }

  /** Whether it claims work by itself. */
  get isStarted(): boolean {
    return this.#loop !== undefined
  }

  /** Claims soon, because there is new work. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** Stops claiming, and waits for running jobs. Jobs that take too long are aborted, and run again later. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    const timer = setTimeout(() => {
      for (const { abort } of this.#active.values()) abort.abort()
    }, STOP_MS)
    await this.#loop
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearTimeout(timer)
    this.#loop = undefined
  }

  /** Works until nothing is due. Rejects if the database fails. */
  async drain(signal?: AbortSignal): Promise<void> {
    const renewal = this.#startRenewal()
    try {
      await this.#options.tick()
      for (;;) {
        signal?.throwIfAborted()
        const started = await this.#claim(Math.max(1, this.#options.concurrency))
        if (this.#running.size > 0) await Promise.race(this.#running)
        else if (started === 0) {
          const pacedMs = await this.#options.pacedMs()
          if (pacedMs === undefined) return
          await sleep(pacedMs, undefined, signal === undefined ? {} : { signal })
        }
      }
    } finally {
      clearInterval(renewal)
    }
  }

  async #run(): Promise<void> {
    const renewal = this.#startRenewal()
    while (!this.#isStopping) await this.#round()
    while (this.#running.size > 0) await Promise.all(this.#running)
    clearInterval(renewal)
  }

  async #round(): Promise<void> {
    this.#isWoken = false
    try {
      await this.#tick()
      const started = await this.#claim(this.#options.concurrency)
      this.#failures = 0
      // Full: a finished job wakes the loop. Otherwise nothing else is due.
      if (started === 0 || this.#running.size >= this.#options.concurrency) await this.#pause(this.#idleMs())
    } catch (error) {
      this.#failures += 1
      if (this.#failures === 1)
        this.#options.logger.warn(`mirror: claiming work failed (${errorName(error)}); it is repeated`)
      this.#isWoken = false
      await this.#pause(Math.min(MAX_PAUSE_MS, this.#options.pollMs * 2 ** this.#failures))
    }
  }

  async #tick(): Promise<void> {
    if (performance.now() < this.#nextTick) return
    this.#nextTick = performance.now() + TICK_MS
    await this.#options.tick()
  }

  /** Claims up to the limit, and starts the jobs. Returns the number of started jobs. */
  async #claim(limit: number): Promise<number> {
    const free = limit - this.#running.size
    if (free <= 0) return 0
    const { table, organisations, jobs, leaseMs } = this.#options
    const claims = await table.claim(organisations, [...jobs.keys()], free, leaseMs)
    if (claims.length > 0) await this.#options.claimed()
    for (const claim of claims) this.#start(claim)
    return claims.length
  }

  #start(claim: Claim): void {
    const abort = new AbortController()
    this.#active.set(claim.lease, { claim, abort })
    const running = this.#work(claim, abort.signal).finally(() => {
      this.#active.delete(claim.lease)
      this.#running.delete(running)
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
    }
  }

  /** Without a record, the work waits for the end of its lease. */
  async #recordFailure(job: Job, claim: Claim, error: unknown, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await job.fail(claim, error, signal)
      } catch (failure) {
        if (failure instanceof LeaseLostError) return
        if (attempt === RECORD_ATTEMPTS || this.#isStopping) {
          return this.#options.logger.warn(
            `mirror: a failure of ${claim.kind} could not be recorded (${errorName(failure)}); its work is repeated when its lease ends`,
          )
        }
      }
      await sleep(RECORD_PAUSE_MS * attempt)
    }
  }

  #startRenewal(): NodeJS.Timeout {
    const timer = setInterval(() => void this.#renew(), this.#options.leaseMs / 3)
    timer.unref()
    return timer
  }

  async #renew(): Promise<void> {
    const leases = [...this.#active.keys()]
    if (leases.length === 0) return
    try {
      const held = new Set(await this.#options.table.renew(leases, this.#options.leaseMs))
      for (const lease of leases)
        if (!held.has(lease)) this.#active.get(lease)?.abort.abort(new LeaseLostError())
    } catch {
      // The next renewal is well before the end of the leases.
    }
  }

  #idleMs(): number {
    // Jitter keeps several machines apart.
    return this.#options.pollMs * (1 + Math.random() / 5)
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
