import { CallEnded, type Deadline } from './deadline.js'

/** Limits the number of concurrent holders; the others wait in order of arrival. */
export class Semaphore {
  readonly #places: number
  readonly #what: string
  readonly #queue: (() => void)[] = []
  #taken = 0

  /** @param permit - Describes the permit in timeout messages. */
  constructor(places: number, what: string) {
    this.#places = places
    this.#what = what
  }

  /**
   * Acquires a permit. Returns a promise only when it must wait, at most until the deadline. `release` returns
   * the permit.
   */
  acquire(deadline: Deadline): Promise<void> | undefined {
    if (this.#taken >= this.#places) return this.#wait(deadline)
    this.#taken += 1
    return undefined
  }

  #wait(deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        stop()
        resolve()
      }
      this.#queue.push(admit)
      const stop = deadline.onEnd((ended) => {
        this.#queue.splice(this.#queue.indexOf(admit), 1)
        reject(new CallEnded(ended.end, this.#what))
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
