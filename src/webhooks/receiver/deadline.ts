import type { Clock, Timer } from '../../common/clock.js'
import { PathologyError } from '../../common/errors.js'
import { waitWithin } from '../../common/time-limit.js'

/** Value that {@link DeliveryDeadline.within} returns if the timeout expires first. */
export const TIMED_OUT = Symbol('timed out')

/** Parts of a delivery that can exceed the timeout, each with the problem and the next step for the error message. */
const LATE_PARTS = {
  body: [
    'The body of the webhook request did not arrive',
    'Check the network and the proxies in front of the receiver.',
  ],
  store: ['The de-duplication store did not respond', 'Check the store and the connection to it.'],
  handler: ['The webhook was not handled', 'Move slow work to a queue with enqueue.'],
  queue: ['The event was not stored', 'Check the database or the queue that stores it.'],
} as const

/** The time limit for the response to one delivery. The time starts when the request arrives. */
export class DeliveryDeadline {
  readonly #controller = new AbortController()
  readonly #timer: Timer
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #endsAt: number

  /** @param work - Part of the delivery that runs after the body is read: the handler, or the queue. */
  constructor(clock: Clock, timeoutMs: number, work: 'handler' | 'queue') {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#endsAt = clock.monotonic() + timeoutMs
    this.#timer = clock.schedule(() => this.#controller.abort(this.timeoutError(work)), timeoutMs)
  }

  /** Aborts when the timeout expires, unless {@link stop} was called. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** `true` when the timeout has expired. Also correct if a busy process has delayed the timer. */
  get isOver(): boolean {
    return this.signal.aborted || this.#clock.monotonic() >= this.#endsAt
  }

  /** Returns the value of `work`, or {@link TIMED_OUT}. A later rejection of `work` is ignored. */
  async within<T>(work: T | PromiseLike<T>): Promise<Awaited<T> | typeof TIMED_OUT> {
    try {
      return await waitWithin(Promise.resolve(work), { signal: this.signal })
    } catch (error) {
      // A handler that rejects because of the signal counts as a timeout.
      if (this.signal.aborted) return TIMED_OUT
      throw error
    }
  }

  stop(): void {
    this.#timer.cancel()
  }

  timeoutError(part: keyof typeof LATE_PARTS): PathologyError {
    const [problem, advice] = LATE_PARTS[part]
    return new PathologyError(
      `${problem} within ${this.#timeoutMs} ms, so the receiver responded with an error and the service sends the event again. ${advice}`,
      { code: 'WEBHOOK_TIMEOUT' },
    )
  }
}
