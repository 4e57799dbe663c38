import type { Clock, Timer } from '../../common/clock.js'
import { PathologyError } from '../../common/errors.js'

/** What {@link DeliveryDeadline.within} gives when time was up first. */
export const PASSED = Symbol('deadline passed')

/** The time in which one delivery must be answered, from its first byte on (§6). */
export class DeliveryDeadline {
  readonly #controller = new AbortController()
  readonly #passed: Promise<typeof PASSED>
  readonly #timer: Timer
  readonly #clock: Clock
  readonly #endsAt: number

  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock
    this.#endsAt = clock.monotonic() + deadlineMs
    let pass = (_: typeof PASSED): void => undefined
    this.#passed = new Promise((resolve) => {
      pass = resolve
    })
    this.#timer = clock.schedule(() => {
      // Before the abort: a handler that stops on the signal has overrun, not failed.
      pass(PASSED)
      this.#controller.abort(overrun(deadlineMs))
    }, deadlineMs)
  }

  /** Aborts when time is up; never after {@link settle}. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether time is up, also where a busy process has kept the timer from running. */
  get isOver(): boolean {
    return this.signal.aborted || this.#clock.monotonic() >= this.#endsAt
  }

  /** The work's outcome, or {@link PASSED}. Work that rejects later is not an unhandled rejection. */
  within<T>(work: T | PromiseLike<T>): Promise<Awaited<T> | typeof PASSED> {
    return Promise.race([work, this.#passed])
  }

  /** Ends the watch; the delivery has its answer. */
  settle(): void {
    this.#timer.cancel()
  }
}

function overrun(deadlineMs: number): PathologyError {
  return new PathologyError(
    `The webhook was not dealt with within ${deadlineMs} ms, so it was answered with an error and the service sends it again. Enqueue slow work instead of doing it before the answer.`,
    { code: 'WEBHOOK_OVERRUN' },
  )
}
