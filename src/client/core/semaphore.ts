import { CallEnded, type Deadline } from './deadline.js'

/** Lets so many calls work at once and queues the rest, first come first served. */
export class Semaphore {
  readonly #places: number
  readonly #what: string
  readonly #queue: (() => void)[] = []
  #taken = 0

  /** @param what - What a place is, in words for the errors of those who do not get one. */
  constructor(places: number, what: string) {
    this.#places = places
    this.#what = what
  }

  /** Takes a place; a promise only where one must be waited for, within the deadline. Give it back with `leave`. */
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

  /** The place goes to the next in the queue, or is free. */
  release(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#taken -= 1
    else next()
  }
}
