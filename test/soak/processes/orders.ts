import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from '../dice.js'
import type { Fleet } from './fleet.js'
import type { Job, Report } from './protocol.js'

/** Number of processes that get an order at the same time: some get all of them, the others at most three. */
const FOR_ALL = 0.1
const MOST_AT_ONCE = 3

/** Time between the repetitions of an order, in milliseconds. */
const PAUSE_MS = 500

/** Number of times that an order with an unknown outcome is repeated during the disturbances. */
const REPEATED_IN_STORM = 2

/** Longest time for the orders of a stage, in milliseconds. */
const LIMIT_MS = 8 * 60_000

interface Waiting {
  readonly key: string
  readonly at: number
}

interface OrdersOptions {
  readonly orders: number
  readonly processes: number
  readonly mayResend: boolean
  readonly dice: Dice
}

/** The orders of a stage as a job queue has them: each is repeated with its key until it is placed. */
export class Orders {
  readonly keys: readonly string[]
  readonly reports: Report[] = []
  readonly problems: string[] = []
  readonly #mayResend: boolean
  readonly #queue: Waiting[]
  readonly #untouched: Set<string>
  readonly #old: ReadonlySet<string>
  /** Keys without a final outcome. */
  readonly #open: Set<string>
  readonly #running = new Map<string, number>()
  readonly #unknown = new Map<string, number>()
  /** Keys that wait for the end of the disturbances. */
  readonly #parked = new Set<string>()
  readonly #startedUndisturbed = new Set<string>()
  readonly #final = new Set<string>()
  #isUndisturbed = false

  constructor({ orders, processes, mayResend, dice }: OrdersOptions) {
    this.keys = Array.from({ length: orders }, (_, index) => `order-${index}-${randomUUID().slice(0, 8)}`)
    this.#mayResend = mayResend
    this.#queue = this.keys.flatMap((key) =>
      Array.from({ length: dice.chance(FOR_ALL) ? processes : 1 + dice.below(MOST_AT_ONCE) }, () => ({
        key,
        at: 0,
      })),
    )
    this.#untouched = new Set(this.keys)
    this.#old = new Set(this.keys.filter(() => dice.chance(0.4)))
    this.#open = new Set(this.keys)
  }

  get isFirstRoundOver(): boolean {
    return this.#untouched.size === 0
  }

  get isOver(): boolean {
    return this.#open.size === 0 && this.#running.size === 0
  }

  /** Keys whose outcome stayed unknown after the disturbances. */
  unknown(): ReadonlySet<string> {
    return new Set(this.#final)
  }

  /** The error of the last call with a key. */
  lastError(key: string): string | undefined {
    return this.reports.findLast((report) => report.key === key)?.error
  }

  /** Gives orders to the fleet until a condition holds. */
  async run(fleet: Fleet, isDone: () => boolean): Promise<void> {
    const endsAt = Date.now() + LIMIT_MS
    while (!isDone()) {
      if (Date.now() > endsAt || fleet.problems.length > 5) {
        this.problems.push(`the orders did not end: ${[...this.#open].slice(0, 5).join()}`)
        return
      }
      this.#giveAll(fleet)
      await sleep(20)
    }
  }

  /** From now on, an unknown outcome is final, unless the clients send orders again. */
  endDisturbances(): void {
    this.#isUndisturbed = true
    this.again(this.#parked)
    this.#parked.clear()
  }

  again(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#final.delete(key)
      this.#open.add(key)
      this.#later(key, 0)
    }
  }

  reported(report: Report): void {
    const { key, said, retryAfterMs } = report
    this.reports.push(report)
    const isLast = this.#ended(report)
    if (said === 'placed') this.#open.delete(key)
    if (!this.#open.has(key) || !isLast) return
    if (isReconciled(report) && !this.#mayResend) this.#unknownOutcome(report)
    else this.#later(key, retryAfterMs ?? PAUSE_MS)
  }

  /** The processes of these jobs were killed or stopped: each is repeated at once. */
  interrupted(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#ended(job)
      this.#later(job.key, 0)
    }
  }

  #unknownOutcome({ key, call }: Report): void {
    const times = (this.#unknown.get(key) ?? 0) + 1
    this.#unknown.set(key, times)
    if (this.#startedUndisturbed.has(call)) {
      this.#open.delete(key)
      this.#final.add(key)
    } else if (this.#isUndisturbed || times <= REPEATED_IN_STORM) this.#later(key, PAUSE_MS)
    else this.#parked.add(key)
  }

  #giveAll(fleet: Fleet): void {
    const now = Date.now()
    let tries = 0
    for (let at = 0; at < this.#queue.length && tries < 20; ) {
      const next = this.#queue[at]
      if (next === undefined) return
      const job = { key: next.key, call: randomUUID(), isOld: this.#old.has(next.key) }
      const isDue = next.at <= now
      if (isDue) tries += 1
      if (!isDue || !fleet.give(job)) {
        at += 1
        continue
      }
      this.#queue.splice(at, 1)
      this.#running.set(job.key, (this.#running.get(job.key) ?? 0) + 1)
      if (this.#isUndisturbed) this.#startedUndisturbed.add(job.call)
    }
  }

  /** Returns `true` when no other call has the order or waits for it. */
  #ended({ key }: Job): boolean {
    const running = (this.#running.get(key) ?? 1) - 1
    if (running > 0) this.#running.set(key, running)
    else this.#running.delete(key)
    this.#untouched.delete(key)
    return running <= 0 && !this.#queue.some((waiting) => waiting.key === key)
  }

  #later(key: string, afterMs: number): void {
    this.#queue.unshift({ key, at: Date.now() + afterMs })
  }
}

/**
 * Whether the client read the complete time window, and the service does not show the order. Other unknown
 * outcomes come from a wait, or from a lookup that did not end in time.
 */
function isReconciled({ said, error }: Report): boolean {
  return said === 'unknown' && error?.includes('the service does not show it yet') === true
}
