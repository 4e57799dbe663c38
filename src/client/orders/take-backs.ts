import type { Clock } from '../../common/clock.js'
import { ignore } from '../../common/errors.js'

/**
 * First and longest pause after a failure, in milliseconds. A long pause would outlast the lease after a short failure of
 * the ledger: another call takes the entry over as sent, and the statement comes too late.
 */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000

/** Pause while the client closes, in milliseconds. */
const CLOSING_PAUSE_MS = 100

/** Maximum number of statements that wait. The oldest is dropped first. */
const MOST_WAITING = 10_000

/** Statement for the ledger. It rejects when the ledger did not respond. */
type Statement = () => Promise<unknown>

/**
 * Repeats statements that did not reach the ledger, one after the other, until they do. Its timer does not keep
 * the process alive.
 */
export class TakeBacks {
  readonly #waiting = new Set<Statement>()
  #running: Promise<void> | undefined
  #isClosing = false
  #wake: () => void = ignore

  /** Runs a statement now, and again after pauses until it resolves. */
  add(statement: Statement): void {
    this.#waiting.add(statement)
    const [oldest] = this.#waiting
    if (this.#waiting.size > MOST_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
    void this.#run()
  }

  /** Resolves when no statement waits, or after `limitMs` milliseconds: then the rest is dropped. */
  async close(limitMs: number, clock: Clock): Promise<void> {
    if (this.#waiting.size === 0) return
    this.#isClosing = true
    this.#wake()
    let end: () => void = ignore
    const limit = new Promise<void>((resolve) => {
      const timer = clock.schedule(resolve, limitMs)
      end = () => timer.cancel()
    })
    await Promise.race([this.#run(), limit])
    end()
    this.#waiting.clear()
    this.#wake()
  }

  #run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #runAll(): Promise<void> {
    let pause = FIRST_PAUSE_MS
    for (;;) {
      const [next] = this.#waiting
      if (next === undefined) return
      try {
        await next()
        this.#waiting.delete(next)
        pause = FIRST_PAUSE_MS
      } catch {
        await this.#sleep(this.#isClosing ? CLOSING_PAUSE_MS : pause)
        pause = Math.min(LONGEST_PAUSE_MS, pause * 2)
        // A statement that always fails must not block the others.
        if (this.#waiting.delete(next)) this.#waiting.add(next)
      }
    }
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
