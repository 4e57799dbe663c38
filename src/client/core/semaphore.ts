import { clientClosed, queueFull } from '../errors/error-texts.js'
import { CallEnded, type Deadline } from './deadline.js'

/** Limits the number of permits in use. Calls without a permit wait in order of arrival. */
export class Semaphore {
  readonly #limit: number
  readonly #description: string
  readonly #queue: (() => void)[] = []
  #taken = 0

  /** @param description - Describes the permit in timeout messages. */
  constructor(limit: number, description: string) {
    this.#limit = limit
    this.#description = description
  }

  /**
   * Acquires a permit, which `release` frees. Returns a promise only when the call must wait. The promise rejects with
   * {@link CallEnded} at the deadline, or when the caller aborts the call.
   */
  acquire(deadline: Deadline): Promise<void> | undefined {
    if (this.#taken < this.#limit) {
      this.#taken += 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        stop()
        resolve()
      }
      this.#queue.push(grant)
      const stop = deadline.onEnd((ended) => {
        this.#queue.splice(this.#queue.indexOf(grant), 1)
        reject(new CallEnded(ended.end, this.#description))
      })
    })
  }

  /** Passes the permit to the next waiting call, or frees it. */
  release(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#taken -= 1
    else next()
  }
}

/** Effect of a full queue on a new call. */
export type WhenFull = 'reject' | 'accept'

/** Tracks the calls in flight. `close()` waits for them, and calls above the limit are rejected. */
export class InFlightCalls {
  readonly #limit: number
  #tracked = 0
  #queueSlots = 0
  #isClosed = false
  readonly #waiting: (() => void)[] = []

  /** @param limit - Maximum number of calls that run or wait. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Throws a {@link ConnectionError} with the reason `closed` after `close()`, or with the reason `queue-full` if the
   * limit is reached and `whenFull` is `reject`.
   */
  throwIfUnavailable(operation: string, whenFull: WhenFull): void {
    if (this.#isClosed) throw clientClosed(operation)
    if (whenFull === 'reject' && this.#queueSlots >= this.#limit) throw queueFull(operation)
  }

  /**
   * Tracks a call until `release`. `slots` is 0 for a call that takes over the slot of its composite call, and for a
   * download, which needs no slot.
   */
  acquire(slots: 0 | 1): void {
    this.#tracked += 1
    this.#queueSlots += slots
  }

  /** Ends the tracking of a call. `slots` is 0 for a download, or if an inner call has already released the slot. */
  release(slots: 0 | 1): void {
    this.#queueSlots -= slots
    this.#tracked -= 1
    if (this.#tracked === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Rejects new calls, and resolves when no call is in flight. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#tracked > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
