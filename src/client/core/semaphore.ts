import { clientClosed, queueFull } from '../errors/sentences.js'
import { CallEnded, type Deadline } from './deadline.js'

/** Limits the number of concurrent holders; the others wait in order of arrival. */
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
   * Acquires a permit. Returns a promise only when it must wait, at most until the deadline. `release` returns
   * the permit.
   */
  acquire(deadline: Deadline): Promise<void> | undefined {
    if (this.#taken >= this.#limit) return this.#wait(deadline)
    this.#taken += 1
    return undefined
  }

  #wait(deadline: Deadline): Promise<void> {
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
   * Throws when the client is closed.
   *
   * @throws {@link ConnectionError} with the reason `closed`.
   */
  throwIfClosed(operation: string): void {
    if (this.#isClosed) throw clientClosed(operation)
  }

  /**
   * Throws when the queue of calls is full.
   *
   * @throws {@link ConnectionError} with the reason `queue-full`.
   */
  throwIfFull(operation: string): void {
    if (this.#queueSlots >= this.#limit) throw queueFull(operation)
  }

  /** Tracks a call; `release` ends it. */
  acquire(): void {
    this.#tracked += 1
  }

  release(): void {
    this.#tracked -= 1
    if (this.#tracked === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Acquires the queue slot of a call that runs or waits. */
  acquireSlot(): void {
    this.#queueSlots += 1
  }

  releaseSlot(): void {
    this.#queueSlots -= 1
  }

  /** Rejects new calls, and resolves when no call is in flight. */
  close(): Promise<void> {
    this.#isClosed = true
    if (this.#tracked === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}
