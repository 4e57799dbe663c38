import type { Clock, Timer } from '../../common/clock.js'
import { PathologyError } from '../../common/errors.js'

/** Returned by {@link DeliveryDeadline.within} if the timeout expires first. */
export const TIMED_OUT = Symbol('timed out')

/** The time limit for the response to one delivery, starting with the request. */
export class DeliveryDeadline {
  readonly #controller = new AbortController()
  readonly #expired: Promise<typeof TIMED_OUT>
  readonly #timer: Timer
  readonly #clock: Clock
  readonly #endsAt: number

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#endsAt = clock.monotonic() + timeoutMs
    let expire = (_: typeof TIMED_OUT): void => undefined
    this.#expired = new Promise((resolve) => {
      expire = resolve
    })
    this.#timer = clock.schedule(() => {
      // Before the abort, so that a handler that rejects because of the signal counts as a timeout.
      expire(TIMED_OUT)
      this.#controller.abort(timeoutError(timeoutMs))
    }, timeoutMs)
  }

  /** Aborts when the timeout expires, unless {@link stop} was called. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the timeout has expired. Also true if a busy process has delayed the timer. */
  get isOver(): boolean {
    return this.signal.aborted || this.#clock.monotonic() >= this.#endsAt
  }

  /** Returns the work's value, or {@link TIMED_OUT}. Work that rejects later is not an unhandled rejection. */
  within<T>(work: T | PromiseLike<T>): Promise<Awaited<T> | typeof TIMED_OUT> {
    return Promise.race([work, this.#expired])
  }

  /** Cancels the timer after the response. */
  stop(): void {
    this.#timer.cancel()
  }
}

function timeoutError(timeoutMs: number): PathologyError {
  return new PathologyError(
    `The webhook was not handled within ${timeoutMs} ms, so the receiver responded with an error and the service sends the event again. Move slow work to a queue with enqueue.`,
    { code: 'WEBHOOK_TIMEOUT' },
  )
}
