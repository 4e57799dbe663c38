import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'
import { waitWithin } from '../../common/time-limit.js'

/**
 * First and longest pause after a failure, in milliseconds. With a longer pause, the lease could end before the
 * operation is repeated: another call would then treat the order as sent.
 */
const FIRST_REPEAT_PAUSE_MS = 250
const LONGEST_REPEAT_PAUSE_MS = 4_000

/** Pause while the client closes, in milliseconds. */
const CLOSING_PAUSE_MS = 100

/** Maximum number of waiting operations. The oldest is dropped first. */
const MAX_WAITING = 10_000

/** Operation of the ledger. The promise rejects when the operation must be repeated. */
type Operation = () => Promise<unknown>

/**
 * Runs operations of the ledger in the background, one after another, and repeats each until it resolves. The timer
 * does not keep the process alive.
 */
export class LedgerRetries {
  readonly #waiting = new Set<Operation>()
  #running: Promise<void> | undefined
  #isClosing = false
  #wake: () => void = ignore

  /** Runs an operation after the operations that already wait. Repeats it after pauses until it resolves. */
  add(operation: Operation): void {
    this.#waiting.add(operation)
    const [oldest] = this.#waiting
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
    void this.#run()
  }

  /**
   * Resolves when no operation waits. After `limitMs` milliseconds, drops the operations that still wait and resolves.
   */
  async close(limitMs: number, clock: Clock): Promise<void> {
    if (this.#waiting.size === 0) return
    this.#isClosing = true
    this.#wake()
    await waitWithin(this.#run(), { clock, limitMs }).catch(ignore)
    this.#waiting.clear()
    this.#wake()
  }

  #run(): Promise<void> {
    this.#running ??= this.#runAll()
    return this.#running
  }

  async #runAll(): Promise<void> {
    let pause = FIRST_REPEAT_PAUSE_MS
    // The loop also visits operations that are added while it runs.
    for (const next of this.#waiting) {
      try {
        await next()
        this.#waiting.delete(next)
        pause = FIRST_REPEAT_PAUSE_MS
      } catch {
        await this.#sleep(this.#isClosing ? CLOSING_PAUSE_MS : pause)
        pause = Math.min(LONGEST_REPEAT_PAUSE_MS, pause * 2)
        // An operation that always fails must not block the others.
        if (this.#waiting.delete(next)) this.#waiting.add(next)
      }
    }
    // Cleared at once: an operation that is added after this line starts another run.
    this.#running = undefined
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      // In some runtimes a timer is a number.
      if (typeof timer === 'object') timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
