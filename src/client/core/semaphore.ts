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
