import { clientClosed } from '../errors/error-texts.js'
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

/** Counts the calls in flight, for which `close()` waits. */
export class InFlightCalls {
  #count = 0
  #isClosed = false
  readonly #waiting: (() => void)[] = []

  /** Throws a {@link ConnectionError} with the reason `closed` after `close()`. */
  throwIfClosed(operation: string): void {
    if (this.#isClosed) throw clientClosed(operation)
  }

  /** Counts a call until `ended`. */
  started(): void {
    this.#count += 1
  }

  ended(): void {
    this.#count -= 1
    if (this.#count === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Rejects new calls, and resolves when no call is in flight. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
